import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_UNKNOWNS } from "../../../src/sandbox/unknowns.ts";

const text = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const document = text("../../../docs/sandbox.md");
const rows = document.split("\n").filter((line) => line.startsWith("| "));

describe("docs/sandbox.md", () => {
  it("names a test for each sentence, and each of these tests quotes it", () => {
    const sentences = rows.map((row) =>
      /^\| (.*) \| \[\w+\]\(\.\.\/test\/sandbox\/spec\/(\w+\.test\.ts)\) \|$/.exec(row),
    );
    const found = sentences.filter((match) => match !== null);
    expect(found.length).toBeGreaterThan(40);
    for (const [, sentence = "", file = ""] of found)
      for (const part of sentence.split(" … "))
        expect(text(`./${file}`).replaceAll("\\'", "'"), sentence).toContain(part);
  });

  it("leaves out no test that quotes the spec", () => {
    const files = readdirSync(new URL(".", import.meta.url)).filter((name) =>
      /^(modules|gateway|bots)\.test/.test(name),
    );
    const titles = /(?:it\(|\)\()\s*'(?:rule \d: )?"([^"]{8,})"/g;
    const quoted = files.flatMap((file) => [...text(`./${file}`).matchAll(titles)]);
    expect(quoted.length).toBeGreaterThan(35);
    for (const [, sentence = ""] of quoted)
      expect(document.includes(sentence.replaceAll("\\'", "'")), sentence).toBe(true);
  });

  it("lists every unknown with its default", () => {
    for (const [name, value] of Object.entries(DEFAULT_UNKNOWNS))
      expect(
        rows.some((row) => row.startsWith(`| \`${name}\` | \`${JSON.stringify(value)}\` |`)),
        name,
      ).toBe(true);
  });
});
