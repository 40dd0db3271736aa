import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockInstance } from "../../src/store/disk/instance-lock.ts";
import { createDatabase } from "../../src/store/sqlite/database/db.ts";
import { onPostgres } from "./engine.ts";

/** What a first start makes in an empty folder, by file name: migrating takes longer than most tests. */
let files: Map<string, Buffer> | undefined;

function newDatabase(): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-new-"));
  try {
    const unlock = lockInstance(folder);
    createDatabase(folder);
    unlock();
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a new database into an empty folder, as its first start would make it there. */
export function putNewDatabase(folder: string): void {
  if (onPostgres || !existsSync(folder) || readdirSync(folder).length > 0) return;
  files ??= newDatabase();
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}
