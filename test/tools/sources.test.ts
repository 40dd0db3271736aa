import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { allPages, outdated, pagesIn } from "../../tools/sources.ts";

const READMES = globSync("messengers/*/README.md", { cwd: ROOT });

it.each(READMES)("%s ends with the pages that it stands on, each with the day of its last reading", (readme) => {
  const text = readFileSync(join(ROOT, readme), "utf8");
  const [, after = ""] = text.split("\n## Sources\n");
  const pages = pagesIn(readme, text);
  expect(pages.length).toBeGreaterThan(0);
  // No row is written otherwise.
  expect(pages.length).toBe(after.trim().split("\n").length - 2);
  for (const { read } of pages) expect(Date.parse(read)).toBeLessThan(Date.now());
});

it("lists the pages that nobody has read for ninety days, the oldest first", () => {
  const now = Date.parse("2026-11-29");
  const page = (read: string) => ({ readme: "messengers/pager/README.md", url: "https://pager.example/docs", read });
  expect(outdated(["2026-08-31", "2026-11-28", "2026-08-30", "2025-01-01"].map(page), now)).toEqual([
    page("2025-01-01"),
    page("2026-08-30"),
  ]);
  expect(allPages().length).toBeGreaterThan(20);
});

it("takes nothing else for such a table", () => {
  const head = "# Pager\n\n## Sources\n\n| Page | Read |\n| --- | --- |\n";
  expect(pagesIn("", `${head}| <https://pager.example> | 2026-11-20 |\n`)).toHaveLength(1);
  expect(pagesIn("", `${head}| https://pager.example | 2026-11-20 |\n`)).toEqual([]);
  expect(pagesIn("", `${head}| <https://pager.example> | 2026-11-20 |\n\nMore.\n`)).toEqual([]);
});
