#!/usr/bin/env node
// `gangway` alone serves; some words are programs that stand beside it, all others the operator's. Only what was asked for is loaded.
import { readFileSync } from "node:fs";

const SANDBOX = "gangway-sandbox/main";
/** Each a program that may be installed beside this one, by the word that runs it. */
const BESIDE: Record<string, string> = {
  sandbox: SANDBOX,
  conformance: SANDBOX,
  variants: SANDBOX,
  demo: "../tools/dist/demo/main.js",
  torture: "../tools/dist/torture/main.js",
};
const VERSION = ["--version", "-v", "version"];

const [word] = process.argv.slice(2);
if (word === undefined) await import("./main.ts");
else if (VERSION.includes(word)) process.stdout.write(`gangway ${version()}\n`);
else if (Object.hasOwn(BESIDE, word)) await beside(word, BESIDE[word] ?? SANDBOX);
else await import("./operator/main.ts");

async function beside(word: string, program: string): Promise<void> {
  // The sandbox has several programs in one: it reads the word itself.
  if (program !== SANDBOX) process.argv.splice(2, 1);
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
