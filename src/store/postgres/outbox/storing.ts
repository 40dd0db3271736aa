import { getTableColumns } from "drizzle-orm";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { errorCode } from "gangway-messenger/errors";
import type { AccountId } from "../../../domain/ids.ts";
import {
  type Candidate,
  type Look,
  liftTombstones,
  messageKey,
  messageLook,
  type Plan,
  peopleOf,
  planNew,
} from "../../outbox/accepting.ts";
import {
  ALBUM_COLUMNS,
  columnOf,
  type MessageColumn,
  NEW_COLUMNS,
  OPEN_ALBUM,
  type OpenAlbum,
} from "../../outbox/rows.ts";
import type { Sealer } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import { ACCOUNT_WORKS, CHANNEL_PAUSED } from "../../tables/engine.ts";
import { findGone, type Gone, NOTHING_GONE } from "../../tables/erasing/erasures.ts";
import { messages } from "../../tables/schema.ts";
import { storedText } from "../database/connection.ts";
import { causeOf, NO_LOCK } from "../database/faults.ts";
import type { LaneTransaction, LaneTransactions } from "../database/lane-transactions.ts";
import type { Notifier } from "../database/notifier.ts";
import { LIVING_LEASE } from "../tables/leases.ts";
import type { KnownAccounts } from "./known-accounts.ts";

// Another program's transaction, left open in a console, may lock rows for hours. A statement waits some seconds for
// them, once: then all statements go on without these messages, until a look finds the rows free.

/** A shorter lock timeout, for transactions that others wait for. */
export const LOCK_TIMEOUT = "SET LOCAL lock_timeout = 1000";
/** How long a message is skipped when the row that its statement waits for is not found, ms. */
const UNSEEN_MS = 30_000;

/** Finds messages with locked rows. The end of a message also changes the next one of its lane. */
const LOCKED = `WITH given AS (SELECT * FROM json_to_recordset(CAST(@given AS json)) AS given (id bigint, ends boolean)),
  touched AS (
    SELECT id AS job, id FROM given
    UNION ALL SELECT given.id, lane.id FROM given JOIN message AS job ON job.id = given.id AND given.ends
      CROSS JOIN LATERAL (SELECT id FROM message WHERE channel_id = job.channel_id AND direction = job.direction
        AND chat = job.chat AND state IN ('ready','sending','waiting') ORDER BY position LIMIT 2) AS lane),
  free AS MATERIALIZED (SELECT id FROM message WHERE id IN (SELECT id FROM touched) FOR UPDATE SKIP LOCKED)
  SELECT DISTINCT job.id, job.account_id AS "accountId"
  FROM touched JOIN message ON message.id = touched.id JOIN message AS job ON job.id = touched.job
  WHERE touched.id NOT IN (SELECT id FROM free)`;

/** Messages whose rows another program holds, as far as is known. */
interface LockedRows {
  has(id: number): boolean;
  ids(): number[];
  /**
   * Call after a statement about these messages has failed: looks which are locked. `ends`: it would have ended them.
   * Throws its error if none is locked.
   */
  findLocked(ids: number[], ends: boolean, error: unknown): Promise<void>;
  /** Looks again; resolves with the accounts of those that are free now. */
  findFreed(): Promise<AccountId[]>;
}

interface LockedRow {
  accountId?: AccountId;
  ends: boolean;
  /** When the row that its statement waits for is not seen: skips the message until this monotonic time, ms. */
  until?: number;
}

export function lockedRows({ rows }: Pick<LaneTransactions, "rows">): LockedRows {
  const known = new Map<number, LockedRow>();
  const look = (given: { id: number; ends: boolean }[]) =>
    rows<{ id: number; accountId: AccountId }>(LOCKED, { given: JSON.stringify(given) });
  return {
    has: (id) => known.has(id),
    ids: () => [...known.keys()],
    async findLocked(ids, ends, error) {
      if (errorCode(causeOf(error)) !== NO_LOCK) throw error;
      const found = await look(ids.map((id) => ({ id, ends })));
      for (const { id, accountId } of found) known.set(id, { accountId, ends });
      if (found.length > 0) return;
      const [id, ...others] = ids;
      if (id !== undefined && others.length === 0) known.set(id, { ends, until: systemClock.monotonic() + UNSEEN_MS });
      throw error;
    },
    async findFreed() {
      if (known.size === 0) return [];
      const still = new Set((await look([...known].map(([id, { ends }]) => ({ id, ends })))).map(({ id }) => id));
      const accounts: AccountId[] = [];
      for (const [id, { accountId, until = 0 }] of known) {
        if (still.has(id) || systemClock.monotonic() < until) continue;
        known.delete(id);
        if (accountId !== undefined) accounts.push(accountId);
      }
      return accounts;
    },
  };
}

