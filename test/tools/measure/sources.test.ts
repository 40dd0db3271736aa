import { describe, expect, it } from "vitest";
import { exportsIn, filesImported, type Source, statementsOf, withImported } from "../../../tools/measure/sources.ts";

const source = (path: string, text: string): Source => ({ path, text, imports: filesImported(path, text) });

describe("measuring sources", () => {
  it("counts statements, not types, imports or blocks", () => {
    const text = `import { a } from "./a.ts";
      interface Shape { width: number }
      export const area = ({ width }: Shape) => { if (width > a) { return a; } return width * width; };`;
    // The declaration, the if and two returns.
    expect(statementsOf(source("x.ts", text))).toBe(4);
  });

  it("follows imports from a room, but not through what is left out", () => {
    const sources = [
      source("src/store/a.ts", 'import { b } from "../gateway/b.ts";\nimport type { N } from "../domain/n.ts";'),
      source("src/gateway/b.ts", 'import { c } from "./c.ts";'),
      source("src/gateway/c.ts", ""),
      source("src/domain/n.ts", 'import { d } from "./d.ts";'),
      source("src/domain/d.ts", ""),
      source("src/http/e.ts", 'import { a } from "../store/a.ts";'),
    ];
    const found = withImported(
      sources,
      (path) => path.startsWith("src/store/"),
      (path) => path.startsWith("src/domain/"),
    );
    expect(found.map(({ path }) => path)).toEqual(["src/store/a.ts", "src/gateway/b.ts", "src/gateway/c.ts"]);
  });

  it("counts exports that one other file imports", () => {
    const sources = [
      source("src/a.ts", "export const one = 1;\nexport function two() {}\nexport type Three = 3;"),
      source("src/b.ts", 'import { one, type Three, two as zwei } from "./a.ts";'),
      source("src/c.ts", 'import { type Three } from "./a.ts";'),
    ];
    expect(exportsIn(sources)).toEqual({ all: 3, withOneImporter: 2 });
  });
});
