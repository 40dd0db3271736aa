import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  "sandbox/README.md",
];

/** Paths in backticks, relative to the checkout or to the document; those with a placeholder do not match. */
const pathsIn = (document: string) =>
  [
    ...readFileSync(join(ROOT, document), "utf8").matchAll(/`((?:src|sandbox|tools|test|docs|migrations)\/[\w./-]+)`/g),
  ].map(([, path = ""]) => path);

it.each(DOCUMENTS)("%s names existing files", (document) => {
  // Build output may be missing.
  const exists = (path: string) => [ROOT, join(ROOT, dirname(document))].some((from) => existsSync(join(from, path)));
  const missing = pathsIn(document).filter((path) => !/(^|\/)dist\//.test(path) && !exists(path));
  expect(missing).toEqual([]);
});

it("ARCHITECTURE.md names existing code and an existing test for each invariant", () => {
  const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const rows = [...page.matchAll(/^\| .+ \| `(\S+)` \| (`.+\.test\.ts`: .+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(25);
  for (const [, file = "", held = ""] of rows) {
    expect(existsSync(join(ROOT, "src", file)), file).toBe(true);
    const [, test = "", title = ""] = /^`(\S+)`: (.+)$/.exec(held) ?? [];
    expect(readFileSync(join(ROOT, "test", test), "utf8"), `${test}: ${title}`).toContain(title.trim());
  }
});
