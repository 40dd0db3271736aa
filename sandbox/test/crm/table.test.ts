import { describe, expect, it } from "vitest";
import { fc, tries } from "../../../test/support/property.ts";
import { notAfter, notBefore, oneOf } from "../../src/crm/listing.ts";
import type { Entry } from "../../src/crm/records.ts";
import { at } from "../../src/crm/resource/filters.ts";
import { createJournal } from "../../src/crm/resource/journal.ts";
import type { Match } from "../../src/crm/resource/match.ts";
import { reading } from "../../src/crm/resource/reading.ts";
import { createTable, type Table } from "../../src/crm/resource/table.ts";

const PATHS = ["word", "deep.word", "parts.word"];
const word = fc.constantFrom(undefined, null, "", "a", "b", "c", 1, "1");
const record = fc.record({
  id: fc.integer({ min: 1, max: 300 }),
  word,
  deep: fc.option(fc.record({ word }), { nil: undefined }),
  parts: fc.array(fc.record({ word }), { maxLength: 3 }),
});
type Step = { put: Entry } | { remove: number } | { refused: (Entry | number)[] } | "clear";
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ put: record }) },
  { weight: 40, arbitrary: fc.record({ remove: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 5, arbitrary: fc.record({ refused: fc.array(fc.oneof(record, fc.integer({ min: 1, max: 300 }))) }) },
  { weight: 1, arbitrary: fc.constant("clear" as const) },
);

const journal = createJournal();
function taken(table: Table, step: Step): void {
  if (step === "clear") table.clear();
  else if ("put" in step) table.put(step.put);
  else if ("remove" in step) table.remove(step.remove);
  else {
    const write = () => {
      for (const each of step.refused) typeof each === "number" ? table.remove(each) : table.put(each);
      throw new Error("refused");
    };
    expect(() => journal.whole(write)).toThrow("refused");
  }
}

const filled = (count: number, fields: (id: number) => Entry = () => ({})): Table => {
  const table = createTable(journal, PATHS);
  for (let id = 1; id <= count; id++) table.put({ id, ...fields(id) });
  return table;
};
const scanned = (table: Table, matches: Match<Entry>[]): Entry[] =>
  [...table.rows.values()].filter((entry) => matches.every((match) => match(entry)));
/** The match is asked record by record, and of the column. */
function expectSame(table: Table, ...matches: Match<Entry>[]): void {
  expect(table.matching(matches).entries).toEqual(scanned(table, matches));
}

describe("a table", () => {
  it("finds what a scan finds, by lookup and by column, whatever has been written", () => {
    const wanted = fc.constantFrom("", "a", "b", "1", "null");
    fc.assert(
      fc.property(fc.array(step, { size: "large", maxLength: 400 }), wanted, (steps, value) => {
        const table = filled(200, (id) => ({ word: id % 3 ? "a" : "b", parts: [{ word: "c" }] }));
        for (const [n, step] of steps.entries()) {
          taken(table, step);
          if (n % 100 === 0) look(table, value);
        }
        look(table, value);
      }),
      tries(15),
    );
  });

  function look(table: Table, value: string): void {
    const matches = PATHS.map((path) =>
      at(
        path,
        oneOf((each) => each),
      )([value], []),
    );
    for (const match of matches) expectSame(table, match);
    expectSame(table, ...matches);
    expectSame(table, ({ id }) => Number(id) % 2 === 0, matches[0] as Match<Entry>);
    for (const path of PATHS) {
      const holds = (entry: Entry) =>
        [reading(path)(entry)].flat().some((each) => each === value || `${each}` === value);
      const ids = [...table.rows.values()].flatMap((entry) => (holds(entry) ? Number(entry.id) : []));
      const isNamed = value !== "" && value !== "null";
      expect([path, [...table.having(path, value)].sort()]).toEqual([path, isNamed ? ids.sort() : []]);
    }
  }

  it("keeps a column while records come and values change without end", () => {
    const table = filled(10, (id) => ({ word: `first ${id}` }));
    const text = (each: unknown) => (each === undefined ? undefined : String(each));
    const look = () => {
      for (const word of ["now 5", "now", "1", ""]) {
        expectSame(table, at("word", notBefore(text), true)([word], []));
        expectSame(table, at("word", notAfter(text), true)([word], []));
      }
    };
    look();
    for (let id = 11; id <= 6_000; id++) table.put({ id, word: `now ${id}` });
    look();
    for (let n = 0; n < 40_000; n++)
      table.put({ id: (n % 6_000) + 1, word: n % 999 ? `now ${n}` : ["", undefined][n % 2] });
    look();
    for (let id = 1; id <= 5_000; id++) table.remove(id);
    look();
    table.put({ id: 1, word: "now 9" });
    look();
  });

  it("keeps the columns that were used last", () => {
    const read: string[] = [];
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, 1]));
    const told = new Proxy({ id: 1, ...fields } as Entry, {
      get: (record, name) => {
        read.push(String(name));
        return Reflect.get(record, name);
      },
    });
    const table = createTable(journal);
    table.put(told);
    read.length = 0;
    const equal = oneOf((each) => each);
    const ask = (n: number) => table.matching([at(`f${n}`, equal)(["1"], [])]);
    for (let n = 0; n < 40; n++) ask(n);
    expect(read).toHaveLength(40);
    ask(39);
    expect(read).toHaveLength(40);
    ask(0);
    expect(read).toHaveLength(41);
  });
});
