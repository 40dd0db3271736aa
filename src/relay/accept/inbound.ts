import type { Clock } from "gangway-messenger/clock";
import { eachOf, serialByKey } from "gangway-messenger/concurrency";
import { errorText } from "gangway-messenger/errors";
import type { HostedReceipt } from "gangway-messenger/hosted";
import type { ChannelId, CustomerId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelSession, Forwarded, RawWebhook, Receipt } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import type { Channel } from "../../domain/channel.ts";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import { type Bound, Overload } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import { GATEWAY, type ReadySlots } from "../../store/outbox.ts";
import type { Store } from "../../store/store.ts";
import { type WithSlots, withoutSlots } from "../scheduler/slots.ts";
import type { Journals, Sessions } from "../sessions/sessions.ts";

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
  /** Absent: calls never start with the commit that stores their jobs. */
  withSlots?: WithSlots;
  /** The messenger has reviewed or changed templates. */
  templatesChanged?(channel: Channel): void;
  /** Stores a customer's request for erasure, which is carried out later. */
  erase?(kind: string, customer: CustomerId, proof: string): Promise<unknown>;
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

export function createAcceptInbound({
  store,
  journals,
  wake,
  withSlots = withoutSlots,
  templatesChanged,
  erase,
  log,
}: Parts): AcceptInbound {
  const logUnknown = createUnknownTypes(log);
  return async (channel, receipt, raw) => {
    const { events, journal = [], notes = [], unknown, onStored } = receipt;
    if (unknown) logUnknown(channel.kind, unknown);
    if (receipt.templatesChanged) templatesChanged?.(channel);
    if (receipt.erase) await erase?.(channel.kind, receipt.erase.customer, receipt.erase.proof);
    if (events.length === 0 && journal.length === 0 && notes.length === 0) return;
    const { accountId } = channel;
    const unmatched = (failures: number) => logUnknown(channel.kind, "failure of an unknown message", failures);
    const arrival = { events, journal, notes, raw, unmatched };
    const write = (slots?: ReadySlots) => store.outbox.acceptInbound(channel, arrival, slots);
    const { result: added, begun } = await withSlots(accountId, GATEWAY, events.length, write);
    if (added > begun) wake(accountId);
    if (added > 0) onStored?.();
    journals.announce(channel.id, journal);
  };
}

/** Processes a part of a request as its channel's own door would. */
type Take = (channel: Channel, part: RawWebhook, proven: boolean) => Promise<PartResult>;

/** `unable`: the channel can take nothing now, or its session fails on this part alone. */
type PartResult =
  | { type: "taken" }
  | { type: "refused"; status: number }
  | { type: "unable"; by: "channel" | "part"; proven: boolean; why: string };

interface ForwardingParts {
  store: Pick<Store, "channels" | "parked">;
  sessions: Pick<Sessions, "adapter" | "of" | "requestFor">;
  acceptInbound: AcceptInbound;
  keepRaw: boolean;
  /** Called after each part that a session has answered. */
  doorAnswered(id: ChannelId, status: number): void;
  clock: Clock;
  log: Log;
}

/** Bounds of the whole server: no request can be stored. */
const SERVER: Bound[] = ["process", "disk"];

/** Requests that arrive by an app or another channel's door: forwards their parts, and reads parked ones later. */
export function createForwarding(parts: ForwardingParts): { parked: ReadParked; forward: Forward } {
  const take = createTake(parts);
  const parked = createReadParked(parts, take);
  return { parked, forward: createForward(parts, take, parked) };
}

/** Throws Overload of the whole server, and errors of the store. */
function createTake({ sessions, acceptInbound, keepRaw, doorAnswered }: ForwardingParts): Take {
  return async (channel, part, proven) => {
    const unable = (by: "channel" | "part", why: string, isProven = proven): PartResult => ({
      ...{ type: "unable", by, proven: isProven, why },
    });
    let session: ChannelSession;
    let request: Request;
    try {
      session = sessions.of(channel);
      request = sessions.requestFor(channel, part, proven);
    } catch (error) {
      return unable("channel", errorText(error));
    }
    let receipt: Receipt;
    try {
      receipt = await session.receive(request);
    } catch (error) {
      return unable("part", errorText(error));
    }
    await receipt.reply.body?.cancel();
    const { status } = receipt.reply;
    doorAnswered(channel.id, status);
    if (status === 401 || status === 403) return { type: "refused", status };
    if (status === 429 || status >= 500) return unable("part", `its session answered ${status}`);
    try {
      await acceptInbound(channel, receipt, keepRaw ? () => keptOf(sessions.adapter(channel.kind), part) : undefined);
    } catch (error) {
      if (!(error instanceof Overload) || SERVER.includes(error.bound)) throw error;
      return unable("channel", error.message, true);
    }
    return { type: "taken" };
  };
}

/** The part as stored: without its credentials. */
export function keptOf(adapter: ChannelAdapter | undefined, { path, headers, body }: RawWebhook): RawWebhook {
  const kept = (adapter?.keptHeaders ?? []).flatMap((name) =>
    headers[name] === undefined ? [] : [[name, headers[name]]],
  );
  return { path, headers: Object.fromEntries(kept), body };
}

/** Reads parked parts of requests once their channels can take them: in order, as if they had come now. */
export interface ReadParked extends Loop {
  /** Reads in the background, unless the channel could take nothing just now. */
  soon(login: string): void;
  /** A channel was added, changed or resumed. */
  changed(id: ChannelId): void;
}

/** Interval of retrying everything, ms. */
const ROUND_MS = 30_000;
/** Logins read concurrently. */
const MAX_PARKED_AT_ONCE = 8;

