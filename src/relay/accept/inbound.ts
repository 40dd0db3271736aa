import type { HostedReceipt } from "../../channels/hosted.ts";
import type { Channel } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { RawWebhook } from "../../domain/raw-webhook.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Journals } from "../sessions/journals.ts";

/** Stores what a messenger brought; resolves once it is on the disk, and only then may the reply go out. */
export type AcceptInbound = (
  channel: Channel,
  receipt: Omit<HostedReceipt, "reply">,
  /** The request, to be kept if it brings something new. */
  raw?: () => RawWebhook | undefined,
) => Promise<void>;

interface Parts {
  store: Pick<Store, "outbox">;
  journals: Journals;
  wake(accountId: AccountId): void;
  log: Log;
}

const NAME_LENGTH = 64;
const MOST_NAMES = 100;

/** Counts what no version of ours knows, and says so at the 1st, 10th, 100th … time. */
function strangers(log: Log) {
  const seen = new Map<string, number>();
  return (kind: string, unknown: string) => {
    const name = `${kind} ${unknown.slice(0, NAME_LENGTH)}`;
    if (!seen.has(name) && seen.size >= MOST_NAMES) return;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (/^10*$/.test(String(count)))
      log.warn("messenger.unknown", { kind, unknown: unknown.slice(0, NAME_LENGTH), count });
  };
}

export function inboundDoor({ store, journals, wake, log }: Parts): AcceptInbound {
  const tellStranger = strangers(log);
  return async (channel, { events, journal = [], notes = [], unknown, onStored }, raw) => {
    if (unknown) tellStranger(channel.kind, unknown);
    if (events.length === 0 && journal.length === 0 && notes.length === 0) return;
    const stored = store.outbox.acceptInbound(channel, { events, journal, notes, raw });
    // Before it is on the disk: the claim joins the same commit, and nothing leaves before that.
    if (events.length > 0) wake(channel.accountId);
    const added = await stored;
    if (added > 0) onStored?.();
    journals.announce(channel.id, journal);
  };
}
