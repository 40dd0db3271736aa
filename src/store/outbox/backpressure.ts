import { sql } from "drizzle-orm";
import { type Bound, type Bounds, Overload } from "../../domain/delivery/delivery.ts";
import type { Clock } from "../../domain/time/clock.ts";
import { all, type Transaction, type Verb } from "../tables/engine.ts";

// How much may wait. What is live in the database is counted now and then: often where a bound is near, rarely elsewhere. What
// this process accepts meanwhile is added. A bound is exceeded at most by what other processes accept while a count holds, and
// by what is being stored.

type Way = "inbound" | "outbound";

export interface Arriving {
  accountId: string;
  channelId: string;
  direction: Way;
  /** The chat of each message, as the messenger names it. */
  chats: string[];
}

/** Call it once the messages are stored, or are not, with the number of new ones; again with 0 if they were rolled back. */
export type Admitted = (added: number) => void;

export interface Backpressure {
  /** A batch that begins below the bounds is admitted whole. Throws Overload. */
  admit(tx: Transaction, what: Arriving): Verb<Admitted>;
}

/** Shares of the account's bound for customers and agents: neither can use up the other's. */
const SHARES = { inbound: 0.75, outbound: 0.25 };
/** A channel may hold this multiple of the share's free part: one flooded channel leaves a fifth free, two leave a ninth. */
const CHANNEL_TIMES_LEFT = 4;
/** How long a count holds, ms: where no bound is near; else, and at least as a multiple of the time that it took. */
const [CALM_MS, NEAR_MS, NEAR_TIMES] = [60_000, 1_000, 10];

const shareOf = ({ perAccount }: Bounds, direction: Way): number =>
  Math.min(perAccount, Math.max(1, Math.floor(perAccount * SHARES[direction])));
/** With fewer live messages an account reaches no bound of its own. */
const leastBound = (bounds: Bounds): number =>
  Math.min(bounds.perLane, (shareOf(bounds, "outbound") * CHANNEL_TIMES_LEFT) / (CHANNEL_TIMES_LEFT + 1));

/** A direction of an account, or of one of its channels. */
const wayOf = (direction: Way, channelId = ""): string => `${channelId} ${direction}`;
const TOTAL = "";
const plus = (counts: Map<string, number>, way: string, by: number) => counts.set(way, (counts.get(way) ?? 0) + by);

/** Live messages by way. */
interface Count {
  live: Map<string, number>;
  /** Accepted by this process since its start, and what of it is under way; the former as it was at the count. */
  own: Map<string, number>;
  underWay: Map<string, number>;
  before: Map<string, number>;
  /** On the monotonic clock, ms. */
  countedAt: number;
  tookMs: number;
}

const newCount = (): Count => ({
  ...{ live: new Map(), own: new Map(), underWay: new Map(), before: new Map() },
  ...{ countedAt: Number.NEGATIVE_INFINITY, tookMs: 0 },
});

const liveOf = ({ live, own, before }: Count, way: string): number =>
  (live.get(way) ?? 0) + (own.get(way) ?? 0) - (before.get(way) ?? 0);

