import { readFileSync } from "node:fs";
import { join } from "node:path";
import { journalOf } from "../../migrations.ts";
import { StoreError } from "../../store.ts";

// Versions share a database while processes are exchanged one by one. A migration only adds, so that older programs go
// on. One that takes something away is a contract, marked by its first line: `-- contract: 0006_name`. It needs
// programs that know at least that migration, and is applied once no older one runs.

export interface Migration {
  /** File name without the extension. Names sort in the order of the migrations. */
  name: string;
  statements: string[];
  /** Contracts only: the newest migration that a running program must know at least. */
  oldest?: string;
  /** Each statement runs by itself, because it cannot run in a transaction. */
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
