import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { scratchCheckout } from "../tools/scratch.ts";

const scratch = scratchCheckout("new-messenger");
const { textOf } = scratch;

/** In the second the lines are longer. */
describe.each(["pager", "messengeroflove"])("a messenger that has just been begun: %s", (kind) => {
  let before: string[];
  let begun: { code: number; said: string };
  beforeAll(async () => {
    before = scratch.sources();
    begun = await scratch.begin(kind);
  });
  /** What the command has written. */
  const written = () => scratch.sources().filter((file) => !before.includes(file));

  it("is a package, and its line in the list of messengers", () => {
    expect(begun.code, begun.said).toBe(0);
    expect(written().filter((file) => !file.startsWith(`messengers/${kind}/`))).toEqual([]);
    expect(textOf("src/messengers.ts")).toContain(`import ${kind} from "gangway-${kind}";`);
    expect(textOf("src/messengers.ts")).toContain(`  [${kind}, ${kind}Package],
`);
    expect(JSON.parse(textOf("package.json")).devDependencies).toHaveProperty(`gangway-${kind}`);
  });

  it("has nothing of the template's name, nor anything that the linter would write otherwise", async () => {
    for (const file of written()) {
      expect(textOf(file)).not.toMatch(/acme/i);
      expect(await scratch.linted(file)).toBe(textOf(file));
    }
  });

  it("throws nothing but what is to be written", () => {
    const thrown = written().flatMap((file) => [...textOf(file).matchAll(/throw new Error\(.([^"`]*)/g)]);
    expect(thrown.length).toBeGreaterThan(4);
    for (const [, words] of thrown) expect(words).toMatch(/^write me: /);
  });
});

describe("messengers that have just been begun", () => {
  it("hold the types", async () => {
    expect(await scratch.types("messengers", "test/system/contract")).toEqual({
      code: 0,
      said: "",
    });
  });

  it("leave nothing unused", async () => {
    const { code, said } = await scratch.unused();
    expect(code, said).toBe(0);
  });

  it("fail the contract kit with nothing but what is to be written, and so does their proof", async () => {
    const report = join(scratch.folder, "report.json");
    const args = ["--reporter=json", `--outputFile=${report}`, "messengers/pager"];
    await scratch.tests(args, { PROVE: "1" });
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { assertionResults: { status: string; title: string; failureMessages: string[] }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed");
    expect(failed.length).toBeGreaterThan(5);
    expect(results.length).toBeGreaterThan(failed.length);
    for (const { title, failureMessages } of failed) expect(failureMessages.join("\n"), title).toContain("write me");
    expect(textOf("messengers/pager/src/shown.ts")).toContain("actions: {}");
  });
});

describe("the command", () => {
  it("refuses a name that is none, and one that is taken", async () => {
    for (const name of ["", "Pager", "two-words", "../x", "1st"])
      expect(await scratch.begin(name)).toMatchObject({ code: 2, said: expect.stringContaining("Usage:") });
    const taken = await scratch.begin("telegram");
    expect(taken).toMatchObject({ code: 2, said: expect.stringContaining("messengers/telegram already exists") });
    expect(existsSync(join(ROOT, "messengers", "Pager"))).toBe(false);
  });
});
