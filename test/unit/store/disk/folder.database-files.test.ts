import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import { unreachable } from "../../../support/disk.ts";
import { customerSays } from "../../../support/events.ts";
import { oneChannel, temporaryFolder, temporaryStore } from "../../../support/store.ts";

const aside = (file: string) => renameSync(file, `${file}.aside`);
const TAKEN: [string, (folder: string) => void, string][] = [
  ["the database is deleted", (folder) => rmSync(join(folder, "gangway.db")), "gangway.db was deleted"],
  ["the database is moved away", (folder) => aside(join(folder, "gangway.db")), "gangway.db was deleted"],
  [
    "the database is replaced",
    (folder) => {
      aside(join(folder, "gangway.db"));
      new Sqlite(join(folder, "gangway.db")).exec("CREATE TABLE other (a)").close();
    },
    "gangway.db was replaced",
  ],
  ["its log is deleted", (folder) => rmSync(join(folder, "gangway.db-wal")), "gangway.db-wal was deleted"],
  ["its shared memory is deleted", (folder) => rmSync(join(folder, "gangway.db-shm")), "gangway.db-shm was deleted"],
  ["the database is cut", (folder) => truncateSync(join(folder, "gangway.db")), "gangway.db was overwritten"],
  [
    "an older copy is written over the database",
    (folder) => writeFileSync(join(folder, "gangway.db"), Buffer.alloc(8_192)),
    "gangway.db was overwritten",
  ],
  ["its log is cut", (folder) => truncateSync(join(folder, "gangway.db-wal")), "gangway.db-wal was overwritten"],
  ["the lock is deleted", (folder) => rmSync(join(folder, "instance.lock")), "instance.lock was deleted"],
  ["the whole folder is deleted", (folder) => rmSync(folder, { recursive: true }), "gangway.db was deleted"],
  ["the folder cannot be entered", unreachable, "gangway.db can no longer be read (ELOOP)"],
];

describe("when, under a running server,", () => {
  it.each(TAKEN)("%s, no write is confirmed any more", async (_, take, words) => {
    const { folder, store, channel } = await oneChannel();
    const say = (name: string) => store.outbox.acceptInbound(channel, { events: [customerSays(name)] });
    await say("before");
    expect(store.disk?.files?.check()).toBeUndefined();
    take(folder);
    const why = expect.stringContaining(words);
    for (const name of ["first", "second"])
      await expect(say(name)).rejects.toMatchObject({ kind: "lost", message: why });
    await expect(store.ping()).rejects.toMatchObject({ kind: "lost" });
    expect(store.disk?.files?.check()).toEqual(why);
    expect(await store.disk?.files?.lost).toMatchObject({ why });
  });

  it("its log is cut during a commit, which makes it longer than before, this write is not confirmed either", async () => {
    const folder = temporaryFolder();
    const database = openDatabase(folder);
    onTestFinished(database.close);
    await database.write(() => database.sqlite.exec("CREATE TABLE cut (a)"));
    const log = join(folder, "gangway.db-wal");
    const before = statSync(log).size;
    const cut = database.write(() => {
      database.sqlite.exec("INSERT INTO cut VALUES (1)");
      truncateSync(log);
    });
    await expect(cut).rejects.toMatchObject({ kind: "lost", message: expect.stringContaining("overwritten") });
    expect(statSync(log).size).toBeGreaterThan(before);
  });

  it("the database is replaced, closing leaves the new one's log alone", async () => {
    const { folder, store } = await oneChannel();
    for (const name of ["gangway.db", "gangway.db-wal", "gangway.db-shm"]) aside(join(folder, name));
    const other = new Sqlite(join(folder, "gangway.db"));
    other.pragma("journal_mode = WAL");
    other.exec("CREATE TABLE other (a); INSERT INTO other VALUES (1)");
    const { ino } = statSync(join(folder, "gangway.db-wal"));
    store.close();
    expect(statSync(join(folder, "gangway.db-wal")).ino).toBe(ino);
    other.close();
  });
});

describe("a folder that has had a database", () => {
  it("never silently gets a new, empty one", () => {
    const folder = temporaryFolder();
    openDatabase(folder).close();
    rmSync(join(folder, "gangway.db"));
    for (const shared of [false, true])
      expect(() => openDatabase(folder, { shared })).toThrow(/gangway.db is missing .*delete .*database.made first/);
    expect(existsSync(join(folder, "gangway.db"))).toBe(false);
    rmSync(join(folder, "database.made"));
    openDatabase(folder).close();
  });

  it("refuses to start when its log is lost", async () => {
    const after = temporaryFolder();
    const { folder, store } = await oneChannel();
    for (const name of ["gangway.db", "database.made"]) copyFileSync(join(folder, name), join(after, name));
    store.close();
    expect(() => openDatabase(after)).toThrow(/older than the one that was here, or its log was removed/);
    rmSync(join(after, "database.made"));
    openDatabase(after).close();
  });

  it("refuses to start with an older copy of its database", () => {
    const folder = temporaryFolder();
    const file = join(folder, "gangway.db");
    openDatabase(folder).close();
    copyFileSync(file, `${file}.older`);
    openDatabase(folder).close();
    copyFileSync(`${file}.older`, file);
    expect(() => openDatabase(folder)).toThrow(/older than the one that was here/);
  });

  it("gets the marker at its next start if it is from before the marker existed", () => {
    const folder = temporaryFolder();
    openDatabase(folder).close();
    rmSync(join(folder, "database.made"));
    openDatabase(folder).close();
    expect(existsSync(join(folder, "database.made"))).toBe(true);
  });
});

it("a start that finds the lock file deleted gives the server that held it time to notice", async () => {
  const folder = temporaryFolder();
  await temporaryStore(undefined, folder);
  rmSync(join(folder, "instance.lock"));
  const began = Date.now();
  openDatabase(folder).close();
  expect(Date.now() - began).toBeGreaterThan(900);
  writeFileSync(join(folder, "instance.lock"), "");
});
