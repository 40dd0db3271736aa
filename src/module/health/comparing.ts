import type { Clock } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { DeliveryError, errorText, type Verdict } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Listed } from "gangway-messenger/port";
import type { Config } from "../../config.ts";
import { RECOVERED } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { beginComparing, type Compared, keepCompared } from "./compared-note.ts";
import { workingChannels } from "./hourly.ts";
import type { Lists } from "./lists.ts";
import { missingOf } from "./missing.ts";

/** Compares messengers' lists with what webhooks brought, and stores what is missing. */
export interface Comparing extends Loop {
  /** Up to when each active channel has been compared, ms. */
  figures(): ComparedFigure[];
}
export interface ComparedFigure {
  accountId: AccountId;
  channelId: ChannelId;
  upTo: number;
}

export interface ComparingParts {
  config: Pick<Config, "retainDays">;
  store: Pick<Store, "accounts" | "channels" | "erasure" | "messages" | "notes" | "outbox">;
  lists: Lists;
  wake(accountId: AccountId): void;
  clock: Clock;
  log: Log;
}

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
/** Interval between rounds, ms: with SETTLE_MS, it recovers what a webhook did not bring within five minutes. */
const EVERY_MS = 150_000;
/** Events younger than this wait for the next round, ms: their webhook may still arrive. */
const SETTLE_MS = 60_000;
/** Period compared again by the next pass, ms: clocks differ, and lists may show a message late. */
const OVERLAP_MS = 300_000;
/** How far back lists are read, ms; a longer outage leaves a gap, which is reported. */
const MAX_BACK_MS = 7 * DAY_MS;
/** How long a gap is shown, ms. */
const GAP_SEEN_MS = 7 * DAY_MS;
/** Pages per channel and round; the next round continues, so that no channel holds up the others. */
const MAX_PAGES = 120;
/** Channels compared concurrently. */
const AT_ONCE = 8;

/** A pass through one channel's list; it may take several rounds. */
interface Pass {
  epoch: number;
  known: Compared;
  since: number;
  /** What the pass will have compared up to when it ends. */
  upTo: number;
  completeFrom: number;
  after?: string;
}

export function createComparing(parts: ComparingParts): Comparing {
  const { config, store, lists, clock, log } = parts;
  const passes = new Map<ChannelId, Pass>();
  /**
   * Rests of lists, as the messenger asks or after a refusal; on the monotonic clock, ms. A rest does not outlive a change
   * of the channel.
   */
  const resting = new Map<ChannelId, { epoch: number; until: number }>();
  let figures = new Map<ChannelId, ComparedFigure>();
  // Older dedupe keys are deleted, so older events would be stored twice.
  const backMs = Math.min(MAX_BACK_MS, config.retainDays.dedupe * DAY_MS - HOUR_MS);

  const begin = async (channel: Channel): Promise<Pass> => {
    const now = clock.now();
    const stored = await beginComparing(store.notes, channel, now);
    // The clock may have been ahead.
    const known = { ...stored, begun: Math.min(stored.begun, now), upTo: Math.min(stored.upTo, now) };
    figures.set(channel.id, { accountId: channel.accountId, channelId: channel.id, upTo: known.upTo });
    const since = Math.max(known.upTo - OVERLAP_MS, known.begun, now - backMs);
    return { epoch: channel.epoch, known, since, upTo: now - SETTLE_MS, completeFrom: since };
  };
  const end = async ({ id, accountId }: Channel, { known, upTo, completeFrom }: Pass) => {
    const isGap = completeFrom > known.upTo;
    const gap = isGap ? { from: known.upTo, to: completeFrom, found: clock.now() } : known.gap;
    const at = { from: new Date(known.upTo).toISOString(), to: new Date(completeFrom).toISOString() };
    if (isGap) log.warn("list.incomplete", { account: accountId, channel: id, ...at });
    const isSeen = gap !== undefined && gap.found > clock.now() - GAP_SEEN_MS;
    const compared = {
      ...known,
      upTo: Math.max(known.upTo, Math.min(upTo, clock.now())),
      gap: isSeen ? gap : undefined,
    };
    await keepCompared(store.notes, id, compared);
    figures.set(id, { accountId, channelId: id, upTo: compared.upTo });
  };
  const compare = async (channel: Channel, stop: AbortSignal) => {
    const { id, epoch } = channel;
    const left = passes.get(id);
    passes.delete(id);
    const pass = left?.epoch === epoch ? left : await begin(channel);
    for (let page = 0; page < MAX_PAGES && !stop.aborted; page++) {
      const listed = await lists.page(channel, { since: pass.since, after: pass.after }, stop);
      await recover(parts, channel, listed, pass);
      pass.completeFrom = Math.max(pass.completeFrom, listed.completeFrom ?? 0);
      pass.after = listed.next;
      if (listed.restMs) resting.set(id, { epoch, until: clock.monotonic() + listed.restMs });
      if (listed.next === undefined) return end(channel, pass);
      if (listed.restMs) break;
    }
    passes.set(id, pass);
  };
  const look = async ({ id }: Channel, stop: AbortSignal) => {
    // Reload: earlier channels may have taken minutes.
    const channel = await store.channels.ofJob(id);
    if (!channel?.gatewayChannelId || channel.state === "stopped") return;
    const rest = resting.get(id);
    if (rest?.epoch === channel.epoch && clock.monotonic() < rest.until) return;
    if (!lists.has(channel)) return;
    try {
      resting.delete(id);
      await compare(channel, stop);
    } catch (error) {
      if (stop.aborted) return;
      const restMs = error instanceof DeliveryError ? restAfter(error.verdict) : 0;
      resting.set(id, { epoch: channel.epoch, until: clock.monotonic() + restMs });
      log.warn("list.failed", { account: channel.accountId, channel: id, error: errorText(error) });
    }
  };
  const failed = (error: unknown) => log.warn("list.failed", { error: errorText(error) });
  const round = async (stop: AbortSignal) => {
    const channels = await workingChannels(store);
    const here = new Set(channels.map(({ id }) => id));
    for (const id of [...passes.keys(), ...resting.keys()])
      if (!here.has(id)) for (const of of [passes, resting]) of.delete(id);
    const active = new Set(channels.filter(({ state }) => state === "active").map(({ id }) => id));
    figures = new Map([...figures].filter(([id]) => active.has(id)));
    await eachOf(channels, AT_ONCE, (channel) => look(channel, stop).catch(failed), stop);
  };
  const loop = createLoop({ clock, everyMs: EVERY_MS, round, failed });
  return { ...loop, figures: () => [...figures.values()] };
}

