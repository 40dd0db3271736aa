import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./store.ts";

/** A copy of the data folder as `kill -9` would leave it now. */
export function killedCopy(folder: string): string {
  const left = temporaryFolder();
  cpSync(folder, left, { recursive: true });
  return left;
}

const DAMAGE_BYTES = 3_000;

/** Damages the middle of the database's log: SQLite drops it from there on, and says nothing. */
export function damageLog(folder: string): void {
  const file = join(folder, "gangway.db-wal");
  const log = readFileSync(file);
  log.fill(0xa5, log.length / 2, log.length / 2 + DAMAGE_BYTES);
  writeFileSync(file, log);
}
