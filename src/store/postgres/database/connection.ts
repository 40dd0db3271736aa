import type { Writable } from "node:stream";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { errorCode } from "gangway-messenger/errors";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { createLoop, type Loop } from "../../../domain/loop.ts";
import { StoreError } from "../../store.ts";
import { type Engine, first, type Verb } from "../../tables/engine.ts";
import { extendDeadlines } from "../../tables/messages/messages.ts";
import { NOW } from "../tables/leases.ts";
import { asStoreError } from "./faults.ts";

/** Hears of statements refused for lack of disk space, and of commits. */
interface Space {
  refused(error: unknown): void;
  stored(): void;
}

/** PostgreSQL's code for a full disk, of its data or of its log. */
const DISK_FULL = "53100";
/** Commits prove nothing for so long after a refusal, ms: small ones may still find room. */
const QUIET_MS = 10_000;

/** Tells once, with the error, that PostgreSQL's disk is full, and once, with undefined, that it stores again. */
export function watchSpace(tell: (full?: Error) => void = () => undefined, clock: Clock = systemClock): Space {
  let refusedAt: number | undefined;
  return {
    refused(error) {
      if (!(error instanceof Error) || errorCode(error) !== DISK_FULL) return;
      const isNew = refusedAt === undefined;
      refusedAt = clock.monotonic();
      if (isNew) tell(error);
    },
    stored() {
      if (refusedAt === undefined || clock.monotonic() < refusedAt + QUIET_MS) return;
      refusedAt = undefined;
      tell();
    },
  };
}

/** A noncharacter of Unicode: no program exchanges it. */
const MARK = "\uFDD0";
const NUL = "\0";
const UNFIT = new RegExp(`[${NUL}${MARK}]`, "g");

/** PostgreSQL's texts hold no NUL: it is stored as the mark and 0, and the mark itself as the mark and 1. */
export const storedText = (text: string): string =>
  text.includes(NUL) || text.includes(MARK) ? text.replace(UNFIT, (found) => MARK + (found === NUL ? 0 : 1)) : text;

/** Reverses `storedText`. */
const readText = (stored: string): string =>
  stored.includes(MARK) ? stored.replace(/\uFDD0([01])/g, (_, which) => (which === "0" ? NUL : MARK)) : stored;

export const storedValue = (value: unknown): unknown => (typeof value === "string" ? storedText(value) : value);

/** The oldest version that still gets fixes. */
const MIN_VERSION = 150_000;
const MAX_CONNECTIONS = 10;
/** No statement of a server takes as long, ms; a migration may. */
const STATEMENT_MS = 30_000;
/**
 * A process stalled in a transaction holds rows. This timeout, ms, frees them before others may take its accounts,
 * which is seven seconds after its last sign at the earliest.
 */
const STANDSTILL_MS = 5_000;
const CONNECT_MS = 10_000;
/** A connection without an answer for so long is lost, ms: the database's machine may have vanished without a word. */
const ANSWER_MS = STATEMENT_MS + 10_000;
/** How long a statement waits for a lock, ms: Gangway holds its own for a moment, or for seconds on a busy disk. */
const LOCK_MS = 5_000;