export function createBackpressure(bounds: Bounds, clock: Pick<Clock, "monotonic">): Backpressure {
  const refuse = refusing();
  const least = leastBound(bounds);
  const whole = newCount();
  const accounts = new Map<string, Count>();
  const accountOf = (id: string): Count => {
    const known = accounts.get(id) ?? newCount();
    accounts.set(id, known);
    return known;
  };
  const isFresh = (count: Count, near: number) => {
    const isCalm = liveOf(count, TOTAL) < near;
    const holds = isCalm ? CALM_MS : Math.min(CALM_MS, Math.max(NEAR_MS, NEAR_TIMES * count.tookMs));
    return clock.monotonic() < count.countedAt + holds;
  };
  const recount = function* (count: Count, read: () => Verb<[way: string, live: number][]>): Verb<void> {
    const asked = clock.monotonic();
    const last = count.countedAt;
    // Others need not count, too.
    count.countedAt = asked;
    // What is under way is perhaps not committed yet. Counted twice, it is refused a second early at worst.
    const before = new Map([...count.own].map(([way, own]) => [way, own - (count.underWay.get(way) ?? 0)]));
    const live = new Map<string, number>();
    try {
      for (const [way, n] of yield* read()) plus(live, way, n);
    } catch (error) {
      count.countedAt = last;
      throw error;
    }
    Object.assign(count, { live, before, tookMs: clock.monotonic() - asked });
  };
  const assertRoom = (what: Arriving): void => {
    const { accountId, channelId, direction } = what;
    if (liveOf(whole, TOTAL) >= bounds.all) refuse("process");
    const account = accountOf(accountId);
    const left = shareOf(bounds, direction) - liveOf(account, wayOf(direction));
    if (left <= 0) refuse("account", what);
    if (liveOf(account, wayOf(direction, channelId)) >= left * CHANNEL_TIMES_LEFT) refuse("channel", what);
  };
  return {
    *admit(tx, what) {
      const { accountId, channelId, direction, chats } = what;
      const most = chats.length;
      if (most === 0 || (least === Number.POSITIVE_INFINITY && bounds.all === least)) return () => undefined;
      const account = accountOf(accountId);
      if (!isFresh(whole, bounds.all / 2)) yield* recount(whole, () => countAll(tx, bounds));
      if (!isFresh(account, least / 2)) yield* recount(account, () => countAccount(tx, accountId, bounds));
      assertRoom(what);
      // Never refuse customers for one long chat: their messenger would hold back all other chats, too.
      if (direction === "outbound" && liveOf(account, wayOf(direction, channelId)) >= bounds.perLane)
        for (const chat of new Set(chats)) {
          const deeper = yield* all(DEEPER, { channelId, direction, chat, limit: bounds.perLane - 1 });
          if (deeper.length > 0) refuse("lane", what);
        }
      // Others may have been admitted since.
      assertRoom(what);
      const move = (counts: "own" | "underWay", by: number) => {
        plus(whole[counts], TOTAL, by);
        for (const way of [TOTAL, wayOf(direction), wayOf(direction, channelId)]) plus(account[counts], way, by);
      };
      move("own", most);
      move("underWay", most);
      let [counted, isUnderWay] = [most, true];
      return (added) => {
        if (isUnderWay) move("underWay", -most);
        move("own", added - counted);
        [counted, isUnderWay] = [added, false];
      };
    },
  };
}

/** Whether a chat has more than `limit` live messages in one direction. */
const DEEPER = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = @direction AND chat = @chat
  AND state IN ('ready','sending','waiting') LIMIT 1 OFFSET @limit`;

/** Live messages and owed acks. The partial indexes hold nothing else, so the cost does not grow with what has ended. */
function* countAll({ indexedBy }: Transaction, bounds: Bounds): Verb<[string, number][]> {
  const most = limitOf(bounds.all);
  const [row] = yield* all<{ live: number }>(sql`SELECT (SELECT count(*) FROM (
      SELECT 1 FROM message ${indexedBy("message_lane")} WHERE state IN ('ready','sending','waiting') LIMIT ${most}) AS live)
    + (SELECT count(*) FROM (
      SELECT 1 FROM message ${indexedBy("message_ack")} WHERE ack IN ('due','sending') LIMIT ${most}) AS owed) AS live`);
  return [[TOTAL, Number(row?.live ?? 0)]];
}

/** Live messages of an account, up to its bounds. */
function* countAccount({ joinLive }: Transaction, accountId: string, bounds: Bounds): Verb<[string, number][]> {
  const counts: [string, number][] = [];
  for (const direction of ["inbound", "outbound"] as const) {
    const rows = yield* all<{ channelId: string; live: number }>(sql`SELECT channel_id AS "channelId", count(*) AS live
      FROM (SELECT message.channel_id FROM channel ${joinLive} ON message.channel_id = channel.id
          AND message.direction = ${direction} AND message.state IN ('ready','sending','waiting')
        WHERE channel.account_id = ${accountId} LIMIT ${limitOf(shareOf(bounds, direction))}) AS live GROUP BY channel_id`);
    for (const { channelId, live } of rows)
      for (const way of [TOTAL, wayOf(direction), wayOf(direction, channelId)]) counts.push([way, Number(live)]);
  }
  return counts;
}

const limitOf = (bound: number) => sql.raw(String(Number.isFinite(bound) ? bound : Number.MAX_SAFE_INTEGER));

/** Throws Overload, which counts refusals: of the account; of the channel for `channel` and `files`; of all else for the bound. */
export type Refuse = (bound: Bound, of?: { accountId?: string; channelId?: string }) => never;

export function refusing(): Refuse {
  const refused = new Map<string, number>();
  return (bound, { accountId, channelId } = {}) => {
    const name = nameOf(bound, accountId, channelId);
    const count = (refused.get(name) ?? 0) + 1;
    refused.set(name, count);
    throw new Overload(bound, count);
  };
}

function nameOf(bound: Bound, accountId = "", channelId = ""): string {
  switch (bound) {
    case "account":
    case "lane":
      return accountId;
    case "channel":
      return channelId;
    case "files":
      return `files of ${channelId}`;
    default:
      return bound;
  }
}
