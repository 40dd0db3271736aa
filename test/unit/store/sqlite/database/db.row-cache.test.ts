import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../../../src/store/sqlite/database/db.ts";
import { oneChannel, temporaryFolder } from "../../../../support/store.ts";

it("forgets what a rolled-back write has read", async () => {
  const database = openDatabase(temporaryFolder());
  onTestFinished(database.close);
  database.sqlite.exec("CREATE TABLE word (text); INSERT INTO word VALUES ('before')");
  const read = () =>
    database.rows.find("word", "key", () => database.sqlite.prepare("SELECT text FROM word").pluck().get());
  const write = database.write(() => {
    database.sqlite.exec("UPDATE word SET text = 'never stored'");
    expect(read()).toBe("never stored");
    throw new Error("refused");
  });
  await expect(write).rejects.toThrow("refused");
  expect(read()).toBe("before");
  await database.write(read);
  expect(read()).toBe("before");
});

it("forgets a note that this or another connection has written", async () => {
  const { folder, store, channel } = await oneChannel();
  const read = async () => {
    // Other connections are looked for once a tick.
    await tick();
    return store.notes.get(channel.id, "said:1");
  };
  expect(await read()).toBeUndefined();
  await store.notes.set(channel.id, [{ key: "said:1", value: "one" }]);
  expect(await read()).toBe("one");
  await store.notes.set(channel.id, [{ key: "said:1", value: "two" }]);
  expect(await read()).toBe("two");
  const other = new Sqlite(join(folder, "gangway.db"));
  other.exec("UPDATE note SET value = 'three'");
  other.close();
  expect(await read()).toBe("three");
  await store.notes.set(channel.id, [{ key: "said:1", value: "" }]);
  expect(await read()).toBeUndefined();
});
