import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sourceAt, testAt } from "./support/named-files.ts";

const page = readFileSync(new URL("../docs/threats.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| T(\d+) \| (.+) \| (.+) \| (.+) \|$/gm)].map(
  ([, number = "", , defence = "", tests = ""]): [string, string, string] => [number, defence, tests],
);

describe("the page of threats", () => {
  it("numbers its rows without a gap", () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(rows.map(([number]) => Number(number))).toEqual(rows.map((_, n) => n + 1));
  });

  it.each(rows)("names existing files and tests: T%s", (_, defence, tests) => {
    for (const [, file = ""] of defence.matchAll(/`([\w./-]+\.tsx?|[\w/]+\/)`/g))
      expect(existsSync(sourceAt(file)), file).toBe(true);
    const named = [...tests.matchAll(/`([\w./-]+\.tsx?)`: ([^;]+)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, file = "", title = ""] of named)
      expect(readFileSync(testAt(file), "utf8"), `${file}: ${title}`).toContain(title.trim());
  });
});
