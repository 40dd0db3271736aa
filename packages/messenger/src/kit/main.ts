#!/usr/bin/env node
// gangway-kit: run in a messenger's package, it prints the package's level.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LEVELS, levelOf } from "./level.ts";

const HELP = `gangway-kit level [--write]     in a messenger's built package: run its contract test and its proof, then its emulated
                               customer and an agent under kills and faults, and say what it has reached:
  reads      the contract test passes
  proven     everything it announces was shown against its emulator
  tortured   kills and faults lost nothing
  --write    write it into package.json, as "gangway": {"level": …}; otherwise what stands there must be right
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function run(args: string[]): Promise<number> {
  const [command, ...options] = args;
  if (command !== "level" || options.some((option) => option !== "--write")) {
    print(HELP.trimEnd());
    return args.includes("--help") ? 0 : 2;
  }
  const file = join(process.cwd(), "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  if (manifest.gangway?.port === undefined) throw new Error('package.json has no "gangway": {"port": …}');
  const { level, said } = await levelOf(process.cwd());
  for (const line of said) print(line);
  print(`${manifest.name}: ${level ?? `none; the first is "${LEVELS[0]}"`}`);
  if (options.includes("--write")) {
    manifest.gangway = { port: manifest.gangway.port, ...(level && { level }) };
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    return 0;
  }
  if (manifest.gangway.level === level) return 0;
  print(`package.json says ${manifest.gangway.level ?? "none"}: gangway-kit level --write`);
  return 1;
}

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`gangway-kit: ${error.message}\n`);
    process.exit(1);
  },
);
