import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Of the package: where its package.json is, at any depth of a build or bundle. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

export const migrationsFolder = (engine: "sqlite" | "postgres"): string => join(packageFolder(), "migrations", engine);

interface Entry {
  /** Its file's name, without the extension. */
  tag: string;
  /** Unix time in ms; on SQLite a migration's number. */
  when: number;
}

/** The migrations of a folder, oldest first, by their journal: most starts need none of their files. */
export function journalOf(folder: string): Entry[] {
  const journal = readFileSync(join(folder, "meta", "_journal.json"), "utf8");
  return (JSON.parse(journal) as { entries: Entry[] }).entries;
}

/** What a database lacks that is older than the first migration. */
export const tooOldToMigrate = (last: string): string =>
  `is older than Gangway's first version: start a build whose last migration is ${last} once, then this one`;
