import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { command, runToEnd, seeded, TEXT, UsageError } from "gangway-sandbox";
import { numberIn } from "../options.ts";
import { ROOT } from "../root.ts";
import { patchOfSource } from "../simulate/sources.ts";
import { type Checkout, copyCheckout } from "../torture/checkout.ts";
import { type Mutation, mutated, mutationsOf, shownIn } from "./mutations.ts";

const HELP = `npm run mutate -- [options]      changes the code at random, one place at a time, and lists the changes that survive
  --seed <number>       which places (default: by chance)
  --n <number>          how many (default 20)
  --only <path>         only files whose path contains this
  --seeds <number>      seeds to simulate for each change that no test kills (default 50)
`;
const OPTIONS = { seed: TEXT, n: TEXT, only: TEXT, seeds: TEXT } as const;

const ROOMS = ["src/relay", "src/store", "src/gateway", ...globSync("{packages,messengers}/*/src", { cwd: ROOT })];
/** A simulation that takes longer counts as killed, ms. */
const LIMIT_MS = 600_000;
/** Of virtual time: one and a half minutes. */
const DAYS = "0.001";
/** Share of the mutants to be killed. */
const MIN_KILLED = 0.9;

interface Mutant extends Mutation {
  file: string;
  text: string;
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const run = command(HELP, OPTIONS, async (options) => {
  const whole = (name: "seed" | "n" | "seeds", otherwise: number) =>
    numberIn(name, options[name], otherwise, "whole number");
  const [seed, n, seeds] = [whole("seed", Date.now() % 1_000_000), whole("n", 20), whole("seeds", 50)];
  const all = sources(options.only).flatMap(mutantsOf);
  if (all.length === 0) throw new UsageError(`--only "${options.only}" leaves no file`);
  const chosen = drawn(all, n, seed);
  print(`seed ${seed}: ${chosen.length} of ${all.length} mutants`);
  const checkout = copyCheckout();
  const survivors: string[] = [];
  try {
    const killed = createJudge(checkout, seeds);
    for (const mutant of chosen) {
      const by = killed(mutant);
      const { line, before, after } = shownIn(mutant.text, mutant);
      const words = `${mutant.file}:${line}  ${before}  ->  ${after}`;
      print(by ? `killed    ${words}\n            by ${by}` : `SURVIVED  ${words}`);
      if (!by) survivors.push(words);
    }
  } finally {
    checkout.remove();
  }
  print(`${chosen.length - survivors.length} of ${chosen.length} killed`);
  for (const words of survivors) print(`  ${words}`);
  return chosen.length - survivors.length >= MIN_KILLED * chosen.length ? 0 : 1;
});

/** Source paths of the code that carries messages. */
const sources = (only = ""): string[] =>
  ROOMS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
    .filter((file) => file.endsWith(".ts") && !file.includes("/browser/") && file.includes(only))
    .sort();

function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return mutationsOf(text).map((mutation) => ({ ...mutation, file, text }));
}

function drawn(all: Mutant[], n: number, seed: number): Mutant[] {
  const random = seeded(seed);
  const left = [...all];
  return Array.from({ length: Math.min(n, all.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

/** Returns who kills a mutant, if anyone. Throws when the tests fail without one. */
function createJudge({ folder, firstFailure }: Checkout, seeds: number): (mutant: Mutant) => string | undefined {
  const healthy = new Set<string>();
  const failure = ({ tests, onPostgres }: Group) =>
    firstFailure(tests, {
      options: [...(onPostgres ? ON_POSTGRES : ON_SQLITE), "--bail", "1", "--passWithNoTests"],
      env: { LONG: "", SUITE: onPostgres ? "long" : "" },
    });
  const prove = (group: Group) => {
    const name = JSON.stringify(group);
    // Once more: a busy machine may be to blame.
    const failed = healthy.has(name) ? undefined : failure(group) && failure(group);
    if (failed) throw new Error(`the tests fail without a change: ${failed}`);
    healthy.add(name);
  };
  return (mutant) => {
    const groups = testsOf(mutant.file)
      .map(({ tests, ...how }) => ({ ...how, tests: tests.filter((each) => existsSync(join(folder, each))) }))
      .filter(({ tests }) => tests.length > 0);
    const path = join(folder, mutant.file);
    try {
      for (const group of groups) {
        writeFileSync(path, mutant.text);
        prove(group);
        writeFileSync(path, mutated(mutant.text, mutant));
        const failed = failure(group);
        if (failed) return failed;
      }
      return seeds > 0 && breaksPromises(mutant, folder, seeds) ? "the simulation" : undefined;
    } finally {
      writeFileSync(path, mutant.text);
    }
  };
}

interface Group {
  /** Folders and files. */
  tests: string[];
  onPostgres?: boolean;
}
const ON_SQLITE = ["--project", "sqlite", "--project", "alone"];
const ON_POSTGRES = ["--project", "postgres"];

/** Of a part of the server: tests of its files, and those that look at it as a whole. */
const inBoth = (part: string) => [`test/unit/${part}`, `test/system/${part}`];

/** In the order in which they are tried: first the nearest, which kill most mutants, then those of its users. */
function testsOf(file: string): Group[] {
  const [room = "", part = ""] = file.replace("src/", "").split("/");
  const others = ["store", "relay", "module", "gateway", "http"].flatMap(inBoth);
  if (room === "packages") return [{ tests: [`packages/${part}/test`, "test/unit/domain", "messengers", ...others] }];
  if (room === "messengers") {
    const messengers = part === "meta" ? META : [part];
    return [{ tests: [...messengers.map((name) => `messengers/${name}/test`), "test/unit/operator/apps.test.ts"] }];
  }
  const onPostgres: Group = { tests: ["store", "relay"].flatMap(inBoth), onPostgres: true };
  // What both engines share is partly used by one.
  const users: Record<string, Group[]> = { postgres: [onPostgres], outbox: [{ tests: others }, onPostgres] };
  return [{ tests: inBoth(dirname(file).replace("src/", "")) }, ...(users[part] ?? [{ tests: others }])];
}
const META = ["meta", "facebook", "instagram", "whatsapp"];

/**
 * Whether the built server with the same change breaks a promise in a simulation, or hangs, and without it does not.
 */
function breaksPromises(mutant: Mutant, folder: string, seeds: number): boolean {
  const fails = (text: string, runs: number) => simulationFails(mutant.file, text, folder, runs);
  // It fails by itself with a file that is not part of the server.
  return !fails(mutant.text, 1) && fails(mutated(mutant.text, mutant), seeds);
}

/** `text`: of the file, instead of what is built. */
function simulationFails(source: string, text: string, folder: string, runs: number): boolean {
  const patch = join(folder, "patch.json");
  writeFileSync(patch, JSON.stringify([patchOfSource(source.replace(/^src\//, ""), text)]));
  const args = ["--seed", "1", "--runs", String(runs), "--days", DAYS, "--patch", patch];
  const { status } = spawnSync(process.execPath, [join(ROOT, "tools/dist/simulate/main.js"), ...args], {
    ...{ cwd: ROOT, stdio: "ignore", timeout: LIMIT_MS },
  });
  return status !== 0;
}

runToEnd("mutate", () => run(process.argv.slice(2)));
