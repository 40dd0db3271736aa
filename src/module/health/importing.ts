import type { Clock } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Listed } from "gangway-messenger/port";
import type { Channel } from "../../domain/channel.ts";
import { Overload } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { readCompared } from "./compared-note.ts";
import { workingChannels } from "./hourly.ts";
import type { Lists } from "./lists.ts";
import { missingOf } from "./missing.ts";
import { type Begun, isBegun, type Past, pastNote, readPast } from "./past-note.ts";

export interface ImportingParts {
  store: Pick<Store, "accounts" | "channels" | "erasure" | "ledger" | "notes" | "outbox">;
  lists: Lists;
  wake(accountId: AccountId): void;
  clock: Clock;
  log: Log;
}

/** Interval between rounds, ms; pages per channel and round; channels importing concurrently. */
const EVERY_MS = 15_000;
const MAX_PAGES = 20;
const AT_ONCE = 8;
/** Imports rest while more messages than this wait, so that new messages find room and leave soon. */
const MAX_WAITING = { channel: 200, account: 2_000 };
/** Delay after the first connection, ms: messages from around that time may come by webhook as new ones. */
const SETTLE_MS = 300_000;
/** Rest after a refusal, and how long an import is attempted, ms. */
const REST_MS = 3_600_000;
const LASTS_MS = 7 * 86_400_000;

/**
 * Imports messages from before a channel's connection, if requested. Each page is stored with the cursor of the next in
 * one transaction, so that a crash does not restart the import.
 */
export function createImporting(parts: ImportingParts): Loop {
  const { store, lists, clock, log } = parts;
  /** Until when lists rest, on the monotonic clock, ms. */
  const resting = new Map<ChannelId, number>();
  /** Channels with nothing to import: an import is requested when the channel is connected, or never. */
  let idle = new Set<ChannelId>();

  const fail = async ({ id, accountId }: Channel, past: Begun, error: unknown) => {
    log.warn("import.failed", { account: accountId, channel: id, error: errorText(error) });
    if (error instanceof Overload) return;
    const isRefused = error instanceof DeliveryError && error.verdict.type === "reject";
    resting.set(id, clock.monotonic() + (isRefused ? REST_MS : EVERY_MS));
    // Restart the list: the messenger may have dropped the page. Events already stored are skipped.
    if (past.next !== undefined) await store.notes.set(id, [pastNote({ ...past, next: undefined })]);
  };
  const advance = async (channel: Channel, begun: Begun, stop: AbortSignal) => {
    const { id, accountId } = channel;
    let past = begun;
    try {
      for (let page = 0; page < MAX_PAGES && !stop.aborted && (await hasRoom(store, channel)); page++) {
        const listed = await lists.page(channel, { since: past.from, after: past.next }, stop);
        if (!(await isUnchanged(store, channel))) return;
        past = await keepPage(parts, channel, past, listed);
        if (past.ended !== undefined)
          return log.info("past.imported", { account: accountId, channel: id, count: past.count });
        if (!listed.restMs) continue;
        resting.set(id, clock.monotonic() + listed.restMs);
        return;
      }
    } catch (error) {
      if (!stop.aborted) await fail(channel, past, error);
    }
  };
  const look = async (known: Channel, stop: AbortSignal) => {
    if ((resting.get(known.id) ?? 0) > clock.monotonic()) return;
    const past = await readPast(store.notes, known.id);
    if (!past || past.ended !== undefined) return void idle.add(known.id);
    const channel = await store.channels.ofJob(known.id);
    if (!channel?.gatewayChannelId || channel.state === "stopped") return;
    const begun = await beginOf(store, channel, past);
    if (!begun || clock.now() < begun.to + SETTLE_MS) return;
    const isOver = begun.login !== channel.identity || clock.now() > begun.to + LASTS_MS;
    if (isOver) return store.notes.set(channel.id, [pastNote({ ...begun, ended: clock.now() })]);
    await advance(channel, begun, stop);
  };
  const failed = (error: unknown) => log.warn("import.failed", { error: errorText(error) });
  const round = async (stop: AbortSignal) => {
    const channels = await workingChannels(store, (channel) => lists.has(channel, "past"));
    const here = new Set(channels.map(({ id }) => id));
    for (const id of resting.keys()) if (!here.has(id)) resting.delete(id);
    idle = new Set([...idle].filter((id) => here.has(id)));
    const asked = channels.filter(({ id }) => !idle.has(id));
    await eachOf(asked, AT_ONCE, (channel) => look(channel, stop).catch(failed), stop);
  };
  return createLoop({ clock, everyMs: EVERY_MS, round, failed });
}

/** Ends the import's period at the channel's first connection; undefined before that. */
async function beginOf({ notes }: Pick<Store, "notes">, channel: Channel, past: Past): Promise<Begun | undefined> {
  if (isBegun(past)) return past;
  const compared = await readCompared(notes, channel.id);
  const to = compared?.login === channel.identity ? compared?.begun : undefined;
  if (to === undefined) return undefined;
  const begun = { ...past, from: to - past.days * 86_400_000, to, login: channel.identity };
  await notes.set(channel.id, [pastNote(begun)]);
  return begun;
}

async function hasRoom({ ledger }: Pick<Store, "ledger">, { id, accountId }: Channel): Promise<boolean> {
  const waiting = (await ledger(accountId)).map((row) => ({ id: row.channelId, count: row.waiting - row.held }));
  const own = waiting.find((row) => row.id === id)?.count ?? 0;
  return own < MAX_WAITING.channel && waiting.reduce((sum, { count }) => sum + count, 0) < MAX_WAITING.account;
}

/** False if the channel was removed, stopped or changed while a page was fetched. */
async function isUnchanged({ channels }: Pick<Store, "channels">, { id, epoch }: Channel): Promise<boolean> {
  const now = await channels.ofJob(id);
  return now?.epoch === epoch && now.state !== "stopped";
}

async function keepPage(
  { store, wake, clock }: ImportingParts,
  channel: Channel,
  past: Begun,
  { events, notes = [], next, completeFrom = 0 }: Listed,
): Promise<Begun> {
  const ofThen = events.flatMap((event): ChannelEvent[] =>
    event.type === "message" && event.at >= past.from && event.at < past.to ? [{ ...event, past: true }] : [],
  );
  const missing = await missingOf(store, channel, ofThen);
  const after = {
    ...{ ...past, next, count: past.count + missing.length },
    completeFrom: Math.max(past.completeFrom ?? past.from, completeFrom),
    ...(next === undefined && { ended: clock.now() }),
  };
  // Stored separately: `notes.set` drops notes about erased customers.
  if (notes.length > 0) await store.notes.set(channel.id, notes);
  await store.outbox.acceptInbound(channel, { events: missing, listed: true, notes: [pastNote(after)] });
  if (missing.length > 0) wake(channel.accountId);
  return after;
}
