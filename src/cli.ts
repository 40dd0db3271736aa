#!/usr/bin/env node
// `gangway` alone serves; with one of these words it is the sandbox. Only what was asked for is loaded.
const SANDBOX = ["sandbox", "demo", "torture", "conformance", "variants"];

if (SANDBOX.includes(process.argv[2] ?? "")) await import("./sandbox/main.ts");
else await import("./main.ts");
