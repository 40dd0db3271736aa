#!/usr/bin/env node
// `gangway` alone starts the server; other arguments run a companion program or an operator command. Imports are lazy.
import { refuseOldNode, version } from "./runtime.ts";

const SANDBOX = "gangway-sandbox/main";
/** Optional companion programs, by command, each with the arguments that replace the command. */
const COMPANIONS = new Map<string, [program: string, ...words: string[]]>([
  ["sandbox", [SANDBOX]],
  ["conformance", [SANDBOX, "conformance"]],
  ["variants", [SANDBOX, "variants"]],
  ["demo", [SANDBOX, "demo"]],
  ["torture", ["../tools/dist/torture/main.js"]],
]);
const VERSION = ["--version", "-v", "version"];

const [word] = process.argv.slice(2);
const program = COMPANIONS.get(word ?? "");
refuseOldNode(process);
if (word === undefined) await import("./main.ts");
else if (VERSION.includes(word)) process.stdout.write(`gangway ${version()}\n`);
else if (program) await runCompanion(word, ...program);
else await import("./operator/main.ts");

async function runCompanion(word: string, program: string, ...words: string[]): Promise<void> {
  process.argv.splice(2, 1, ...words);
  try {
    await import(program);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const remedy = program === SANDBOX ? "install the package gangway-sandbox, or " : "";
    process.stderr.write(
      `gangway: ${word} is not installed or not built: ${remedy}run it in a checkout: npm run ${word}\n`,
    );
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
  }
}
