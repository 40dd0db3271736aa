import { inArray, type SQL, sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelId } from "gangway-messenger/ids";
import { type LedgerRow, RECOVERED } from "../../../domain/account.ts";
import type { Channel } from "../../../domain/channel.ts";
import { slicesOf } from "../../../domain/counts.ts";
import { INBOUND_PATIENCE_MS, type MessageDirection } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { ChannelTraffic, Traffic } from "../../accounts.ts";
import {
  ACCOUNT_WORKS,
  all,
  CHANNEL_PAUSED,
  type Engine,
  IS_MESSAGE,
  run,
  type Transaction,
  type Verb,
} from "../engine.ts";
import { type MessageRow, messages } from "../schema.ts";

type Row = Omit<LedgerRow, "waiting" | "messages" | "hole" | "oldestAt" | "dueAt" | "kind" | "acks"> &
  Record<"live" | "liveMessages" | "heldMessages" | "acksOwed" | "acksGiven" | "acksRefused" | "acksLive", number> &
  Record<"oldestAt" | "inboundAt" | "outboundAt" | "ackAt", number | null> & { kind: string | null };

type Ended = Pick<MessageRow, "id" | "accountId" | "channelId" | "kind" | "events" | "album">;
/** Albums per query. */
const MAX_ALBUMS = 1_000;

/** Accepted events of the other parts of albums, by album. */
function* carriedBy({ orm }: Transaction, albums: number[]): Verb<Map<number, number>> {
  const carried = new Map<number, number>();
  const { carrier } = messages;
  for (const ids of slicesOf(albums, MAX_ALBUMS)) {
    const parts = orm.select({ carrier, events: sql<number>`sum(events)` }).from(messages);
    for (const { carrier: id, events } of yield* all(parts.where(inArray(carrier, ids)).groupBy(carrier)))
      carried.set(id ?? 0, Number(events));
  }
  return carried;
}

/** Books ends of messages; an album counts with all its parts. `by` -1 reverts. */
export function* bookEnds(tx: Transaction, rows: Ended[], as: "delivered" | "refused", by: 1 | -1 = 1): Verb<void> {
  const carried = yield* carriedBy(
    tx,
    rows.flatMap(({ id, album }) => (album === null ? [] : [id])),
  );
  const written = as === "delivered" ? "messagesDelivered" : "messagesRefused";
  yield* tx.book(
    rows.flatMap(({ id, accountId, channelId, kind, events: own }) => {
      const events = (own + (carried.get(id) ?? 0)) * by;
      if (events === 0) return [];
      return [{ accountId, channelId, [as]: events, ...(kind === "message" && { [written]: events }) }];
    }),
  );
}

type Owed = Pick<MessageRow, "accountId" | "channelId">;
interface Refused {
  live: Ended[];
  held: Ended[];
  acks: Owed[];
  /** Acks owed and given up in the same step. */
  untold?: Owed[];
}

/** Books messages that were given up, waiting or held, and acks that are no longer owed. */
export function* bookRefused(tx: Transaction, { live, held, acks, untold = [] }: Refused): Verb<void> {
  yield* bookEnds(tx, [...live, ...held], "refused");
  const given = ({ accountId, channelId }: Owed) => ({ accountId, channelId, acksRefused: 1 });
  yield* tx.book([...acks.map(given), ...untold.map((each) => ({ ...given(each), acksOwed: 1 }))]);
}

/** The number of a channel's events missing from the ledger. */
export function* holeOf(tx: Transaction, { id, accountId }: Pick<Channel, "id" | "accountId">): Verb<number> {
  const rows = yield* readLedger(tx, accountId);
  return Math.max(0, rows.find(({ channelId }) => channelId === id)?.hole ?? 0);
}

export function* readLedger(tx: Transaction, accountId?: AccountId): Verb<LedgerRow[]> {
  const rows = yield* all<Row>(statement(tx, accountId));
  return rows.map(({ live, acksOwed: owed, acksGiven: given, acksRefused, acksLive, ...row }) => {
    const { accepted, recovered, delivered, refused, held, undelivered, standing } = row;
    const { liveMessages, heldMessages } = row;
    const dueAt = [row.inboundAt, row.outboundAt, row.ackAt].filter((at) => at !== null);
    const waiting = live + held;
    return {
      accountId: row.accountId,
      channelId: row.channelId,
      jobs: row.jobs,
      ...{ accepted, recovered, delivered, refused, held, waiting },
      messages: { waiting: liveMessages, held: heldMessages },
      hole: accepted - delivered - refused - waiting,
      acks: { owed, given, refused: acksRefused, waiting: acksLive, hole: owed - given - acksRefused - acksLive },
      oldestAt: row.oldestAt ?? undefined,
      dueAt: dueAt.length > 0 ? Math.min(...dueAt) : undefined,
      ...{ undelivered, standing, kind: row.kind ?? undefined },
    };
  });
}

