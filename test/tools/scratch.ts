import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll } from "vitest";
import { ROOT, SCRATCH } from "../../tools/root.ts";

const COPIED = [
  "src",
  "packages",
  "messengers",
  "sandbox/src",
  "sandbox/contract",
  "sandbox/test",
  "test",
  "tools",
  "migrations",
  "docs",
];
const SETTINGS = [
  "package.json",
  "sandbox/package.json",
  "knip.json",
  "tsconfig.json",
  "drizzle.config.ts",
  "vitest.config.ts",
];
const MADE = ["dist", "node_modules"];

interface Run {
  code: number;
  said: string;
}

/** A copy of the sources that may be changed. It lies in dist: packages are found from there, and no check of the checkout looks. */
export function scratchCheckout(name: string) {
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "dist", `${SCRATCH}${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const filter = (file: string) => !MADE.includes(basename(file));
  for (const each of [...COPIED, ...SETTINGS])
    cpSync(join(ROOT, each), join(folder, each), { recursive: true, filter: (file) => filter(file) });

  const run = (program: string, args: string[], env: Record<string, string> = {}) =>
    new Promise<Run>((resolve) => {
      const options = { cwd: folder, maxBuffer: 64 * 1024 ** 2, env: { ...process.env, SUITE: "", ...env } };
      execFile(process.execPath, [join(ROOT, program), ...args], options, (error, out, wrong) => {
        resolve({ code: Number(error?.code ?? 0), said: out + wrong });
      });
    });
  const textOf = (file: string) => readFileSync(join(folder, file), "utf8");
  return {
    folder,
    textOf,
    begin: (kind: string) => run("tools/new-messenger/main.mjs", [kind, folder]),
    /** Of these folders and files, and of all that they import. */
    types: (...include: string[]) => {
      const config = { extends: "./tsconfig.json", include, exclude: ["**/browser"] };
      writeFileSync(join(folder, "tsconfig.some.json"), JSON.stringify(config));
      return run("node_modules/typescript/bin/tsc", ["-p", "tsconfig.some.json"]);
    },
    unused: () => run("node_modules/knip/bin/knip.js", []),
    tests: (args: string[], env?: Record<string, string>) =>
      run("node_modules/vitest/vitest.mjs", ["run", "--root", folder, ...args], env),
    sources: () => globSync("**/*.{ts,tsx}", { cwd: folder, exclude: ["node_modules"] }),
    linted: (file: string) => linted(file, textOf(file)),
  };
}

/** A text as the linter of the checkout leaves it. */
export const linted = (file: string, text: string) =>
  new Promise<string>((resolve) => {
    const args = [join(ROOT, "node_modules/@biomejs/biome/bin/biome"), "check", "--write"];
    const child = execFile(process.execPath, [...args, `--stdin-file-path=${file}`], { cwd: ROOT }, (_, out) =>
      resolve(out),
    );
    child.stdin?.end(text);
  });
