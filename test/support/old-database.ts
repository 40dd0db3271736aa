import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "migrations", "sqlite");
/** Rows that a server of before the tables of one row an event has written. */
const STORED = join(import.meta.dirname, "..", "store", "care", "old-database.json");
/** Migrations before those tables. */
export const BEFORE_ONE_ROW = 14;

/** A database after the first `count` migrations. */
export function oldDatabase(folder: string, count: number): Sqlite.Database {
  const old = join(folder, "migrations");
  mkdirSync(join(old, "meta"), { recursive: true });
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, "meta", "_journal.json"), "utf8"));
  journal.entries = journal.entries.slice(0, count);
  for (const { tag } of journal.entries) cpSync(join(MIGRATIONS, `${tag}.sql`), join(old, `${tag}.sql`));
  writeFileSync(join(old, "meta", "_journal.json"), JSON.stringify(journal));
  const sqlite = new Sqlite(join(folder, "gangway.db"));
  migrate(drizzle(sqlite), { migrationsFolder: old });
  return sqlite;
}

type Row = Record<string, string | number>;
export interface Stored {
  /** What the old server answered. */
  before: {
    account: string;
    channels: string[];
    long: string;
    digest: string;
    now: number;
    ledger: Row[];
    ids: Record<string, { gatewayId: string | null; parts: unknown[]; head: string; current: string }>;
  };
  rows: Record<string, Row[]>;
}

/** The stored database, in the folder; close it. */
export function storedDatabase(folder: string): { sqlite: Sqlite.Database; stored: Stored } {
  const stored = JSON.parse(readFileSync(STORED, "utf8")) as Stored;
  const sqlite = oldDatabase(folder, BEFORE_ONE_ROW);
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("foreign_keys = OFF");
  for (const [table, rows] of Object.entries(stored.rows)) {
    sqlite.exec(`DELETE FROM ${table}`);
    for (const row of rows) {
      const names = Object.keys(row);
      const values = names.map((name) => `@${name}`);
      sqlite.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${values.join(", ")})`).run(row);
    }
  }
  return { sqlite, stored };
}
