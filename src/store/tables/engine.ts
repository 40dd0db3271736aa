import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { MESSAGE_KINDS } from "../../domain/message.ts";
import type * as schema from "./schema.ts";
import { type MessageRow, messages } from "./schema.ts";

// Verbs that both engines share are generators: each yields its statements and receives their rows. SQLite runs a verb
// synchronously within a shared transaction; PostgreSQL awaits each statement, in a transaction of the verb's own.

/** Statement builder for `schema.ts`. Typed as SQLite's; the verbs only use what both engines support. */
export type Orm = BetterSQLite3Database<typeof schema>;

type Values = Record<string, unknown>;

/** A built or prepared statement, or SQL text with values named `@name`. */
interface Query<T> {
  all(values?: Values): T[];
}
interface Command {
  run(values?: Values): unknown;
}

export interface Statement {
  query: string | SQL | Query<unknown> | Command;
  values?: Values;
  /** Whether it returns rows. */
  rows: boolean;
}

export type Verb<T> = Generator<Statement, T, unknown[]>;

export function* all<T>(query: Query<T> | SQL | string, values?: Values): Verb<T[]> {
  return (yield { query, values, rows: true }) as T[];
}

export function* first<T>(query: Query<T> | string, values?: Values): Verb<T | undefined> {
  return (yield { query, values, rows: true })[0] as T | undefined;
}

export function* run(query: Command | string, values?: Values): Verb<void> {
  yield { query, values, rows: false };
}

// biome-ignore lint/correctness/useYield: no statement is needed.
export function* just<T>(value: T): Verb<T> {
  return value;
}

/** A list of placeholders and their values. */
export const listed = (values: unknown[]) => ({
  list: values.map((_, n) => `@of${n}`).join(),
  values: Object.fromEntries(values.map((value, n) => [`of${n}`, value])) as Values,
});

/** Placeholders and values for rows, padded to a power of two, since each text is prepared once per connection. */
export function rowsListed(rows: unknown[][]): ReturnType<typeof listed> {
  const padded = Array.from({ length: 2 ** Math.ceil(Math.log2(rows.length)) }, (_, n) => rows[n] ?? rows[0] ?? []);
  let n = 0;
  return { list: padded.map((row) => `(${row.map(() => `@of${n++}`)})`).join(), values: listed(padded.flat()).values };
}

// The table `meta`: facts about the database itself, by key.

export function* metaOf(key: string): Verb<string | undefined> {
  return (yield* first<{ value: string }>("SELECT value FROM meta WHERE key = @key", { key }))?.value;
}

/** Undefined removes it. */
export const setMeta = (key: string, value: string | undefined): Verb<void> =>
  value === undefined ? run("DELETE FROM meta WHERE key = @key", { key }) : run(SET_META, { key, value });