/** A statement that changes accounts or channels. */
const WRITES_ROWS = /\b(insert into|update|delete from)\s+"?(account|channel)"?[\s(]/i;

interface ConnectOptions {
  /** A connection has committed changes of accounts or channels. */
  onRows?(): void;
  space?: Space;
  /** Default ANSWER_MS; 0: no limit. */
  answerMs?: number;
}

/**
 * Opens connections to a database that keeps what it confirms, or throws StoreError. `onLost`: one was lost, or
 * (undefined) one was made again.
 */
export async function connect(
  url: string,
  onLost: (error?: Error) => void,
  { onRows = () => undefined, space = watchSpace(), answerMs = ANSWER_MS }: ConnectOptions = {},
): Promise<Pool> {
  // Loaded only here: most servers run on SQLite.
  const { default: pg } = await import("pg");
  // Counts, sums and times are integers well below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
  pg.types.setTypeParser(pg.types.builtins.TEXT, readText);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "gangway",
    max: MAX_CONNECTIONS,
    // Statements are sent without waiting for the answers to those before.
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: answerMs,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: STANDSTILL_MS,
    keepAlive: true,
  });
  let isLost = false;
  // All connections are lost at once when the server stops: report that once.
  const lost = (error: Error) => {
    if (!isLost) onLost(error);
    isLost = true;
  };
  pool.on("error", lost);
  // A connection in use reports its loss to its caller, too; without a listener this event would end the process.
  pool.on("connect", (client) => {
    if (isLost) onLost();
    isLost = false;
    client.on("error", lost);
    sendTogether(client);
    watchQueries(client, onRows, space);
  });
  try {
    const client = await pool.connect();
    await assertSafe(client).finally(() => client.release());
    return pool;
  } catch (error) {
    await pool.end();
    throw asStoreError(error, url);
  }
}

/** For a session whose statements may take long; it must end with them. */
export async function withoutStatementTimeout(client: PoolClient): Promise<void> {
  const { connectionParameters } = client as unknown as { connectionParameters: { query_timeout: number } };
  connectionParameters.query_timeout = 0;
  await client.query("SET statement_timeout = 0");
}

type Query = (config: string | QueryConfig, values?: unknown[]) => Promise<QueryResult>;

/** Writes the statements of one turn to the socket at once: each write costs more than building a statement. */
function sendTogether(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  const query = client.query as Query;
  let isCorked = false;
  client.query = ((...given: Parameters<Query>) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return query.apply(client, given);
  }) as Query as typeof client.query;
}

const writers = new Map<string, boolean>();

/** Whether the text may change accounts or channels. */
function writesRows(text: string): boolean {
  const known = writers.get(text) ?? WRITES_ROWS.test(text);
  writers.set(text, known);
  return known;
}

/** Watches for changed rows and for disk space in one wrapper: each promise costs. */
function watchQueries(client: PoolClient, onRows: () => void, space: Space): void {
  const query = client.query as Query;
  let [isOpen, hasWritten] = [false, false];
  client.query = (async (...given: Parameters<Query>) => {
    // `Pool.query` passes a callback: such a statement is not watched.
    if (given.some((each) => typeof each === "function")) return query.apply(client, given);
    const [config] = given;
    const text = typeof config === "string" ? config : config.text;
    if (text.startsWith("BEGIN")) [isOpen, hasWritten] = [true, false];
    const writes = writesRows(text);
    let result: QueryResult;
    try {
      result = await query.apply(client, given);
    } catch (error) {
      space.refused(error);
      throw error;
    }
    if (result.command === "COMMIT") space.stored();
    // A SELECT may write in a WITH clause, and its row count is of other rows.
    hasWritten ||= writes && (result.rowCount !== 0 || result.command === "SELECT");
    const ends = text === "COMMIT" || text === "ROLLBACK";
    if (hasWritten && (ends || !isOpen)) onRows();
    if (ends) isOpen = false;
    if (ends || !isOpen) hasWritten = false;
    return result;
  }) as Query as typeof client.query;
}

interface Found {
  version: number;
  release: string;
  encoding: string;
  commits: string;
  replica: boolean;
  readOnly: string;
}