/** Since when an inbound message has been tried: the start of its patience, also after a resumption. */
const SINCE = `message.deadline_at - ${INBOUND_PATIENCE_MS}`;
/** SQL of the oldest due time among a direction's heads. A failed message has been due since its first attempt. */
const due = (direction: MessageDirection) => {
  const at =
    direction === "inbound"
      ? `CASE WHEN message.attempts > 0 AND ${SINCE} < message.run_at THEN ${SINCE} ELSE message.run_at END`
      : "message.run_at";
  return sql.raw(`min(CASE WHEN message.head = 1 AND message.state = 'ready' AND message.direction = '${direction}'
    THEN ${at} END)`);
};

const [FLOWS, IS_PAUSED] = [sql.raw(ACCOUNT_WORKS), sql.raw(CHANNEL_PAUSED)];

/** Literal states match the partial indexes of live and ended messages, so nothing else is read. */
function statement({ joinLive }: Transaction, accountId?: AccountId): SQL {
  const of = accountId === undefined ? sql`TRUE` : sql`account_id = ${accountId}`;
  const events = sql`message.events + CASE WHEN album IS NULL THEN 0
    ELSE (SELECT coalesce(sum(part.events), 0) FROM message AS part WHERE part.carrier = message.id) END`;
  const written = sql`CASE WHEN ${IS_MESSAGE} THEN ${events} ELSE 0 END`;
  return sql`
    WITH known_channel AS (
      SELECT id, account_id FROM channel WHERE ${of} UNION SELECT channel_id, account_id FROM tally WHERE ${of}
    ), live AS (
      SELECT known_channel.id, sum(${events}) AS events, sum(${written}) AS written, count(*) AS messages,
        min(message.created_at) AS oldest, ${due("inbound")} AS inbound, ${due("outbound")} AS outbound
      FROM known_channel ${joinLive} ON message.channel_id = known_channel.id
        AND message.state IN ('ready','sending','waiting')
      GROUP BY known_channel.id
    ), ended AS (
      SELECT channel_id AS id, sum(CASE WHEN state = 'held' THEN ${events} ELSE 0 END) AS held,
        sum(CASE WHEN state = 'held' THEN ${written} ELSE 0 END) AS written,
        sum(CASE WHEN state <> 'held' AND ${IS_MESSAGE} THEN 1 ELSE 0 END) AS dead FROM message
      WHERE ${of} AND (state IN ('held','dead') OR ack = 'refused') GROUP BY channel_id
    ), owed AS (
      SELECT channel_id AS id, count(*) AS acks, min(CASE WHEN ack = 'due' THEN ack_at END) AS due FROM message
      WHERE ${of} AND ack IN ('due','sending') GROUP BY channel_id
    ), standing AS (
      SELECT channel.id, kind, CASE WHEN state = 'active' AND channel.pause_reason IS NULL AND ${FLOWS} THEN rest_until END AS rest,
        CASE WHEN state = 'removed' THEN 'removed' WHEN account.pause_reason IS NOT NULL THEN 'paused'
          WHEN active = 0 OR frozen <> 0 THEN 'off' WHEN ${IS_PAUSED} THEN 'paused' WHEN state = 'stopped' THEN state
          WHEN channel.trouble IS NOT NULL OR account.trouble IS NOT NULL THEN 'troubled' ELSE 'working' END AS standing
      FROM channel JOIN account ON account.id = channel.account_id
    )
    SELECT known_channel.account_id AS "accountId", known_channel.id AS "channelId",
      coalesce(tally.accepted, 0) AS accepted, coalesce(CAST(recovered.value AS bigint), 0) AS recovered,
      coalesce(tally.delivered, 0) AS delivered,
      coalesce(tally.refused, 0) AS refused, coalesce(live.events, 0) AS live, coalesce(ended.held, 0) AS held,
      coalesce(live.written, 0) AS "liveMessages", coalesce(ended.written, 0) AS "heldMessages",
      coalesce(live.messages, 0) + coalesce(owed.acks, 0) AS jobs,
      coalesce(tally.acks_owed, 0) AS "acksOwed", coalesce(tally.acks_given, 0) AS "acksGiven",
      coalesce(tally.acks_refused, 0) AS "acksRefused", coalesce(owed.acks, 0) AS "acksLive", live.oldest AS "oldestAt",
      coalesce(ended.dead, 0) AS undelivered, standing.kind AS kind, coalesce(standing.standing, 'removed') AS standing,
      CASE WHEN live.inbound < rest THEN rest WHEN rest IS NOT NULL THEN live.inbound END AS "inboundAt",
      CASE WHEN rest IS NOT NULL THEN live.outbound END AS "outboundAt",
      CASE WHEN owed.due < rest THEN rest WHEN rest IS NOT NULL THEN owed.due END AS "ackAt"
    FROM known_channel
    LEFT JOIN tally ON tally.channel_id = known_channel.id
    LEFT JOIN note AS recovered ON recovered.channel_id = known_channel.id AND recovered.key = ${RECOVERED}
    LEFT JOIN standing ON standing.id = known_channel.id
    LEFT JOIN live ON live.id = known_channel.id
    LEFT JOIN ended ON ended.id = known_channel.id
    LEFT JOIN owed ON owed.id = known_channel.id
    ORDER BY known_channel.account_id, known_channel.id`;
}

