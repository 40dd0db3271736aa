import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../src/messengers.ts";
import { settingsOf } from "../src/settings.ts";

const ROOT = join(import.meta.dirname, "..");
const records = readFileSync(join(ROOT, "docs/records.md"), "utf8");
const rows = [...records.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, table = "", rest = ""]) => ({ table, rest }));

/** Every table that a migration makes, but the one of the migrations themselves. */
const tables = ["sqlite", "postgres"].flatMap((engine) => {
  const folder = join(ROOT, "migrations", engine);
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  return [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?["`](\w+)["`]/g)].map(([, name = ""]) => name);
});

describe("the records of what is stored", () => {
  it("name each table of either engine once, and no other", () => {
    expect(tables.length).toBeGreaterThan(30);
    expect(rows.map(({ table }) => table).sort()).toEqual([...new Set(tables)].sort());
  });

  it("say of whom each is and until when, by settings that exist", () => {
    for (const { table, rest } of rows) {
      const cells = rest.split("|").map((cell) => cell.trim());
      expect([table, cells.length, cells.every(Boolean)]).toEqual([table, 3, true]);
    }
    const names = new Set(settingsOf(adapters).map(({ name }) => name));
    const named = [...records.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });
});
