import { closeSync, cpSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { createLog } from "../../../../src/log.ts";
import { findDamage } from "../../../../src/store/care/find-damage.ts";
import { openStore } from "../../../../src/store/open.ts";
import { openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import { watchDamage, watchDatabase } from "../../../../src/watch/storage.ts";
import { diskOf, KEY_RING, oneChannel, temporaryFolder } from "../../../support/store.ts";

/** Fills the root page of a table with zeros. */
function zeroPageOf(file: string, table: string): void {
  const sqlite = new Sqlite(file);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  const page = sqlite.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
  const size = sqlite.pragma("page_size", { simple: true }) as number;
  sqlite.close();
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(size), 0, size, ((page ?? 0) - 1) * size);
  closeSync(handle);
}

describe("a page of zeros in the database", () => {
  it("is found while a server has the database open, and only then", async () => {
    const { folder } = await oneChannel();
    const file = join(folder, "gangway.db");
    expect(findDamage(file)).toBeUndefined();
    zeroPageOf(file, "audit");
    expect(findDamage(file)).toContain("audit");
  });

  it("does not delay a start; found then, it stops every write, is logged, and prevents the next start", async () => {
    const { clock, folder, store: before } = await oneChannel();
    const file = join(folder, "gangway.db");
    before.close();
    zeroPageOf(file, "audit");
    const store = await openStore({ folder, keyRing: KEY_RING, clock });
    const disk = diskOf(store);
    const lines: string[] = [];
    const lost: string[] = [];
    const log = createLog({ level: "info", write: (line) => lines.push(line) });
    watchDatabase(disk, { clock, log, lost: (why) => void lost.push(why) }).start();
    await store.ping();
    const watch = watchDamage({ ...disk, findDamage: async () => findDamage(file) }, log);
    watch.start();
    await watch.stop();
    await expect(store.ping()).rejects.toThrow("the database is damaged (audit");
    await clock.forward(1_000);
    expect(lost).toEqual([expect.stringContaining("is damaged")]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: "database.lost", todo: expect.stringContaining("gangway restore") },
    ]);
    const next = join(temporaryFolder(), "next");
    cpSync(folder, next, { recursive: true });
    expect(() => openDatabase(next)).toThrow(/is damaged \(.*gangway restore/);
  });
});
