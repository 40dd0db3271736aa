import type Sqlite from "better-sqlite3";
import type { OtherWriters } from "./other-writers.ts";

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
