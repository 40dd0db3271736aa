import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { sourceAt, testAt } from "./support/named-files.ts";

const ROOT = join(import.meta.dirname, "..");
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...["sandbox/README.md", ...globSync("{messengers,packages}/*/README.md", { cwd: ROOT })],
  ...["sqlite", "postgres"].map((engine) => `src/store/${engine}/README.md`),
];

/** Paths in backticks, relative to the checkout or to the document; those with a placeholder do not match. */
const pathsIn = (document: string) =>
  [
    ...readFileSync(join(ROOT, document), "utf8").matchAll(
      /`((?:src|packages|messengers|sandbox|tools|test|docs|migrations)\/[\w./-]+)`/g,
    ),
  ].map(([, path = ""]) => path);

it.each(DOCUMENTS)("%s names existing files", (document) => {
  // Build output may be missing.
  const folders = [ROOT, join(ROOT, dirname(document))];
  // The tutorial's paths are those of a package that has just been begun.
  if (document === "packages/messenger/README.md") folders.push(join(ROOT, "tools/new-messenger/template"));
  const exists = (path: string) => folders.some((from) => existsSync(join(from, path)));
  const missing = pathsIn(document).filter((path) => !/(^|\/)dist\//.test(path) && !exists(path));
  expect(missing).toEqual([]);
});

/** As GitHub makes them: of a heading's letters, digits, dashes and spaces. */
const anchorsOf = (document: string) =>
  [...readFileSync(join(ROOT, document), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-"),
  );

it.each(DOCUMENTS)("%s links to existing files and headings", (document) => {
  const text = readFileSync(join(ROOT, document), "utf8").replace(/`[^`\n]*`/g, "");
  const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, path = "", anchor]) => {
    const target = path ? join(dirname(document), path) : document;
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

it("docs/invariants.md names existing code and an existing test for each invariant", () => {
  const page = readFileSync(join(ROOT, "docs/invariants.md"), "utf8");
  const rows = [...page.matchAll(/^\| .+ \| `(\S+)` \| (`.+\.test\.ts`: .+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(25);
  for (const [, file = "", held = ""] of rows) {
    expect(existsSync(sourceAt(file)), file).toBe(true);
    const [, test = "", title = ""] = /^`(\S+)`: (.+)$/.exec(held) ?? [];
    expect(readFileSync(testAt(test), "utf8"), `${test}: ${title}`).toContain(title.trim());
  }
});

it("ARCHITECTURE.md names existing code for each word of the heart, of which there are sixty at most", () => {
  const page = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const words = page.slice(page.indexOf("### Words of the heart"), page.indexOf("## Invariants"));
  const rows = words.split("\n").filter((line) => /^\| (?!---|Word )/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.length).toBeLessThanOrEqual(60);
  const paths = rows.flatMap((row) => [...row.matchAll(/`([\w-]+\/[\w./-]+)`/g)].map(([, path = ""]) => path));
  expect(paths.filter((path) => !existsSync(sourceAt(path)))).toEqual([]);
});

it("docs/messengers.md names the level of each messenger, as its package says it", () => {
  const manifests = globSync("messengers/*/package.json", { cwd: ROOT }).map((file) => {
    const { gangway } = JSON.parse(readFileSync(join(ROOT, file), "utf8"));
    return { kind: file.split(/[\\/]/)[1], level: gangway?.level };
  });
  const rows = manifests.flatMap(({ kind, level }) => (level ? `| ${kind} | ${level} |` : []));
  const page = readFileSync(join(ROOT, "docs/messengers.md"), "utf8");
  expect(page.match(/^\| \w+ \| (reads|proven|tortured) \|$/gm)?.sort()).toEqual(rows.sort());
});

it("CHANGELOG.md is by version, newest first, each with a date or unreleased, in the groups of Keep a Changelog", () => {
  const page = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  expect(headings.filter((each) => !/^\[\d+\.\d+\.\d+\] - (unreleased|\d{4}-\d\d-\d\d)$/.test(each))).toEqual([]);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(headings[0]).toContain(`[${version}]`);
  const groups = [...page.matchAll(/^### (.*)$/gm)].map(([, group = ""]) => group);
  const known = ["Upgrade notes", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  expect(groups.filter((group) => !known.includes(group))).toEqual([]);
  // A capability is one line.
  const lines = page.slice(page.indexOf("\n### ")).split("\n");
  expect(lines.filter((line) => line && !/^(#{2,4} |- .{20,300}$)/.test(line))).toEqual([]);
});
