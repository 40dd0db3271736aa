import type Sqlite from "better-sqlite3";
import type { OtherWriters } from "./other-writers.ts";

type Table = "account" | "channel" | "note";

/** Rows of accounts, channels and notes as objects, until this or another connection writes to them. */
export interface RowCache {
  /** A row's object; a write to another row leaves it, since opening its secrets costs time. A note's id: its channel's, a space and its key. */
  row<T>(table: Table, id: string, load: () => T | undefined): T | undefined;
  /** What else is read of accounts and channels, by kind and key; forgotten at every write to them. */
  find<T>(what: string, key: string, load: () => T | undefined): T | undefined;
}

const EVENTS = ["INSERT", "UPDATE", "DELETE"];
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
  // Temporary triggers see every writer of this connection.
  sqlite.function("forget_row", (table: string, id: string, account: string) => {
    rows.get(table)?.delete(id);
    found.clear();
    changed(account);
  });
  sqlite.function(
    "forget_note",
    (channelId: string, key: string) => void rows.get("note")?.delete(`${channelId} ${key}`),
  );
  const after = (event: string, table: Table, forgetRow: (row: string) => string) =>
    sqlite.exec(`CREATE TEMP TRIGGER ${table}_${event} AFTER ${event} ON ${table} BEGIN
      SELECT ${forgetRow(event === "DELETE" ? "OLD" : "NEW")}; END`);
  for (const event of EVENTS) {
    after(event, "account", (row) => `forget_row('account', ${row}.id, ${row}.id)`);
    after(event, "channel", (row) => `forget_row('channel', ${row}.id, ${row}.account_id)`);
    after(event, "note", (row) => `forget_note(${row}.channel_id, ${row}.key)`);
  }
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
