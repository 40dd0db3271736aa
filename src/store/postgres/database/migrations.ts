import { readFileSync } from "node:fs";
import { join } from "node:path";
import { journalOf } from "../../migrations.ts";
import { StoreError } from "../../store.ts";

// During a rolling upgrade two versions share the database, so migrations only add. One that removes something is a
// contract, marked by its first line: `-- contract: 0006_name`. It is applied once every running program knows at least
// that migration.

export interface Migration {
  /** Its file's, without the extension. Names sort in the order of the migrations. */
  name: string;
  statements: string[];
  /** Of a contract: the newest migration that a program must know at least. */
  oldest?: string;
  /** Each statement runs by itself, outside transactions: it would not run within one. */
  concurrent: boolean;
}

const CONTRACT = /^-- contract: (\S+)$/m;
const CONCURRENT = /^(CREATE|DROP)\b.*\bINDEX CONCURRENTLY\b/m;

/** The migrations in a folder, oldest first. */
export const readMigrations = (folder: string): Migration[] =>
  journalOf(folder).map(({ tag }) => parseMigration(tag, readFileSync(join(folder, `${tag}.sql`), "utf8")));

export function parseMigration(name: string, text: string): Migration {
  return {
    name,
    statements: text.split("--> statement-breakpoint").filter((each) => each.trim() !== ""),
    oldest: CONTRACT.exec(text)?.[1],
    concurrent: CONCURRENT.test(text),
  };
}

export const tooOld = (contract: string): StoreError =>
  new StoreError(
    `the database of DATABASE_URL is from a newer version of Gangway, whose migration ${contract} this program is too old for: start that version`,
    "old",
  );