function createReadParked({ store, clock, log }: ForwardingParts, take: Take): ReadParked {
  const { parked, channels } = store;
  const serial = serialByKey<string>();
  const queued = new Set<string>();
  /** Skipped until the next round: parts on which a session fails (later ones go on), logins that can take nothing. */
  const failing = new Set<number>();
  const blocked = new Set<string>();

  /** False when the channel can take nothing more now. */
  const readOne = async (channel: Channel, position: number): Promise<boolean> => {
    const found = await parked.read(position, channel.accountId);
    if (!found) return true;
    const { part, isOwn } = found;
    const taken = part && (await take(channel, part.request, part.proven));
    if (!taken || (taken.type === "unable" && taken.by === "part")) {
      failing.add(position);
      return true;
    }
    if (taken.type === "unable") return false;
    if (taken.type === "refused") {
      // A stopped channel may have lost the secret that proves it.
      if (isOwn && channel.state === "stopped") return false;
      log.warn("forwarded.refused", { channel: channel.id, status: taken.status });
    }
    await parked.remove(position);
    return true;
  };
  const readAll = async (login: string, stop?: AbortSignal): Promise<void> => {
    queued.delete(login);
    const holder = await channels.byIdentity(login);
    if (!holder) return;
    for (const position of await parked.of(login, holder.accountId)) {
      if (stop?.aborted) return;
      if (failing.has(position)) continue;
      // Read it again: it may have changed, or another account's channel may have the login now.
      const channel = await channels.byIdentity(login);
      if (channel?.accountId !== holder.accountId) return;
      if (await readOne(channel, position)) continue;
      blocked.add(login);
      await parked.adopt(login, channel);
      return;
    }
  };
  const read = (login: string, stop?: AbortSignal) => {
    if (queued.has(login)) return Promise.resolve();
    queued.add(login);
    return serial(login, () => readAll(login, stop));
  };
  const failed = (error: unknown) => log.warn("parked.not-read", { error: String(error) });
  const loop = createLoop({
    ...{ clock, everyMs: ROUND_MS, failed },
    async round(stop) {
      const expired = await parked.expire();
      if (expired > 0) log.warn("parked.expired", { count: expired });
      failing.clear();
      blocked.clear();
      await eachOf(await parked.logins(), MAX_PARKED_AT_ONCE, (login) => read(login, stop).catch(failed), stop);
    },
  });
  const soon = (login: string) => {
    if (!blocked.has(login)) void read(login).catch(failed);
  };
  return {
    ...loop,
    soon,
    changed(id) {
      const look = async () => {
        const login = (await channels.ofJob(id))?.identity;
        if (login === undefined) return;
        blocked.delete(login);
        soon(login);
      };
      look().catch(failed);
    },
  };
}

/**
 * Forwards parts of a request to the channels that have their logins. Resolves once each part is stored, known, parked
 * or refused. `from`: the channel at whose door they arrived; absent: the vendor's app. Throws Overload of the whole
 * server.
 */
export type Forward = (parts: Forwarded[], from?: Channel) => Promise<void>;

/** Logins of a request processed concurrently. */
const MAX_FORWARDS_AT_ONCE = 16;

function createForward({ store, log }: ForwardingParts, take: Take, parked: ReadParked): Forward {
  let [refused, dropped] = [0, 0];
  const park = async (part: Forwarded, from: Channel | undefined, channel?: Channel, proven = false) => {
    // An unproven part must not use up another account's room.
    const own = proven || !isForeign(from, channel) ? channel : undefined;
    log.debug("forwarded.parked", { login: part.login, channel: own?.id, from: from?.id });
    const gone = await store.parked.park({ ...part, proven, channel: own, from: from?.accountId });
    dropped += gone;
    if (gone > 0 && reachesPowerOfTen(dropped, dropped - gone))
      log.warn("parked.dropped", { login: part.login, channel: own?.id, count: dropped });
  };
  const forwardOne = async (part: Forwarded, from: Channel | undefined): Promise<void> => {
    const { login, request } = part;
    const channel = await store.channels.byIdentity(login);
    if (!channel) return park(part, from);
    if (!isForeign(from, channel) && (await store.parked.waits(login, channel.accountId))) {
      // Parts of this login wait already: keep the order.
      await park(part, from, channel);
      return parked.soon(login);
    }
    const taken = await take(channel, request, false);
    if (taken.type === "taken") return;
    if (taken.type === "unable") {
      log.warn("forwarded.not-taken", { channel: channel.id, from: from?.id, reason: taken.why });
      return park(part, from, channel, taken.proven);
    }
    // A stopped channel may have lost the secret that proves it.
    if (channel.state === "stopped" && !isForeign(from, channel)) return park(part, from, channel);
    refused += 1;
    const about = { channel: channel.id, from: from?.id, status: taken.status, count: refused };
    if (reachesPowerOfTen(refused)) log.warn("forwarded.refused", about);
  };
  return async (parts, from) => {
    const [only, ...others] = parts;
    if (only && others.length === 0) return forwardOne(only, from);
    const byLogin = Map.groupBy(parts, ({ login }) => login);
    await eachOf(byLogin.values(), MAX_FORWARDS_AT_ONCE, async (ofLogin) => {
      // A login's parts in order, as a chat's messages are.
      for (const part of ofLogin) await forwardOne(part, from);
    });
  };
}

/** Whether a part comes by an app of another account. */
const isForeign = (from: Channel | undefined, channel: Channel | undefined): boolean =>
  from !== undefined && from.accountId !== channel?.accountId;