const HOUR_MS = 3_600_000;
/** Two weeks, and a day for the time zones. */
const KEPT_HOURS = 15 * 24;

const RECORD = `INSERT INTO traffic (channel_id, hour, delivered, refused)
  SELECT channel_id, @hour, messages_delivered, messages_refused FROM tally WHERE channel_id = @channelId
  ON CONFLICT (channel_id, hour) DO UPDATE SET delivered = excluded.delivered, refused = excluded.refused`;
/** Keeps the newest old row: the next hour's difference starts from it. */
const SWEEP = `DELETE FROM traffic WHERE channel_id = @channelId AND hour < (
  SELECT max(hour) FROM traffic WHERE channel_id = @channelId AND hour < @oldest)`;
/** Channels whose sums are not those of their newest record. */
const CHANGED = `SELECT tally.channel_id AS "channelId" FROM tally
  LEFT JOIN traffic ON traffic.channel_id = tally.channel_id
    AND hour = (SELECT max(hour) FROM traffic AS newer WHERE newer.channel_id = tally.channel_id)
  WHERE messages_delivered IS DISTINCT FROM traffic.delivered OR messages_refused IS DISTINCT FROM traffic.refused
  ORDER BY 1`;
/** Channels recorded in one transaction. */
const MAX_CHANNELS = 100;
const CHANNELS = `SELECT channel.id AS id, messages_delivered AS delivered, messages_refused AS refused,
  last_inbound_at AS inbound, last_outbound_at AS outbound FROM channel
  LEFT JOIN tally ON tally.channel_id = channel.id WHERE channel.account_id = @accountId AND state <> 'removed'`;
const HOURS = "SELECT hour, delivered, refused FROM traffic WHERE channel_id = @id ORDER BY hour";

interface TrafficRow {
  id: ChannelId;
  delivered: number | null;
  refused: number | null;
  inbound: number | null;
  outbound: number | null;
}
type Hour = ChannelTraffic["hours"][number];

export function trafficStore({ read, write }: Engine, clock: Clock): Traffic {
  const hourNow = () => Math.floor(clock.now() / HOUR_MS);
  return {
    async record() {
      // Read outside the recording transactions.
      const changed = await read(() => all<{ channelId: string }>(CHANGED));
      for (const some of slicesOf(changed, MAX_CHANNELS))
        await write(function* () {
          const [hour, oldest] = [hourNow(), hourNow() - KEPT_HOURS];
          for (const { channelId } of some) {
            yield* run(RECORD, { channelId, hour });
            yield* run(SWEEP, { channelId, oldest });
          }
        }, "lanes");
    },
    of: (accountId) =>
      read(function* () {
        const traffic: ChannelTraffic[] = [];
        for (const { id, delivered, refused, inbound, outbound } of yield* all<TrafficRow>(CHANNELS, { accountId })) {
          const recorded = yield* all<Hour>(HOURS, { id });
          const now = { hour: hourNow(), delivered: delivered ?? 0, refused: refused ?? 0 };
          traffic.push({
            channelId: id,
            ...{ delivered: now.delivered, refused: now.refused },
            lastInboundAt: inbound ?? undefined,
            lastOutboundAt: outbound ?? undefined,
            hours: endedIn([...recorded.filter(({ hour }) => hour < now.hour), now], now.hour - KEPT_HOURS),
          });
        }
        return traffic;
      }),
  };
}

/** Differences between the sums at the ends of hours. */
const endedIn = (sums: Hour[], oldest: number): Hour[] =>
  sums
    .map(({ hour, delivered, refused }, n) => ({
      hour,
      // Resending reverts a refusal, and a late failure reverts a delivery: differences may be negative.
      delivered: Math.max(0, delivered - (sums[n - 1]?.delivered ?? 0)),
      refused: Math.max(0, refused - (sums[n - 1]?.refused ?? 0)),
    }))
    .filter(({ hour, delivered, refused }) => hour >= oldest && delivered + refused > 0);

/** Accepted events of erased accounts: with the sums in `tally`, all that were ever accepted. */
export const ACCEPTED_ERASED = "accepted_erased";

const KEEP = `INSERT INTO meta (key, value)
  SELECT '${ACCEPTED_ERASED}', CAST(coalesce(sum(accepted), 0) AS text) FROM tally WHERE account_id = @accountId
  ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS bigint) + CAST(excluded.value AS bigint) AS text)`;

/** Call in the transaction that deletes the account's sums, before it does. */
export const keepAccepted = (accountId: string): Verb<void> => run(KEEP, { accountId });

/** Tables visited in order of insertion, by `rowid`: built in on SQLite, a column on PostgreSQL. */
export const VISITED = new Set([
  ...["meta", "account", "channel", "note", "kept_file", "web_session", "erased", "erasure", "erasure_request"],
]);
