import { describe, expect, it, onTestFinished } from "vitest";
import { postgresSide, sqliteSide } from "../../../../../src/store/moving/move.ts";
import { createSealer } from "../../../../../src/store/secrets.ts";
import { bytesOf, eachWindow, inBytes, pagesOf } from "../../../../../src/store/tables/care/windows.ts";
import { type Engine, run } from "../../../../../src/store/tables/engine.ts";
import { onPostgres } from "../../../../support/engine.ts";
import { databaseWithTables } from "../../../../support/postgres.ts";
import { KEY_RING, temporaryFolder } from "../../../../support/store.ts";

const MIB = 1024 * 1024;
interface Row {
  id: number;
  said: string | null;
}
const TABLE = { table: "large_row", key: "id", columns: "id, said" };

/** A table with texts of these lengths, and how often it was read. */
async function tableOf(lengths: number[]) {
  const sealer = createSealer(KEY_RING);
  const side = onPostgres
    ? await postgresSide(await databaseWithTables(), { sealer })
    : sqliteSide(temporaryFolder(), sealer);
  onTestFinished(() => side.close());
  await side.engine.write(function* () {
    yield* run("CREATE TABLE large_row (id bigint PRIMARY KEY, said text)");
    for (const [n, length] of lengths.entries())
      yield* run("INSERT INTO large_row (id, said) VALUES (@id, @said)", { id: n + 1, said: "x".repeat(length) });
    yield* run("INSERT INTO large_row (id, said) VALUES (1000000, NULL)");
  });
  let reads = 0;
  const engine: Engine = {
    ...side.engine,
    read: (work) => {
      reads += 1;
      return side.engine.read(work);
    },
  };
  return { engine, reads: () => reads };
}

const idsOf = (windows: Row[][]) => windows.map((window) => window.map(({ id }) => id));

describe("a window of rows", () => {
  it("ends with the row that fills 4 MiB, and the next begins after it: none is skipped or read twice", async () => {
    const { engine } = await tableOf([2 * MIB, 2 * MIB, 1, 5 * MIB, 1, 3 * MIB, 3 * MIB, 3 * MIB]);
    const windows: Row[][] = [];
    const rows = { ...TABLE, large: ["said"], where: "id < 100" };
    await eachWindow<Row>(engine, rows, {}, (window) => windows.push(window));
    expect(idsOf(windows)).toEqual([
      [8, 7],
      [6, 5, 4],
      [3, 2, 1],
    ]);
    const before: Row[][] = [];
    await eachWindow<Row>(engine, rows, { before: 5 }, (window) => before.push(window));
    expect(idsOf(before)).toEqual([[4], [3, 2, 1]]);
  });

  it("ends a page, too, in the order of the keys", async () => {
    const { engine } = await tableOf([5 * MIB, 1, 3 * MIB, 1, MIB, 1]);
    const text = inBytes({ ...TABLE, where: "id > @after AND id < 100", bytes: bytesOf("said"), limit: 4 });
    const pages: Row[][] = [];
    for await (const page of pagesOf<Row>(engine, text, {}, "id")) pages.push(page);
    expect(idsOf(pages)).toEqual([[1], [2, 3, 4, 5], [6]]);
  });

  it("of a thousand small rows is one read, and so are rows without a text", async () => {
    const { engine, reads } = await tableOf(Array(1_000).fill(200));
    const windows: Row[][] = [];
    await eachWindow<Row>(engine, { ...TABLE, large: ["said"] }, { rows: 1_000, before: 1_001 }, (window) =>
      windows.push(window),
    );
    expect(windows.map(({ length }) => length)).toEqual([1_000]);
    expect(reads(), "the bounds, and the window").toBe(2);
    const empty: Row[][] = [];
    const high = { ...TABLE, large: ["said"], where: "id > 999999" };
    await eachWindow<Row>(engine, high, { rows: 1_000_000 }, (window) => empty.push(window));
    expect(idsOf(empty)).toEqual([[1_000_000]]);
  });
});
