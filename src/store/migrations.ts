import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json, found from any depth of a build or bundle. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

export const migrationsFolder = (engine: "sqlite" | "postgres"): string => join(packageFolder(), "migrations", engine);

interface Entry {
  /** The migration's file name, without the extension. */
  tag: string;
  /** Unix time in ms; on SQLite a migration's number. */
  when: number;
}

/** The migrations of a folder, oldest first, from its journal alone: most starts need none of the files. */
export function journalOf(folder: string): Entry[] {
  const journal = readFileSync(join(folder, "meta", "_journal.json"), "utf8");
  return (JSON.parse(journal) as { entries: Entry[] }).entries;
}

/** Completes the error about a database that is older than the first migration. */
export const tooOldToMigrate = (last: string): string =>
  `is older than Gangway's first version: start a build whose last migration is ${last} once, then this one`;