/** Ends the items whose rows nobody else locks. Resolves with these items, and with the result of `store`. */
export async function endUnlocked<T, R>(
  locked: LockedRows,
  all: T[],
  idOf: (item: T) => number,
  store: (free: T[]) => Promise<R>,
): Promise<{ free: T[]; stored?: R }> {
  for (;;) {
    const free = all.filter((item) => !locked.has(idOf(item)));
    if (free.length === 0) return { free };
    try {
      return { free, stored: await store(free) };
    } catch (error) {
      await locked.findLocked(free.map(idOf), true, error);
    }
  }
}

export const lockedError = (): StoreError =>
  new StoreError("another transaction holds the message's row (pg_stat_activity shows it)");

// Rows passed as one value, so that a statement stores many messages.

const columns = getTableColumns(messages);

/** A lone surrogate, which PostgreSQL's texts cannot hold. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The value of `recordsOf`. */
export const records = (rows: object[]): string =>
  JSON.stringify(rows, (_, value) =>
    typeof value === "string" ? storedText(value.replace(LONE_SURROGATE, "\uFFFD")) : value,
  );

/** FROM item: the rows of a value by names of a message's columns, and by other names that are numbers. */
export function recordsOf(value: string, names: readonly MessageColumn[], numbers: readonly string[] = []): string {
  const typed = names.map((name) => `"${name}" ${columns[name].getSQLType() === "text" ? "text" : "bigint"}`);
  return `json_to_recordset(CAST(@${value} AS json)) AS ${value} (${[...typed, ...numbers.map((name) => `"${name}" bigint`)]})`;
}

/** `hasTombstones`: of its channel. */
type PostgresLook = Look & { hasTombstones: boolean };

const ASKED: MessageColumn[] = [
  ...(["channelId", "direction", "chat", "dedupeKey", "messengerMessageId", "gatewayMessageId", "fence"] as const),
  // The gateway's id of the chat.
  "words",
];
const LOOK = `SELECT ${messageLook((name) => `asked."${name}"`)},
  (SELECT created_at FROM chat WHERE channel_id = asked."channelId" AND gateway_chat = asked.words) AS since,
  EXISTS (SELECT FROM erased WHERE channel_id = asked."channelId") AS "hasTombstones",
  asked.fence IS NOT NULL AND EXISTS (
    SELECT FROM ${LIVING_LEASE} JOIN account ON account.id = account_lease.account_id
      JOIN channel ON channel.account_id = account.id
    WHERE channel.id = asked."channelId" AND NOT ${CHANNEL_PAUSED} AND ${ACCOUNT_WORKS}
      AND (asked.direction = 'outbound' OR rest_until <= @now)
      AND account_lease.fence = asked.fence) AS leaves
  FROM ${recordsOf("asked", ASKED, ["n"])} ORDER BY n`;
/** Hints of what is next in these lanes. */
export const NEXT = `SELECT account_id AS "accountId", message.channel_id AS "channelId", message.direction, run_at AS at, 1 AS jobs
  FROM message JOIN ${recordsOf("lanes", ["channelId", "direction", "chat"])} ON lanes."channelId" = message.channel_id
    AND lanes.direction = message.direction AND lanes.chat = message.chat
  WHERE message.state IN ('ready','sending','waiting') AND head = 1 AND message.state = 'ready'`;
/** Share-locks these leases until the commit, so that nobody takes them over. */
export const KEEP_LEASES = `SELECT FROM account_lease
  WHERE account_id IN (SELECT json_array_elements_text(CAST(@accounts AS json))) ORDER BY account_id FOR SHARE`;
/** FOR UPDATE keeps these albums from being claimed before the commit. */
const ALBUMS = `SELECT id, channel_id AS "channelId", album, direction, payload, work,
    messenger_message_id AS "messengerMessageId"
  FROM message WHERE ${OPEN_ALBUM} AND album IS NOT NULL
    AND (channel_id, album) IN (SELECT "channelId", album FROM ${recordsOf("albums", ["channelId", "album"])})
  ORDER BY id FOR UPDATE`;

/** Which of the channels have tombstones. */
const WITH_TOMBSTONES = `SELECT id FROM json_array_elements_text(CAST(@ids AS json)) AS id
  WHERE EXISTS (SELECT FROM erased WHERE channel_id = id)`;