const LOOK = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS release,
  current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commits,
  pg_is_in_recovery() AS replica, current_setting('transaction_read_only') AS "readOnly"`;

async function assertSafe(client: PoolClient): Promise<void> {
  const { rows } = await client.query<Found>(LOOK);
  const why = rows[0] && unsafe(rows[0]);
  if (why) throw new StoreError(`DATABASE_URL names ${why}`);
}

/** What is wrong with a server, for the operator. */
export function unsafe({ version, release, encoding, commits, replica, readOnly }: Found): string | undefined {
  if (version < MIN_VERSION)
    return `PostgreSQL ${release}, which is too old: ${MIN_VERSION / 10_000} or newer is needed`;
  if (replica) return "a replica, which takes no writes: name the primary";
  if (readOnly === "on") return "a database that takes no writes: default_transaction_read_only must be off";
  if (encoding !== "UTF8") return `a database with the encoding ${encoding}: create one with ENCODING 'UTF8'`;
  if (commits === "off")
    return "a database that confirms a commit before it is on the disk: synchronous_commit must not be off";
  return undefined;
}

// What one process stores as due, another claims, so all follow the database's clock, whatever their machines say. A
// step of that clock counts once it has lasted a minute, as one of a machine's does (gangway-messenger/clock). Until
// then the row `clock` of `meta` tells all processes, also new ones, how far they are behind the database's clock.

/** Processes adopt a step within this time of each other. */
const LOOK_MS = 1_000;
/** Smaller differences are clocks being slewed, ms. */
const STEP_MS = 1_000;
const LASTING_MS = 60_000;

/** `state`: how many steps were adopted, and how far all are behind, ms. */
const READ_CLOCK = `SELECT ${NOW} AS now, coalesce((SELECT value FROM meta WHERE key = 'clock'), '0 0') AS state`;
const SET = `INSERT INTO meta (key, value) VALUES ('clock', @next)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE meta.value = @was RETURNING value`;

/** False when another process was faster. */
function* change(was: string, next: string): Verb<boolean> {
  return (yield* first(SET, { was, next })) !== undefined;
}

/** Adopts a step. Time that the clock skips brings no deadline closer. */
function* adopt(was: string, steps: number, behind: number): Verb<void> {
  if ((yield* change(was, `${steps + 1} 0`)) && behind > 0) yield* extendDeadlines(behind);
}

type Time = Pick<Engine, "read" | "write">;

/** Makes the clock follow the database's, if it can. Resolves after the first look, with the loop that goes on. */
export async function followTime(engine: Time, clock: Clock): Promise<Loop | undefined> {
  if (!clock.follow) return undefined;
  const round = follower(engine, clock);
  await round();
  // A lost connection is reported elsewhere.
  const loop = createLoop({ clock, everyMs: LOOK_MS, waitsFirst: true, round, failed: () => undefined });
  void loop.start();
  return loop;
}

function follower({ read, write }: Time, clock: Clock): () => Promise<void> {
  /** Steps adopted by this process. */
  let adopted: number | undefined;
  /** The state that this process has written for a step that it saw. */
  let proposed: string | undefined;
  let waiting: { state: string; since: number } | undefined;

  return async function look(): Promise<void> {
    const asked = clock.monotonic();
    const row = await read(() => first<{ now: number; state: string }>(READ_CLOCK));
    if (!row) return;
    const { now, state } = row;
    const at = clock.monotonic();
    const [steps = 0, behind = 0] = state.split(" ").map(Number);
    const [earliest, latest] = [now - behind, now - behind + at - asked];
    const off = Math.max(0, earliest - clock.now()) + Math.min(0, latest - clock.now());
    // Another process has taken the proposal back: only this process had stood still.
    const alone = proposed !== undefined && proposed !== state;
    if (alone) proposed = undefined;
    if (Math.abs(off) > STEP_MS && steps === adopted && !alone) {
      const next = `${steps} ${behind + off}`;
      if (await write(() => change(state, next))) proposed = next;
      return;
    }
    clock.follow?.(earliest, latest);
    adopted = steps;
    if (behind === 0) waiting = undefined;
    else if (waiting?.state !== state) waiting = { state, since: at };
    else if (at - waiting.since >= LASTING_MS) {
      await write(() => adopt(state, steps, behind), "lanes");
      await look();
    }
  };
}
