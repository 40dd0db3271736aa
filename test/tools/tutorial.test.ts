import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { filesImported } from "../../tools/measure/sources.ts";
import { ROOT } from "../../tools/root.ts";
import { importFault } from "../imports.ts";
import { LONG } from "../support/long.ts";
import { scratchCheckout } from "./scratch.ts";

const EXAMPLE = join(ROOT, "docs", "pager");
const page = readFileSync(join(ROOT, "docs", "messengers.md"), "utf8");
/** What the tutorial adds to the command's files, by where it goes in the checkout. */
const files = readdirSync(EXAMPLE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const exampleOf = (file: string) => readFileSync(join(EXAMPLE, file), "utf8");

/** The page's blocks of code, each below the path of its file in bold letters. */
const blocks = [...page.matchAll(/^(?:\*\*([\w./-]+)\*\*.*\n\n)?```ts\n([\s\S]*?)^```$/gm)].map(([, file, code]) => ({
  file,
  code: code ?? "",
}));

const scratch = scratchCheckout("tutorial");

describe("the tutorial", () => {
  let generated: Map<string, string>;
  beforeAll(async () => {
    const { code, said } = await scratch.begin("pager");
    expect(code, said).toBe(0);
    generated = new Map(scratch.sources().map((file) => [file, scratch.textOf(file)]));
    cpSync(EXAMPLE, scratch.folder, { recursive: true });
  });

  it.each(blocks)("quotes $file as it is", ({ file, code }) => {
    expect(files).toContain(file);
    expect(exampleOf(file ?? "")).toContain(code);
  });

  it.each(files)("shows every line of %s that the command does not write", (file) => {
    const known = generated.get(file)?.split("\n") ?? [];
    const shown = blocks.filter((block) => block.file === file).flatMap(({ code }) => code.split("\n"));
    const missing = exampleOf(file)
      .split("\n")
      .filter((line) => !known.includes(line) && !shown.includes(line));
    expect(missing).toEqual([]);
  });

  it("has a messenger that is linted", async () => {
    for (const file of files) expect(await scratch.linted(file)).toBe(exampleOf(file));
  });

  it.runIf(LONG)(
    "has a messenger that holds the types, and in which nothing is unused",
    async () => {
      expect(await scratch.types("messengers/pager")).toEqual({
        code: 0,
        said: "",
      });
      const { code, said } = await scratch.unused();
      expect(code, said).toBe(0);
    },
    240_000,
  );

  it.runIf(LONG)(
    "has a messenger that is proven by npm run prove, and then passes the contract kit",
    async () => {
      const proving = await scratch.tests(["messengers/pager", "-t", "announces"], { PROVE: "1" });
      expect(scratch.textOf("messengers/pager/src/shown.ts"), proving.said).toContain('deleting: "outbound"');
      const { code, said } = await scratch.tests(["messengers/pager", "test/system/one-package"]);
      expect(code, said).toBe(0);
    },
    240_000,
  );

  it("has a messenger that imports only what its room may", () => {
    const own = scratch.sources().filter((file) => file.startsWith("messengers/pager/src/"));
    const imports = own.flatMap((file) => filesImported(file, scratch.textOf(file)).map((to) => importFault(file, to)));
    expect(imports.length).toBeGreaterThan(10);
    expect(imports.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("has a messenger in which nothing is left to write", () => {
    const own = scratch.sources().filter((file) => /messengers\/pager\b/.test(file));
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter((file) => /write me|unwritten/.test(scratch.textOf(file)))).toEqual([]);
  });
});
