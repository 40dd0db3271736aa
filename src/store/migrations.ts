import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Next to package.json, at any depth of a build or bundle. */
export function migrationsFolder(engine: "sqlite" | "postgres"): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "migrations", engine);
}

/** The newest migration that this program knows, by the migrations' journal: most starts need none of their files. */
export function newestMigration(engine: "sqlite" | "postgres"): number {
  const journal = readFileSync(join(migrationsFolder(engine), "meta", "_journal.json"), "utf8");
  const { entries } = JSON.parse(journal) as { entries: { when: number }[] };
  return Math.max(...entries.map(({ when }) => when));
}
