import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type Sqlite from "better-sqlite3";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import { journalOf, migrationsFolder, tooOldToMigrate } from "../../migrations.ts";
import { StoreError } from "../../store.ts";
import { owesRewrite, rewriteAtStart } from "./traces.ts";

/** Free space that a migration needs, as a multiple of the database: the new tables are in the log before the file. */
const ROOM = 2.5;
const MIB = 1024 * 1024;
/** Memory for pages during a migration, KiB: keys arrive in no order. */
const CACHE_KIB = 64 * 1024;

type Statfs = (folder: string) => { bavail: number; bsize: number };
/** For tests: `folder` of the migrations. */
export interface MigrateOptions {
  statfs?: Statfs;
  folder?: string;
}

const ours = () => migrationsFolder("sqlite");
/** The last migration before the baseline, which creates the same tables and has the same number. */
const BEFORE_BASELINE = "0030_unanswered_starts";

/** The newest migration that this program knows. */
export const newestSchema = (folder = ours()): number => journalOf(folder).at(-1)?.when ?? 0;

/** The newest migration applied to a database; 0 when it is not ours. */
export function schemaVersion(sqlite: Sqlite.Database): number {
  const known = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get();
  if (!known) return 0;
  return sqlite.prepare("SELECT max(created_at) FROM __drizzle_migrations").pluck().get() as number;
}

/** Why this program cannot migrate a database of this version; undefined if it can. */
export const beforeBaseline = (version: number, folder = ours()): string | undefined =>
  version > 0 && version < (journalOf(folder)[0]?.when ?? 0) ? tooOldToMigrate(BEFORE_BASELINE) : undefined;

/** Applies missing migrations in one transaction: all or none. Throws StoreError. */
export function migrateTables<S extends Record<string, unknown>>(
  orm: BetterSQLite3Database<S>,
  sqlite: Sqlite.Database,
  { statfs = statfsSync, folder = ours() }: MigrateOptions = {},
): void {
  const [actual, newest] = [schemaVersion(sqlite), newestSchema(folder)];
  if (actual > newest)
    throw new StoreError(
      `the database ${sqlite.name} is from a newer version of Gangway than this program: start that version`,
    );
  const tooOld = beforeBaseline(actual, folder);
  if (tooOld) throw new StoreError(`the database ${sqlite.name} ${tooOld}`);
  if (actual === newest && !owesRewrite(sqlite)) return;
  if (actual > 0 && actual < newest) assertRoom(sqlite, statfs);
  const restore = sortOnDisk(sqlite);
  if (actual < newest) applyMigrations(orm, sqlite, folder);
  rewriteAtStart(sqlite);
  restore();
}

function applyMigrations<S extends Record<string, unknown>>(
  orm: BetterSQLite3Database<S>,
  sqlite: Sqlite.Database,
  folder: string,
): void {
  try {
    migrate(orm, { migrationsFolder: folder });
  } catch (error) {
    // SQLite has rolled back by itself, and the migrator's own rollback hides the cause.
    if (!(error instanceof Error) || !String(error.cause).includes("no transaction is active")) throw error;
    throw new StoreError(
      `the tables of ${sqlite.name} cannot be migrated: the disk is full or failing`,
      "perhaps-full",
    );
  }
}

/** Sorting a large database's keys in memory would take as much memory as the database. Returns an undo function. */
function sortOnDisk(sqlite: Sqlite.Database): () => void {
  const names = ["cache_size", "temp_store"];
  const usual = names.map((name) => `${name} = ${sqlite.pragma(name, { simple: true })}`);
  for (const pragma of [`cache_size = -${CACHE_KIB}`, "temp_store = FILE"]) sqlite.pragma(pragma);
  return () => {
    for (const pragma of usual) sqlite.pragma(pragma);
  };
}

function assertRoom(sqlite: Sqlite.Database, statfs: Statfs): void {
  const read = (name: string) => sqlite.pragma(name, { simple: true }) as number;
  const needed = ROOM * read("page_count") * read("page_size");
  const { bavail, bsize } = statfs(dirname(sqlite.name));
  const free = bavail * bsize;
  if (free >= needed) return;
  const inMib = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
  throw new StoreError(
    `to migrate the database ${sqlite.name}, ${inMib(needed)} must be free on its disk, and ${inMib(free)} are: free some space`,
    "full",
  );
}