async function lookAt(transaction: LaneTransaction, { candidates, others = [], now }: Asked) {
  const leased = candidates.filter(({ fence }) => fence !== undefined).map(({ channel }) => channel.accountId);
  if (leased.length > 0) transaction.sent(KEEP_LEASES, { accounts: JSON.stringify([...new Set(leased)]) });
  const parts = candidates.flatMap(({ album, channel }) =>
    album ? [{ channelId: channel.id, album: album.name }] : [],
  );
  if (parts.length > 0) transaction.sent(LOCK_TIMEOUT);
  const albums = parts.length > 0 ? transaction.rows<OpenAlbum>(ALBUMS, { albums: records(parts) }) : [];
  const asked = candidates.map(({ channel, direction, chat, gatewayChat, key, fence, ...ids }, n) => ({
    ...{ n, channelId: channel.id, direction, chat, words: gatewayChat, dedupeKey: key, fence },
    ...{ messengerMessageId: ids.messengerMessageId, gatewayMessageId: ids.gatewayMessageId },
  }));
  const ids = JSON.stringify(others);
  const withTombstones = others.length > 0 ? transaction.rows<{ id: string }>(WITH_TOMBSTONES, { ids }) : [];
  const looks = transaction.rows<PostgresLook>(LOOK, { asked: records(asked), now });
  const [found, open, inOthers] = await Promise.all([looks, albums, withTombstones]);
  return { looks: found, albums: open, withTombstones: inOthers };
}

// New messages are stored in two statements: one reads all that decides on them, the other stores what is new.

/** A part may be stored together with the album that carries it. */
const VALUES = NEW_COLUMNS.map((name) =>
  name === "carrier"
    ? "CASE WHEN carrier < 0 THEN (SELECT new_id FROM added AS album WHERE album.n = -added.carrier) ELSE carrier END"
    : `"${name}"`,
);
/** Ids are in order, since adding to a lane takes its lock. */
const STORE = `WITH added AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('message', 'id')) AS new_id, new.*
    FROM (SELECT * FROM ${recordsOf("rows", NEW_COLUMNS, ["n"])} ORDER BY n) AS new
  ), stored AS (
    INSERT INTO message (id, position, ${NEW_COLUMNS.map(columnOf)}, created_at, updated_at)
    SELECT new_id, new_id, ${VALUES}, CAST(@now AS bigint), CAST(@now AS bigint) FROM added
  ), met AS (
    INSERT INTO chat (channel_id, gateway_chat, chat, created_at)
    SELECT "channelId", words, chat, CAST(@now AS bigint) FROM ${recordsOf("chats", ["channelId", "words", "chat"])} ON CONFLICT DO NOTHING
  ) SELECT new_id AS id FROM added ORDER BY n`;
const CHANGE = `UPDATE message SET ${ALBUM_COLUMNS.map((name) => `${columnOf(name)} = changed."${name}"`)}
  FROM ${recordsOf("changed", ["id", ...ALBUM_COLUMNS])} WHERE message.id = changed.id`;

/** What is new, and what was erased of the candidates. */
export interface ReadPlan extends Plan {
  erased: Gone;
  now: number;
}

interface Asked {
  candidates: Candidate[];
  /** Channels of requests without candidates. */
  others?: string[];
  now: number;
}

/** Reads what decides on the candidates, and plans what is new of them. */
export async function readNew(
  transaction: LaneTransaction,
  sealer: Sealer,
  asked: Asked,
  mayLeave: (candidate: number) => boolean = () => false,
): Promise<ReadPlan> {
  const { candidates, now } = asked;
  const { looks, albums, withTombstones } = await lookAt(transaction, asked);
  const buried = candidates.filter((_, n) => looks[n]?.hasTombstones);
  const channelIds = [...new Set([...buried.map(({ channel }) => channel.id), ...withTombstones.map(({ id }) => id)])];
  const of = { messages: buried.map(messageKey), names: peopleOf(buried) };
  const erased =
    channelIds.length > 0 ? await transaction.run((tx) => findGone(tx, sealer, channelIds, of)) : NOTHING_GONE;
  const plan = planNew({ candidates, looks, albums, erased, now, mayLeave });
  await transaction.run(() => liftTombstones(plan, candidates, erased));
  return { ...plan, erased, now };
}

/** The statement that stores the plan and returns the ids. */
export function storeOf(
  transaction: LaneTransaction,
  { fresh, chats, changes, now }: ReadPlan,
): [string, Record<string, unknown>] {
  if (changes.length > 0) transaction.sent(CHANGE, { changed: records(changes) });
  const rows = fresh.map(({ row: { content: _, now: __, ...row } }) => row);
  return [
    STORE,
    { rows: records(rows), chats: records(chats.map(({ gatewayChat: words, ...met }) => ({ ...met, words }))), now },
  ];
}

/** What the parts of the outbox share. */
export interface Parts {
  transactions: LaneTransactions;
  known: KnownAccounts;
  /** Messages whose results are being recorded: they are not claimed meanwhile. */
  recording: Set<number>;
  /** `recording`, and messages whose rows another program locks. */
  unclaimable(): number[];
  locked: LockedRows;
  sealer: Sealer;
  clock: Clock;
  /** Aborted once the store is closed. */
  closing: AbortSignal;
  notifier: Pick<Notifier, "statements" | "changed" | "appended">;
}