/** A refusal is likely to persist, for example because a right is missing. */
const restAfter = (verdict: Verdict): number =>
  verdict.type === "retry" ? (verdict.afterMs ?? 0) : verdict.type === "unsure" ? 0 : HOUR_MS;

/** Stores a page's missing events; they leave after what came by itself. Throws Overload. */
async function recover(
  { store, wake, clock, log }: ComparingParts,
  channel: Channel,
  { events, notes = [] }: Listed,
  pass: Pass,
): Promise<void> {
  const { id, accountId } = channel;
  const settled = events.filter(({ at }) => at <= clock.now() - SETTLE_MS);
  const missing: ChannelEvent[] = [];
  for (const event of await missingOf(store, channel, settled)) {
    const whose = await senderOf(store, id, event);
    if (whose === "theirs") missing.push(event.type === "message" ? { ...event, recovered: true } : event);
    // Leave it to the next round: the send will have an id by then.
    if (whose === "perhaps ours") pass.upTo = Math.min(pass.upTo, event.at - 1);
  }
  if (missing.length + notes.length === 0) return;
  // The count is stored in the same transaction as the messages.
  const before = missing.length > 0 ? Number((await store.notes.get(id, RECOVERED)) ?? 0) : 0;
  const count = missing.length > 0 ? [{ key: RECOVERED, value: String(before + missing.length) }] : [];
  // Stored separately: `notes.set` drops notes about erased customers.
  if (notes.length > 0) await store.notes.set(id, notes);
  const added = await store.outbox.acceptInbound(channel, { events: missing, listed: true, notes: count });
  // Webhooks brought some of the messages first: correct the count.
  if (added < missing.length) await store.notes.set(id, [{ key: RECOVERED, value: String(before + added) }]);
  if (added === 0) return;
  wake(accountId);
  log.info("messages.recovered", { account: accountId, channel: id, count: added });
}

/** A message of ours whose call has not been answered has no known id, so it cannot be told from others. */
async function senderOf(
  { messages }: Pick<Store, "messages">,
  id: ChannelId,
  event: ChannelEvent,
): Promise<"ours" | "perhaps ours" | "theirs"> {
  const { chat, messengerMessageId } = event;
  if (event.type !== "message" || event.originator === "customer") return "theirs";
  if (await messages.has(id, messengerMessageId)) return "ours";
  return (await messages.mayBeUnderWay(id, chat, messengerMessageId)) ? "perhaps ours" : "theirs";
}
