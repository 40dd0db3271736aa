import { expect, it } from "vitest";
import { readForeign } from "../../../../../src/store/postgres/database/foreign.ts";
import { command, temporaryDatabase } from "../../../../support/postgres.ts";

it("another program's database is read in a transaction that can write nothing", async () => {
  const url = await temporaryDatabase();
  await command(url, "CREATE TABLE own (word text)");
  await command(url, "INSERT INTO own VALUES ('kept')");
  expect(await readForeign(url, (query) => query("SELECT word FROM own"))).toEqual([{ word: "kept" }]);
  for (const statement of ["DELETE FROM own", "CREATE TABLE more (word text)", "INSERT INTO own VALUES ('new')"])
    await expect(readForeign(url, (query) => query(statement))).rejects.toThrow(/read-only transaction/);
  expect(await command(url, "SELECT word FROM own")).toEqual([{ word: "kept" }]);
});
