import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testAt } from "./support/named-files.ts";

const page = readFileSync(new URL("../docs/known-holes.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| (\d+) \| (.+) \| (.+) \|$/gm)].map(
  ([, number = "", , here = ""]): [string, string] => [number, here],
);

describe("the page of known holes", () => {
  it("has a row for each of the thirty-five", () => {
    expect(rows.map(([number]) => Number(number))).toEqual(Array.from({ length: 35 }, (_, n) => n + 1));
  });

  it.each(rows)("names an existing test, or says why it cannot happen: hole %s", (_, here) => {
    const [, file, title = ""] = /^`([\w./-]+\.test\.tsx?)`: (.+)$/.exec(here) ?? [];
    if (!file) return expect(here).toMatch(/^cannot happen: .+\(`.+`\)$|^cannot happen: `Dockerfile`/);
    const [words = ""] = title.split(" (sample ");
    const source = readFileSync(testAt(file), "utf8");
    const kit = readFileSync(new URL("../packages/messenger/src/kit/contract.ts", import.meta.url), "utf8");
    expect(file.endsWith("/contract.test.ts") ? source + kit : source).toContain(words);
  });
});