const SET_META = `INSERT INTO meta (key, value) VALUES (@key, @value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** A select list with the verbs' column names, quoted because PostgreSQL would fold them to lower case. */
export const columns = <T extends SQLiteTable>(
  table: T,
  names: readonly (keyof T["_"]["columns"] & string)[],
): string => names.map((name) => `${getTableColumns(table)[name]?.name} AS "${name}"`).join(", ");

/**
 * A LIMIT as part of the text. SQLite recompiles a statement whose LIMIT is a parameter on each run, because the value affects
 * the plan (measured for a lane's head: 23 µs instead of 3).
 */
export const upTo = (limit: number) => sql.raw(String(limit)) as unknown as number;

/** The ledger's sums, kept apart from the messages, so that a lost row shows as a hole. */
export const COUNTS = [
  ...["accepted", "delivered", "refused", "messagesDelivered", "messagesRefused"],
  ...["acksOwed", "acksGiven", "acksRefused"],
] as const;
/** When the last message of each direction came, ms. */
export const TIMES = ["lastInboundAt", "lastOutboundAt"] as const;
export type Counts = Partial<Record<(typeof COUNTS)[number], number>>;
export type Times = Partial<Record<(typeof TIMES)[number], number>>;
/** An increment of a channel's sums. */
export type Booking = Pick<MessageRow, "accountId" | "channelId"> & Counts & Times;

/** What a verb builds its statements with, and whatever else depends on the engine. */
export interface Transaction {
  orm: Orm;
  /** Built once, on first use. */
  statements<S>(prepareAll: (orm: Orm) => S): S;
  /** A row as an object, cached until the row is written. */
  row<T>(
    table: "account" | "limits" | "channel" | "note" | "chat",
    id: string,
    load: () => Verb<T | undefined>,
  ): Verb<T | undefined>;
  /** Another result of a read, cached until one of the cached tables is written. */
  find<T>(what: string, key: string, load: () => Verb<T | undefined>): Verb<T | undefined>;
  /** Reports a change that the account's pages show. */
  changed(accountId: string): void;
  /** Whether data about these may be stored: not for an erased account, nor by work older than an erasure. */
  mayStore(channelId: string, names: string[]): Verb<boolean>;
  isAccountErased(accountId: string): Verb<boolean>;
  /** Join of live messages to a channel id that reads only the index of live messages. */
  joinLive: SQL;
  /** Forces this partial index of `message`: SQLite's statistics may mislead it into a table scan. */
  indexedBy(name: string): SQL;
  /**
   * Locks the lanes of a chat, or of a whole channel, until the transaction ends: nobody else adds to them or ends
   * their heads. Call it before reading them, in a write of "lanes".
   */
  holdLanes(channelId: string, chat?: string): Verb<void>;
  /** Adds to the ledger's sums. */
  book(all: Booking[]): Verb<void>;
  /** The next position in any lane. */
  nextPosition(): Verb<number>;
}

export interface Engine {
  /** Outside a transaction. */
  read<T>(work: (tx: Transaction) => Verb<T>): Promise<T>;
  /**
   * One transaction; a throw undoes it. `work` may run again. With `lanes` each statement sees the latest commits, so
   * `work` must lock the lanes it reads or changes; otherwise it works on one snapshot.
   */
  write<T>(work: (tx: Transaction) => Verb<T>, how?: "lanes"): Promise<T>;
}

/** Rows of a table as objects, one per row however it was found. */
export function objectsOf<R extends { id: string }, T>(
  { read }: Engine,
  table: "account" | "channel",
  toObject: (row: R) => T,
) {
  const known = (tx: Transaction, row: R) => tx.row(table, row.id, () => just(toObject(row)));
  return {
    byId: (id: string, load: (tx: Transaction) => Verb<R | undefined>) =>
      read((tx) =>
        tx.row(table, id, function* () {
          const row = yield* load(tx);
          return row && toObject(row);
        }),
      ),
    find: (what: string, key: string, load: (tx: Transaction) => Verb<R | undefined>) =>
      read((tx) =>
        tx.find(what, key, function* () {
          const row = yield* load(tx);
          return row && (yield* known(tx, row));
        }),
      ),
    async list(what: string, key: string, load: (tx: Transaction) => Verb<R[]>): Promise<T[]> {
      const found = await read((tx) =>
        tx.find(what, key, function* () {
          const list: T[] = [];
          for (const row of yield* load(tx)) list.push((yield* known(tx, row)) as T);
          return list;
        }),
      );
      return found?.slice() ?? [];
    },
  };
}

/** Implements `Transaction.statements` for a builder. */
export function statementsOf(orm: Orm): Transaction["statements"] {
  const groups = new Map<unknown, unknown>();
  return <S>(prepareAll: (orm: Orm) => S): S => {
    const known = groups.has(prepareAll) ? (groups.get(prepareAll) as S) : prepareAll(orm);
    groups.set(prepareAll, known);
    return known;
  };
}

interface KnownChat {
  /** The messenger's id of it. */
  chat: string;
  /** When it had its first message, ms. */
  createdAt: number;
}
const CHAT = `SELECT chat, created_at AS "createdAt" FROM chat WHERE channel_id = @channelId AND gateway_chat = @gatewayChat`;

/** Finds a chat by the gateway's id; undefined when it never had a message. */
export const knownChat = (tx: Transaction, channelId: string, gatewayChat: string): Verb<KnownChat | undefined> =>
  tx.row("chat", `${channelId} ${gatewayChat}`, () => first<KnownChat>(CHAT, { channelId, gatewayChat }));

// Conditions exactly as in the partial indexes: with bound values SQLite would scan the table instead.

export const LIVE = sql`${messages.state} IN ('ready','sending','waiting')`;
export const ENDED = sql`(${messages.state} IN ('held','dead') OR ${messages.ack} = 'refused')`;

/** SQL: whether a row counts as a message. */
export const OF_MESSAGE = `message.kind IN (${MESSAGE_KINDS.map((kind) => `'${kind}'`).join(",")})`;
export const IS_MESSAGE = sql.raw(OF_MESSAGE);

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Setting `head` to 0
// ends the lane's head; a trigger makes the next message the head.

/** SQL of a lane's live messages. `value`: SQL of the values that identify the lane. */
export const liveInLane = (value: (name: "channelId" | "direction" | "chat") => string): string =>
  `SELECT 1 FROM message WHERE channel_id = ${value("channelId")} AND direction = ${value("direction")}
    AND chat = ${value("chat")} AND state IN ('ready','sending','waiting')`;

/** SQL: whether an account works, as `works` decides, and whether a channel is paused, as its state says. */
export const ACCOUNT_WORKS = "account.active <> 0 AND account.frozen = 0 AND account.pause_reason IS NULL";
export const CHANNEL_PAUSED = "(channel.state = 'paused' OR channel.pause_reason IS NOT NULL)";

export const isLive = (state: MessageRow["state"]) => state === "ready" || state === "sending" || state === "waiting";
export const isOwed = (ack: MessageRow["ack"] | undefined) => ack === "due" || ack === "sending";
