import { expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../../src/store/sqlite/database/db.ts";
import { temporaryFolder } from "../../../support/store.ts";

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
