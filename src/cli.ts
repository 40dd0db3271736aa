#!/usr/bin/env node
// `gangway` alone serves; some words are the sandbox's, all others the operator's. Only what was asked for is loaded.
import { readFileSync } from "node:fs";

const SANDBOX = ["sandbox", "demo", "torture", "conformance", "variants"];
const VERSION = ["--version", "-v", "version"];

const [word] = process.argv.slice(2);
if (word === undefined) await import("./main.ts");
else if (VERSION.includes(word)) process.stdout.write(`gangway ${version()}\n`);
else if (SANDBOX.includes(word)) await import("./sandbox/main.ts");
else await import("./operator/main.ts");

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
