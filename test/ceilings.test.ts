import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sourcesIn } from "../tools/measure/sources.ts";
import { measure } from "./support/measure.ts";

/** Maximum lines; a function includes its inner functions. */
const MAX = { file: 500, function: 60, factory: 150, class: 150 };
/** Files of schemas and word lists may be longer. */
const LISTS = /(^|\/)(wire|schema)\.ts$|\/i18n\//;

/** Exceptions by path suffix, with their length, which may only shrink. */
const LONGER: Record<string, number> = {};

const top = join(import.meta.dirname, "..");
const files = Object.fromEntries(
  ["src", "sandbox/src", "tools", ...globSync("{packages,messengers}/*/{src,emulator}", { cwd: top })]
    .flatMap((folder) => sourcesIn(top, folder))
    // The kit is tests.
    .filter(({ path }) => /\.tsx?$/.test(path) && !path.startsWith("packages/messenger/src/kit/"))
    .map(({ path, text }) => [path.replace("sandbox/src/", "sandbox/"), text]),
);

interface Length {
  name: string;
  lines: number;
  max: number;
}
const ofFiles: Length[] = Object.entries(files)
  .filter(([name]) => !LISTS.test(name))
  .map(([name, text]) => ({ name, lines: text.split("\n").length - 1, max: MAX.file }));
const ofFunctions: Length[] = measure(files).map(({ name, lines, kind }) => ({ name, lines, max: MAX[kind] }));
const long = [...ofFiles, ...ofFunctions].filter(({ lines, max }) => lines > max);
const longer = ({ name }: Length) => Object.keys(LONGER).find((end) => `/${name}`.endsWith(`/${end}`));

describe("the length limits", () => {
  it("hold every file, function, factory and class", () => {
    expect(long.filter((each) => each.lines > (LONGER[longer(each) ?? ""] ?? 0))).toEqual([]);
  });

  it("name no exception that could be smaller", () => {
    const longest = (end: string) =>
      Math.max(0, ...long.filter((each) => longer(each) === end).map(({ lines }) => lines));
    expect(Object.fromEntries(Object.keys(LONGER).map((end) => [end, longest(end)]))).toEqual(LONGER);
  });
});

/** A source of `count` lines. */
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join("\n");
const measured = (text: string) => measure({ "it.ts": text }).map(({ name, lines, kind }) => [name, lines, kind]);

describe("the measure", () => {
  it.each([
    ["that waits", "  await f1();\n"],
    ["that branches", "  if (f1()) f2();\n"],
    ["that repeats", "  for (const f of all) f();\n"],
    ["that throws", "  throw new Error();\n"],
  ])("counts the inner functions of a function %s", (_, own) => {
    const inner = (n: number) => `  const f${n} = () => {\n    act(${n});\n  };`;
    const text = `const long = async () => {\n${lines(20, inner)}\n${own}  return { f1 };\n};`;
    expect(measured(text)[0]).toEqual(["it.ts long", 64, "function"]);
  });

  it("knows a factory, which only lists methods", () => {
    const method = (n: number) => `    m${n}() {\n      act(${n});\n    },`;
    const factory = `function make() {\n  let state = 0;\n  return {\n${lines(30, method)}\n  };\n}`;
    expect(measured(factory)[0]).toEqual(["it.ts make", 95, "factory"]);
    const routes = `function site() {\n  const site = new Hono();\n${lines(30, (n) => `  site.get("/${n}", (c) => {\n    return c;\n  });`)}\n  return site;\n}`;
    expect(measured(routes)[0]).toEqual(["it.ts site", 94, "factory"]);
  });

  it("does not count a long run of statements as a factory", () => {
    const run = `function run() {\n  const all = [];\n${lines(70, (n) => `  all.push(${n});`)}\n  return all;\n}`;
    expect(measured(run)).toEqual([["it.ts run", 74, "function"]]);
  });

  it("does not count a table, which is no function", () => {
    expect(measured(`export const TABLE = {\n${lines(100, (n) => `  word${n}: "${n}",`)}\n};`)).toEqual([]);
  });

  it("counts a class and each of its methods", () => {
    const text = `class Pool {\n  #n = 0;\n  constructor() {\n    this.#n = 1;\n  }\n  take() {\n    return this.#n;\n  }\n}`;
    expect(measured(text)).toEqual([
      ["it.ts Pool", 9, "class"],
      ["it.ts constructor", 3, "function"],
      ["it.ts take", 3, "function"],
    ]);
  });
});
