#!/usr/bin/env node
// `gangway` alone serves; some words are the sandbox's, all others the operator's. Only what was asked for is loaded.
const SANDBOX = ["sandbox", "demo", "torture", "conformance", "variants"];

const [word] = process.argv.slice(2);
if (word === undefined) await import("./main.ts");
else if (SANDBOX.includes(word)) await import("./sandbox/main.ts");
else await import("./operator/main.ts");
