#!/usr/bin/env node
// `gangway` alone serves; some words are programs that stand beside it, all others the operator's. Only what was asked for is loaded.
import { readFileSync } from "node:fs";

const SANDBOX = "gangway-sandbox/main";
/** Programs that may be installed beside this one, by the word that runs each, and what each is given in place of the word. */
const BESIDE = new Map<string, [program: string, ...words: string[]]>([
  ["sandbox", [SANDBOX]],
  ["conformance", [SANDBOX, "conformance"]],
  ["variants", [SANDBOX, "variants"]],
  ["demo", ["../tools/dist/demo/main.js"]],
  ["torture", ["../tools/dist/torture/main.js"]],
]);
const VERSION = ["--version", "-v", "version"];

const [word] = process.argv.slice(2);
const program = BESIDE.get(word ?? "");
if (word === undefined) await import("./main.ts");
else if (VERSION.includes(word)) process.stdout.write(`gangway ${version()}\n`);
else if (program) await beside(word, ...program);
else await import("./operator/main.ts");

async function beside(word: string, program: string, ...words: string[]): Promise<void> {
  process.argv.splice(2, 1, ...words);
  try {
    await import(program);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const way = program === SANDBOX ? "install the package gangway-sandbox beside this one, or " : "";
    process.stderr.write(`gangway: ${word} is not here, or not built: ${way}run it in a checkout: npm run ${word}\n`);
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
