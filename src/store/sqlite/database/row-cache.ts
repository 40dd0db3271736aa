import type Sqlite from "better-sqlite3";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import {
  type Head,
  type Hints,
  hint,
  hintsOfRest,
  LOOKS_AHEAD,
  partsOf,
  type Queue,
  type QueueDirection,
  type QueueOf,
  queuesWith,
} from "../../outbox/dealing.ts";
import { ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { ALL, BURIED_IN, ERASURE_KEY, hashOf, type MessageKey, nameHash } from "../../tables/erasing/erasures.ts";
import type { OtherWriters } from "./group-commit.ts";

type Table = "account" | "channel" | "note" | "chat";

/** What is read of some tables, until this or another connection writes to them. */
export interface RowCache {
  /**
   * A row's object; a write to another row leaves it, since opening its secrets costs time. The id of a note or a chat: its
   * channel's, a space and its key, or the gateway's id.
   */
  row<T>(table: Table, id: string, load: () => T | undefined): T | undefined;
  /** What else is read, by kind and key; forgotten at every write to accounts, channels and tombstones. */
  find<T>(what: string, key: string, load: () => T | undefined): T | undefined;
}

const EVENTS = ["INSERT", "UPDATE", "DELETE"];
/** What a trigger of a table calls, with the row. A chat never changes: it goes when its customer is erased. */
const FORGET: Record<string, (row: string) => string> = {
  account: (row) => `forget_row('account', ${row}.id, ${row}.id)`,
  channel: (row) => `forget_row('channel', ${row}.id, ${row}.account_id)`,
  note: (row) => `forget_key('note', ${row}.channel_id, ${row}.key)`,
  chat: (row) => `forget_key('chat', ${row}.channel_id, ${row}.gateway_chat)`,
  erased: () => "forget_found()",
};
/** Of one kind. */
const MAX_ROWS = 50_000;

interface Hooks {
  /** Of the write that is running, whose reads may be rolled back. */
  onUndo(undo: () => void): void;
  /** A row of this account is written. */
  changed(account: string): void;
}

export function createRowCache(sqlite: Sqlite.Database, others: OtherWriters, { onUndo, changed }: Hooks): RowCache {
  const rows = new Map<string, Map<string, unknown>>();
  const found = new Map<string, Map<string, unknown>>();
  const forget = () => {
    rows.clear();
    found.clear();
  };
  sqlite.function("forget_row", (table: string, id: string, account: string) => {
    rows.get(table)?.delete(id);
    found.clear();
    changed(account);
  });
  sqlite.function("forget_key", (table: string, channelId: string, key: string) => {
    rows.get(table)?.delete(`${channelId} ${key}`);
  });
  sqlite.function("forget_found", () => found.clear());
  // Temporary triggers see every writer of this connection.
  for (const [table, forgetting] of Object.entries(FORGET))
    for (const event of EVENTS)
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN
        SELECT ${forgetting(event === "DELETE" ? "OLD" : "NEW")}; END`);
  others.onWritten(forget);
  const findIn =
    (caches: Map<string, Map<string, unknown>>) =>
    <T>(what: string, key: string, load: () => T | undefined): T | undefined => {
      others.lookOnceATick();
      const known = caches.get(what)?.get(key) as T | undefined;
      if (known !== undefined) return known;
      const loaded = load();
      onUndo(forget);
      if (loaded === undefined) return undefined;
      // Only now: loading may forget.
      const cache = caches.get(what) ?? new Map<string, unknown>();
      if (cache.size >= MAX_ROWS) cache.clear();
      caches.set(what, cache.set(key, loaded));
      return loaded;
    };
  return { row: findIn(rows), find: findIn(found) };
}

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  /** Whether the channel has any. */
  areIn(channelId: string): boolean;
  has(of: MessageKey): boolean;
  /** The channel's whole account was erased: nothing more may be stored for it. */
  isGone(channelId: string): boolean;
  /** They write again: a new conversation. */
  lift(channelId: string, names: string[]): void;
  /** When one of them was buried last; undefined: never, or it was lifted. */
  buriedAt(channelId: string, names: string[]): number | undefined;
}

const AT = "SELECT at FROM erased WHERE channel_id = ? AND hash = ?";

export function createTombstones(sqlite: Sqlite.Database, rows: RowCache, sealer?: Sealer): Tombstones {
  const list = sqlite.prepare<[], string>(BURIED_IN).pluck();
  const known = sqlite.prepare<[string, string, string]>(
    "SELECT 1 FROM erased WHERE channel_id = ? AND hash IN (?, ?)",
  );
  const whenBuried = sqlite.prepare<[string, string], number>(AT).pluck();
  const remove = sqlite.prepare("DELETE FROM erased WHERE channel_id = ? AND hash = ?");
  const stored = sqlite.prepare<[], string>("SELECT value FROM meta WHERE key = 'erasure_key'").pluck();
  const sealed = () => {
    if (!sealer) throw new SealError("erased messages are hashed with a sealed key");
    return sealer;
  };
  const open = () => {
    const value = stored.get();
    return value === undefined ? undefined : ifOpens(() => sealed().open(value, ERASURE_KEY));
  };
  /** Undefined when there is none yet, or it does not open: then repeats are not known, but messages go on. */
  const readKey = () => rows.find("erasure key", "", open);
  const areIn = (channelId: string) =>
    rows.find("erased", "channels", () => new Set(list.all()))?.has(channelId) === true;
  const isGone = (channelId: string) => areIn(channelId) && known.get(channelId, ALL, ALL) !== undefined;
  /** Empty for most channels, at no cost. */
  const hashesOf = (channelId: string, names: string[]) => {
    const withKey = areIn(channelId) ? readKey() : undefined;
    return withKey === undefined ? [] : names.map((name) => nameHash(withKey, channelId, name));
  };
  return {
    has(of) {
      if (!areIn(of.channelId)) return false;
      const withKey = readKey();
      const hash = withKey === undefined || of.dedupeKey === null ? ALL : hashOf(withKey, of);
      return known.get(of.channelId, hash, ALL) !== undefined;
    },
    ...{ areIn, isGone },
    lift(channelId, names) {
      for (const hash of hashesOf(channelId, names)) remove.run(channelId, hash);
    },
    buriedAt(channelId, names) {
      const times = hashesOf(channelId, names).flatMap((hash) => whenBuried.get(channelId, hash) ?? []);
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
}

/** What is due, and a hint per queue of when it is. */
export interface Due {
  /** The account's hints, to be changed by claims. Within a write, one that is rolled back makes them unknown. */
  hints(accountId: AccountId): Hints;
  /** The first heads of a queue: inbound ones of known chats, then of new ones. */
  read(accountId: AccountId, queue: QueueOf, most: number): Queue[];
}

/** Triggers hint at what becomes due; a claim finds out what no longer is. */
const TRIGGERS = [
  `due_added AFTER INSERT ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `due_updated AFTER UPDATE OF state, head, run_at ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `ack_due AFTER UPDATE OF ack, ack_at ON message WHEN NEW.ack = 'due' BEGIN
    SELECT due_at(NEW.account_id, '', 'ack', NEW.ack_at); END`,
];
const HEADS = `SELECT id, channel_id AS channelId, run_at AS runAt FROM message
  WHERE channel_id = @channelId AND direction = @direction AND known = @known AND head = 1 AND state = 'ready'
  ORDER BY run_at, id LIMIT @most + 0`;
const OWED = `SELECT id, channel_id AS channelId, ack_at AS runAt FROM message
  WHERE account_id = @accountId AND ack = 'due' AND ack IN ('due','sending') ORDER BY ack_at, id LIMIT @most + 0`;

/** `onUndo`: of the write that is running. */
export function createDue(sqlite: Sqlite.Database, others: OtherWriters, onUndo: (undo: () => void) => void): Due {
  const accounts = new Map<AccountId, Hints>();
  const channelsOf = sqlite.prepare<[string], ChannelId>("SELECT id FROM channel WHERE account_id = ?").pluck();
  const heads = sqlite.prepare<[object], Head>(HEADS);
  const owed = sqlite.prepare<[object], Head>(OWED);

  const dueAt = (accountId: AccountId, channelId: ChannelId, direction: QueueDirection, at: number) => {
    const hints = accounts.get(accountId);
    if (hints) hint(hints, { direction, channelId, at, jobs: 1 });
  };
  sqlite.function("due_at", dueAt as (...values: unknown[]) => void);
  // Temporary triggers see every writer of this connection.
  for (const trigger of TRIGGERS) sqlite.exec(`CREATE TEMP TRIGGER ${trigger}`);
  others.onWritten(() => accounts.clear());

  const read: Due["read"] = (accountId, { direction, channelId }, most) => {
    if (direction === "ack") return [{ direction, channelId, known: 0, heads: owed.all({ accountId, most }) }];
    return partsOf(direction).map((known) => ({
      ...{ direction, channelId, known },
      heads: heads.all({ channelId, direction, known, most }),
    }));
  };
  const load = (accountId: AccountId): Hints => {
    const hints: Hints = new Map();
    for (const queue of queuesWith(channelsOf.all(accountId)))
      for (const left of hintsOfRest(read(accountId, queue, LOOKS_AHEAD), new Set())) hint(hints, left);
    return hints;
  };
  return {
    read,
    hints(accountId) {
      others.lookOnceATick();
      const hints = accounts.get(accountId) ?? load(accountId);
      accounts.set(accountId, hints);
      onUndo(() => accounts.delete(accountId));
      return hints;
    },
  };
}
