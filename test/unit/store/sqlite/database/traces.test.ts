import { describe, expect, it } from "vitest";
import { openDatabase } from "../../../../../src/store/sqlite/database/db.ts";
import { owesRewrite, type Rewrite, rewriteHere, rewriteNow } from "../../../../../src/store/sqlite/database/traces.ts";
import { sqliteEngine } from "../../../../../src/store/sqlite/tables/engine.ts";
import { oweTraces } from "../../../../../src/store/tables/erasing/erasures.ts";
import { temporaryFolder } from "../../../../support/store.ts";

/** A database that owes a rewrite, with one under way. */
async function rewriting() {
  const db = openDatabase(temporaryFolder());
  await sqliteEngine(db).write(oweTraces);
  const { databaseFiles } = db;
  if (!databaseFiles) throw new Error("its files are not watched");
  let end: (done: boolean | string) => void = () => {};
  const rewrite: Rewrite = async (sqlite) => {
    // Shrinks the files.
    await rewriteHere(sqlite);
    sqlite.exec("INSERT INTO meta VALUES ('traces', 'anew')");
    return new Promise((resolve) => {
      end = resolve;
    });
  };
  const done = rewriteNow({ ...db, databaseFiles }, rewrite);
  return { db, databaseFiles, done, end: (result: boolean | string) => end(result) };
}

const ticks = async () => {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
};

describe("while the file is rewritten", () => {
  it("writes wait, reads do not, and the watched files may shrink", async () => {
    const { db, databaseFiles, done, end } = await rewriting();
    await ticks();
    let written = false;
    const writing = db.write(() => {
      written = true;
    });
    await ticks();
    expect(written).toBe(false);
    expect(owesRewrite(db.sqlite)).toBe(true);
    expect(databaseFiles.check()).toBeUndefined();
    end(true);
    expect(await done).toBe(true);
    await writing;
    expect([written, databaseFiles.check()]).toEqual([true, undefined]);
    db.close();
  });

  it.each(["SQLITE_BUSY", "SQLITE_FULL"])("it is put off on %s, and writes go on", async (code) => {
    const { db, done, end } = await rewriting();
    await ticks();
    end(code);
    expect(await done).toBe(false);
    expect(await db.write(() => 1)).toBe(1);
    db.close();
  });
});
