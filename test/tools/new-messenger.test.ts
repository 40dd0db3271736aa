import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
/** In the house, so that packages are found, and out of its sight, as all that is built. */
mkdirSync(join(ROOT, "dist"), { recursive: true });
const scratch = mkdtempSync(join(ROOT, "dist", "new-messenger-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const run = (program: string, args: string[]) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: scratch, maxBuffer: 64 * 1024 ** 2 }, (error, out, wrong) => {
      resolve({ code: Number(error?.code ?? 0), said: out + wrong });
    });
  });
const begin = (...args: string[]) => run(join(ROOT, "tools", "new-messenger", "main.mjs"), args);
/** A file as the linter of the house leaves it. */
const linted = (file: string) =>
  new Promise<string>((resolve) => {
    const args = [join(ROOT, "node_modules", "@biomejs", "biome", "bin", "biome"), "check", "--write"];
    const child = execFile(process.execPath, [...args, `--stdin-file-path=${file}`], { cwd: ROOT }, (_, out) =>
      resolve(out),
    );
    child.stdin?.end(textOf(file));
  });
const textOf = (file: string) => readFileSync(join(scratch, file), "utf8");

describe("a messenger that has just been begun", () => {
  let before: string[];
  let begun: { code: number; said: string };

  beforeAll(async () => {
    for (const folder of ["src", "test/contract", "test/support"])
      cpSync(join(ROOT, folder), join(scratch, folder), { recursive: true });
    cpSync(join(ROOT, "migrations"), join(scratch, "migrations"), { recursive: true });
    const config = {
      extends: "../../tsconfig.json",
      include: ["src/channels", "test/contract/pager.test.ts"],
      exclude: ["src/**/browser"],
    };
    writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
    before = filesOf();
    begun = await begin("pager", scratch);
  });
  /** What the command has written. */
  const codeOf = () => filesOf().filter((file) => !before.includes(file) && file.endsWith(".ts"));
  const filesOf = () => readdirSync(scratch, { recursive: true, encoding: "utf8" }).sort();

  it("is one folder, its test and its line in the registry", () => {
    expect(begun.code, begun.said).toBe(0);
    const outside = codeOf().filter((file) => !file.startsWith(join("src", "channels", "pager")));
    expect(outside).toEqual([join("test", "contract", "pager.test.ts")]);
    const registry = textOf("src/channels/registry.ts").split("\n");
    const old = readFileSync(join(ROOT, "src", "channels", "registry.ts"), "utf8").split("\n");
    expect(registry.filter((line) => !old.includes(line))).toEqual([
      'import { pager } from "./pager/index.ts";',
      "export const adapters: ChannelAdapter[] = [webchat, telegram, pager];",
    ]);
  });

  it("has nothing of the template's name, nor anything that the linter would write otherwise", async () => {
    for (const file of codeOf()) {
      expect(textOf(file)).not.toMatch(/acme/i);
      expect(await linted(file)).toBe(textOf(file));
    }
  });

  it("throws nothing but what is to be written", () => {
    const thrown = codeOf().flatMap((file) => [...textOf(file).matchAll(/throw new Error\(.([^"`]*)/g)]);
    expect(thrown.length).toBeGreaterThan(4);
    for (const [, words] of thrown) expect(words).toMatch(/^write me: /);
  });

  it("holds the types", async () => {
    const { code, said } = await run(join(ROOT, "node_modules", "typescript", "bin", "tsc"), ["-p", "."]);
    expect(said).toBe("");
    expect(code).toBe(0);
  }, 120_000);

  it("fails the contract kit with nothing but what is to be written", async () => {
    const report = join(scratch, "report.json");
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    await run(vitest, ["run", "--root", scratch, "--reporter=json", `--outputFile=${report}`, "test/contract/pager"]);
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
      testResults: { assertionResults: { status: string; title: string; failureMessages: string[] }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed");
    expect(failed.length).toBeGreaterThan(5);
    expect(results.length).toBeGreaterThan(failed.length);
    for (const { title, failureMessages } of failed) expect(failureMessages.join("\n"), title).toContain("write me");
  }, 120_000);
});

describe("the command", () => {
  it("refuses a name that is none, and one that is taken", async () => {
    for (const name of ["", "Pager", "two-words", "../x", "1st"])
      expect(await begin(name, scratch)).toMatchObject({ code: 2, said: expect.stringContaining("Usage:") });
    const taken = await begin("telegram", ROOT);
    expect(taken).toMatchObject({ code: 2, said: expect.stringContaining("src/channels/telegram is there already") });
    expect(existsSync(join(ROOT, "src", "channels", "Pager"))).toBe(false);
  });
});
