import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockInstance } from "../../src/store/disk/instance-lock.ts";
import { createDatabase } from "../../src/store/sqlite/database/db.ts";
import { onPostgres } from "./engine.ts";

/** What a first start makes in an empty folder, by file name. Migrating takes longer than most tests. */
let made: Map<string, string> | undefined;

function makeOnce(): Map<string, string> {
  if (made) return made;
  const folder = mkdtempSync(join(tmpdir(), "gangway-new-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const unlock = lockInstance(folder);
  createDatabase(folder);
  unlock();
  made = new Map(readdirSync(folder).map((name) => [name, join(folder, name)]));
  return made;
}

/** Copies a new database into a folder that has none, as its first start would make it there. */
export function putNewDatabase(folder: string): void {
  if (onPostgres || readdirSync(folder).length > 0) return;
  for (const [name, file] of makeOnce()) cpSync(file, join(folder, name));
}
