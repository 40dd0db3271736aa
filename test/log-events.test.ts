import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** An event of the log, as the sources or docs/log.md have it; levels sorted. */
interface Event {
  name: string;
  levels: string;
}

const LEVEL = "debug|info|warn|error";
const USE = new RegExp(String.raw`\blog\s*(?:\?\.)?(?:\.?\s*(?:${LEVEL})\b|\[)`, "g");
const CALL = new RegExp(String.raw`\blog\??\s*(?:\.\s*(${LEVEL})|\[([^()]*?)\])\(\s*([^,)\s]+)`, "g");

const words = (text: string) => [...text.matchAll(/"([\w.-]+)"/g)].map(([, word = ""]) => word);
const levelsIn = (text: string) => words(text).filter((word) => new RegExp(`^(${LEVEL})$`).test(word));

/** The pairs of `const <name> = { key: "word", … }`. */
const tableIn = (source: string, name: string): [key: string, word: string][] => {
  const [, body = ""] = new RegExp(`const ${name} = \\{([^}]*)\\}`).exec(source) ?? [];
  return [...body.matchAll(/(\w+): "(\w+)"/g)].map(([, key = "", word = ""]) => [key, word]);
};

/** What one call logs: a literal, `area.${key}` at the level of a table by that key, or an `event: "…"` of its file. */
function logged(source: string, [, plain, dynamic = "", named = ""]: string[]): [name: string, level: string][] {
  const levels = plain ? [plain] : levelsIn(dynamic);
  if (named.startsWith('"'))
    return words(named).flatMap((name) => levels.map((level): [string, string] => [name, level]));
  const [, area, key = ""] = /^`([\w-]+)\.\$\{(\w+)\}`$/.exec(named) ?? [];
  const [, table = "", by] = /^(\w+)\[(\w+)\]$/.exec(dynamic) ?? [];
  if (area && by === key) return tableIn(source, table).map(([each, level]) => [`${area}.${each}`, level]);
  if (!/^\w+\.event$/.test(named)) return [];
  const names = [...source.matchAll(/\bevent: "([\w.-]+)"/g)].map(([, name = ""]) => name);
  return names.flatMap((name) => levels.map((level): [string, string] => [name, level]));
}

/** `unread`: uses of the log whose event or level these patterns do not find. */
function eventsOf(sources: { path: string; source: string }[]): { events: Event[]; unread: string[] } {
  const found = new Map<string, Set<string>>();
  const unread: string[] = [];
  for (const { path, source } of sources) {
    const calls = [...source.matchAll(CALL)].map((call) => ({ at: call.index, events: logged(source, call) }));
    for (const use of source.matchAll(USE))
      if (!calls.some(({ at, events }) => at === use.index && events.length > 0)) unread.push(`${path}: ${use[0]}`);
    // Under another name its events would not be found.
    for (const [, name] of source.matchAll(/(\w+)\??: Log\b/g)) if (name !== "log") unread.push(`${path}: ${name}`);
    for (const [name, level] of calls.flatMap(({ events }) => events))
      found.set(name, (found.get(name) ?? new Set()).add(level));
  }
  return { events: [...found].map(([name, levels]) => ({ name, levels: [...levels].sort().join(", ") })), unread };
}

const rowsIn = (page: string): Event[] =>
  [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)].map(([, name = "", levels = ""]) => ({
    name,
    levels,
  }));

function faultsOf(rows: Event[], events: Event[]): string[] {
  const names = rows.map(({ name }) => name);
  const stale = rows.filter(({ name }) => !events.some((each) => each.name === name));
  return [
    ...events.filter(({ name }) => !names.includes(name)).map(({ name }) => `${name} has no row`),
    ...stale.map(({ name }) => `${name} is no event`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} has several rows`),
    ...rows.flatMap(({ name, levels }) => {
      const event = events.find((each) => each.name === name);
      return event && event.levels !== levels ? [`${name} is ${event.levels}, not ${levels}`] : [];
    }),
  ];
}

const page = read("docs/log.md");
const { events, unread } = eventsOf(
  globSync(["src/**/*.{ts,tsx}", "packages/messenger/src/**/*.{ts,tsx}", "messengers/*/src/**/*.{ts,tsx}"], {
    cwd: ROOT,
  }).map((path) => ({ path, source: read(path) })),
);
const names = new Set(events.map(({ name }) => name));

describe("docs/log.md", () => {
  it("has one row, with the level of the sources, for each event that they log, and no other", () => {
    expect(unread).toEqual([]);
    expect(events.length).toBeGreaterThan(100);
    expect(rowsIn(page)).toHaveLength(page.match(/^\| `/gm)?.length ?? 0);
    expect(faultsOf(rowsIn(page), events)).toEqual([]);
  });

  it("is reported where a row is missing, stale, twice there or of another level", () => {
    const rows = rowsIn("| `a.b` | info | x | y |\n| `a.gone` | warn | x | y |\n| `a.c` | info | x | y |\n");
    const logs = [
      { name: "a.b", levels: "warn" },
      { name: "a.c", levels: "info" },
      { name: "a.new", levels: "info" },
    ];
    expect(faultsOf([...rows, { name: "a.c", levels: "info" }], logs)).toEqual([
      "a.new has no row",
      "a.gone is no event",
      "a.c has several rows",
      "a.b is warn, not info",
    ]);
  });

  it("is compared with every way to log an event", () => {
    const source = [
      'parts.log.warn("a.plain", {});\nlog?.info(\n  "a.optional",\n);',
      'parts.log[failure ? "warn" : "info"]("a.either", {});',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a source.
      'const level = { low: "warn", full: "error" } as const;\nlog[level[state]](`disk.${state}`, {});',
      'return { event: "a.named" };\nlog.error(next.event, {});',
    ].join("\n");
    const found = eventsOf([{ path: "x.ts", source }]);
    expect(found.unread).toEqual([]);
    expect(found.events.map(({ name, levels }) => `${name} ${levels}`)).toEqual([
      ...["a.plain warn", "a.optional info", "a.either info, warn"],
      ...["disk.low warn", "disk.full error", "a.named error"],
    ]);
    for (const hidden of ["log.warn(nameOf(x));", "on(log.warn);", "const logger: Log = x;", "log[level](name);"])
      expect(eventsOf([{ path: "x.ts", source: hidden }]).unread).toHaveLength(1);
  });

  it("links to sections that exist", () => {
    const links = [...page.matchAll(/\]\((\w+\.md)#([\w-]+)\)/g)].map(([, file = "", anchor = ""]) => ({
      file,
      anchor,
    }));
    expect(links.length).toBeGreaterThan(20);
    const anchorsOf = (file: string) =>
      [...read(`docs/${file}`).matchAll(/^##+ (.+)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
      );
    expect(links.filter(({ file, anchor }) => !anchorsOf(file).includes(anchor))).toEqual([]);
  });
});

describe("operators' documents", () => {
  // Of the data folder: their names look like events.
  const files = words(read("src/store/disk/folder.ts"));
  it.each(["log", "runbooks", "operating", "scale"])("docs/%s.md names only events that exist", (name) => {
    const named = [...read(`docs/${name}.md`).matchAll(/`([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)`/g)].map(
      ([, event = ""]) => event,
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((event) => !names.has(event) && !files.includes(event))).toEqual([]);
  });
});
