import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { MESSAGE_KINDS } from "../../domain/message.ts";
import type * as schema from "./schema.ts";
import { type MessageRow, messages } from "./schema.ts";

// Verbs that both engines share are generators: each yields its statements and gets their rows. SQLite runs a verb in one go,
// within the transaction that it shares with others; PostgreSQL awaits each statement, in a transaction of the verb's own.

/** Builds statements of `schema.ts`. In SQLite's types, of which both engines understand what the verbs use. */
export type Orm = BetterSQLite3Database<typeof schema>;

type Values = Record<string, unknown>;

/** Built or prepared, or SQL text that names its values as `@name`. */
interface Query<T> {
  all(values?: Values): T[];
}
interface Command {
  run(values?: Values): unknown;
}

export interface Statement {
  query: string | SQL | Query<unknown> | Command;
  values?: Values;
  /** False: it returns none. */
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

/** A list for the text of a statement. */
export const listed = (values: unknown[]) => ({
  list: values.map((_, n) => `@of${n}`).join(),
  values: Object.fromEntries(values.map((value, n) => [`of${n}`, value])) as Values,
});

/** Rows for the text of a statement: as many as a power of two, since each text is prepared once a connection. */
export function rowsListed(rows: unknown[][]): ReturnType<typeof listed> {
  const padded = Array.from({ length: 2 ** Math.ceil(Math.log2(rows.length)) }, (_, n) => rows[n] ?? rows[0] ?? []);
  let n = 0;
  return { list: padded.map((row) => `(${row.map(() => `@of${n++}`)})`).join(), values: listed(padded.flat()).values };
}

// What a database says of itself, by key.

export function* metaOf(key: string): Verb<string | undefined> {
  return (yield* first<{ value: string }>("SELECT value FROM meta WHERE key = @key", { key }))?.value;
}

/** Undefined removes it. */
export const setMeta = (key: string, value: string | undefined): Verb<void> =>
  value === undefined ? run("DELETE FROM meta WHERE key = @key", { key }) : run(SET_META, { key, value });
const SET_META = `INSERT INTO meta (key, value) VALUES (@key, @value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** A select list that names columns as the verbs do. Quoted: PostgreSQL would fold the names to lower case. */
export const columns = <T extends SQLiteTable>(
  table: T,
  names: readonly (keyof T["_"]["columns"] & string)[],
): string => names.map((name) => `${getTableColumns(table)[name]?.name} AS "${name}"`).join(", ");

/**
 * A LIMIT as part of the text. SQLite recompiles a statement whose LIMIT is a parameter on each run, because the value affects
 * the plan (measured for a lane's head: 23 µs instead of 3).
 */
export const upTo = (limit: number) => sql.raw(String(limit)) as unknown as number;

/** The ledger's sums, apart from the rows, so that a lost row shows as a hole. */
export const COUNTS = [
  ...["accepted", "delivered", "refused", "messagesDelivered", "messagesRefused"],
  ...["acksOwed", "acksGiven", "acksRefused"],
] as const;
/** When the last message of each direction came, ms. */
export const TIMES = ["lastInboundAt", "lastOutboundAt"] as const;
export type Counts = Partial<Record<(typeof COUNTS)[number], number>>;
export type Times = Partial<Record<(typeof TIMES)[number], number>>;
/** What a channel's sums grow by. */
export type Booking = Pick<MessageRow, "accountId" | "channelId"> & Counts & Times;

/** What a verb's statements are built with, and what else depends on the engine. */
export interface Transaction {
  orm: Orm;
  /** Built once, on first use. */
  statements<S>(prepareAll: (orm: Orm) => S): S;
  /** The object of a row of this table. SQLite keeps it until the row is written. */
  row<T>(
    table: "account" | "limits" | "channel" | "note" | "chat",
    id: string,
    load: () => Verb<T | undefined>,
  ): Verb<T | undefined>;
  /** What else is read from these tables; kept until one of them is written. */
  find<T>(what: string, key: string, load: () => Verb<T | undefined>): Verb<T | undefined>;
  /** Something that the account's pages show has changed. */
  changed(accountId: string): void;
  /** Whether something about one of these may still be stored: not for an erased account, nor from work that began before an erasure. */
  mayStore(channelId: string, names: string[]): Verb<boolean>;
  isAccountErased(accountId: string): Verb<boolean>;
  /** Joins live messages to what names their channel, so that only the index of live messages is read. */
  joinLive: SQL;
  /** Reads only what this partial index of messages holds: SQLite would read the table where its statistics mislead it. */
  indexedBy(name: string): SQL;
  /**
   * Until the transaction ends, nobody else adds to the lanes of a chat, or of a whole channel, or ends their heads. Call it
   * before reading them, in a write of lanes.
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
   * One transaction; a throw undoes it. `work` may run again. `lanes`: each statement sees what others have committed until
   * then, so `work` holds the lanes that it reads or changes; else it sees no change of others at all.
   */
  write<T>(work: (tx: Transaction) => Verb<T>, how?: "lanes"): Promise<T>;
}

/** Rows of a table as objects: one each, whatever it was found by. */
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

/** `Transaction.statements` of what builds with this. */
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

/** By the gateway's id; undefined when it never had a message. */
export const knownChat = (tx: Transaction, channelId: string, gatewayChat: string): Verb<KnownChat | undefined> =>
  tx.row("chat", `${channelId} ${gatewayChat}`, () => first<KnownChat>(CHAT, { channelId, gatewayChat }));

// Conditions exactly as in the partial indexes: with bound values SQLite would scan the table instead.

export const LIVE = sql`${messages.state} IN ('ready','sending','waiting')`;
export const ENDED = sql`(${messages.state} IN ('held','dead') OR ${messages.ack} = 'refused')`;

/** SQL: whether a row counts as a message. */
export const OF_MESSAGE = `message.kind IN (${MESSAGE_KINDS.map((kind) => `'${kind}'`).join(",")})`;
export const IS_MESSAGE = sql.raw(OF_MESSAGE);

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Whatever sets `head` to 0
// ends the lane's head; a trigger of the table makes the next message the head.

/** SQL of the live messages of a lane. `value`: SQL of a value that names it. */
export const liveInLane = (value: (name: "channelId" | "direction" | "chat") => string): string =>
  `SELECT 1 FROM message WHERE channel_id = ${value("channelId")} AND direction = ${value("direction")}
    AND chat = ${value("chat")} AND state IN ('ready','sending','waiting')`;

/** SQL: whether the account's traffic flows, as `works` says, and whether the channel is paused, as its state says. */
export const ACCOUNT_WORKS = "account.active <> 0 AND account.frozen = 0 AND account.pause_reason IS NULL";
export const CHANNEL_PAUSED = "(channel.state = 'paused' OR channel.pause_reason IS NOT NULL)";

export const isLive = (state: MessageRow["state"]) => state === "ready" || state === "sending" || state === "waiting";
export const isOwed = (ack: MessageRow["ack"] | undefined) => ack === "due" || ack === "sending";
