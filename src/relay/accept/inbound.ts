import type { HostedReceipt } from "../../channels/hosted.ts";
import type { Channel } from "../../domain/channel/channel.ts";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import type { RawWebhook } from "../../domain/delivery/raw-webhook.ts";
import type { AccountId } from "../../domain/ids.ts";
import { cutText } from "../../domain/text/split.ts";
import type { Log } from "../../log.ts";
import { GATEWAY } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import type { Hold } from "../scheduler/slots.ts";
import type { Journals } from "../sessions/journals.ts";

/** Stores what a messenger sent; resolves once it is on disk. Reply only after that. */
export type AcceptInbound = (
  channel: Channel,
  receipt: Omit<HostedReceipt, "reply">,
  /** The request, stored if it contains something new. */
  raw?: () => RawWebhook | undefined,
) => Promise<void>;

interface Parts {
  store: Pick<Store, "outbox">;
  journals: Journals;
  wake(accountId: AccountId): void;
  hold: Hold;
  /** The messenger has reviewed or changed templates. */
  templatesChanged?(channel: Channel): void;
  log: Log;
}

const MAX_NAME = 64;
const MAX_NAMES = 100;

export type UnknownTypes = (kind: string, unknown: string, times?: number) => void;

/** Counts unknown types of update; logs the 1st, 10th, 100th … of each. */
export function createUnknownTypes(log: Log): UnknownTypes {
  const seen = new Map<string, number>();
  return (kind, unknown, times = 1) => {
    const name = `${kind} ${cutText(unknown, MAX_NAME)}`;
    if (!seen.has(name) && seen.size >= MAX_NAMES) return;
    const before = seen.get(name) ?? 0;
    const count = before + times;
    seen.set(name, count);
    if (reachesPowerOfTen(count, before))
      log.warn("messenger.unknown", { kind, unknown: cutText(unknown, MAX_NAME), count });
  };
}

export function createAcceptInbound({ store, journals, wake, hold, templatesChanged, log }: Parts): AcceptInbound {
  const logUnknown = createUnknownTypes(log);
  return async (channel, receipt, raw) => {
    const { events, journal = [], notes = [], unknown, onStored } = receipt;
    if (unknown) logUnknown(channel.kind, unknown);
    if (receipt.templatesChanged) templatesChanged?.(channel);
    if (events.length === 0 && journal.length === 0 && notes.length === 0) return;
    const { accountId } = channel;
    const held = events.length > 0 ? hold(accountId, GATEWAY, events.length) : undefined;
    const unmatched = (failures: number) => logUnknown(channel.kind, "failure of an unknown message", failures);
    const arrival = { events, journal, notes, raw, unmatched };
    let added: number;
    try {
      added = await store.outbox.acceptInbound(channel, arrival, held);
    } finally {
      held?.release();
    }
    if (added > (held?.begun() ?? 0)) wake(accountId);
    if (added > 0) onStored?.();
    journals.announce(channel.id, journal);
  };
}
