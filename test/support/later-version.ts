import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "../../src/store/migrations.ts";
import { temporaryFolder } from "./store.ts";

/** The baseline alone, whatever migrations have followed. Returns its folder. */
export function baselineOf(engine: "sqlite" | "postgres"): string {
  const folder = laterVersion(engine, {});
  const path = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  return folder;
}

/** The migrations of a later version: ours, and those given by name. Returns their folder. */
export function laterVersion(engine: "sqlite" | "postgres", added: Record<string, string>): string {
  const folder = temporaryFolder();
  cpSync(migrationsFolder(engine), folder, { recursive: true });
  const path = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  for (const [tag, text] of Object.entries(added)) {
    writeFileSync(join(folder, `${tag}.sql`), text);
    const { idx, when, version } = journal.entries.at(-1);
    journal.entries.push({ idx: idx + 1, when: when + 1, version, tag, breakpoints: true });
  }
  writeFileSync(path, JSON.stringify(journal));
  return folder;
}
