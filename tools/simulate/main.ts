import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, FLAG, runToEnd, TEXT, UsageError } from "gangway-sandbox";
import { numberIn } from "../options.ts";
import type { Patch } from "../torture/copy.ts";
import { createPowerCut, unsyncedIn } from "../torture/power-cut.ts";
import { sabotageAll } from "./sabotage.ts";
import { shrink } from "./shrink.ts";
import {
  foldersOf,
  INTERVAL_MS,
  type Options,
  type Outcome,
  type Programs,
  programs,
  repeating,
  simulate,
} from "./simulate.ts";

const HELP = `npm run simulate -- [options]         the whole server and its world in one process and virtual time
  --seed <number>       what happens (default: by chance)
  --runs <number>       as many seeds, from that one on (default 1: which then looks for the fewest faults that break a promise)
  --days <number>       of virtual time (default 0.005, seven minutes)
  --accounts <number>   (default 2)
  --messenger <kind>    the first account's: any whose package has an emulator with a customer (default: Telegram or WhatsApp)
  --interval <seconds>  between two messages of a person, on average (default 10)
  --faults <numbers>    only these of the seed's faults, comma-separated, as a broken promise names them; none: no fault
  --power-cuts          half of the deaths lose what is not synced (needs a C compiler)
  --trace               print every call and death
  --log                 print the server's log
  --patch <file>        change the server's compiled modules first: a JSON list of {"file", "find", "replace"}
  --sabotage [--only <words>]   remove each protection of the torture in turn: says which ones a minute of seeds notices
`;

const OPTIONS = {
  ...{ seed: TEXT, runs: TEXT, days: TEXT, accounts: TEXT, interval: TEXT, messenger: TEXT },
  ...{ faults: TEXT, trace: FLAG, log: FLAG, "power-cuts": FLAG, sabotage: FLAG, only: TEXT, patch: TEXT },
} as const;
/** Simulations spent on minimizing the faults that break a promise. */
const TRIES = 40;
const NONE = "none";

const print = (line: string) => process.stdout.write(`${line}\n`);

const run = command(HELP, OPTIONS, async (options) => {
  const logs = process.env.POWER_UNDO;
  if (options["power-cuts"] && logs === undefined) return recorded();
  const unsynced = options["power-cuts"] && logs !== undefined ? unsyncedIn(logs) : undefined;
  const first = numberIn("seed", options.seed, Date.now() % 1_000_000);
  const runs = numberIn("runs", options.runs, 1);
  if (options.sabotage) {
    if (options.patch !== undefined) throw new UsageError("--sabotage brings patches of its own");
    await sabotageAll(first, { only: options.only, unsynced }, print);
    return 0;
  }
  const built = await programs(patchesIn(options.patch), options.messenger);
  let broken = 0;
  for (let seed = first; seed < first + runs; seed++) {
    const given: Options = {
      ...{ seed, days: numberIn("days", options.days, 0.005), accounts: numberIn("accounts", options.accounts, 2) },
      messenger: options.messenger,
      intervalMs: 1_000 * numberIn("interval", options.interval, INTERVAL_MS / 1_000),
      ...{ trace: options.trace ? print : undefined, unsynced },
    };
    const numbers = options.faults === NONE ? [] : options.faults?.split(",").map((n) => numberIn("faults", n, 0));
    const began = performance.now();
    const outcome = numbers ? await withFaults(built, given, numbers) : await simulate(built, given);
    print(wordsOf(seed, outcome, (performance.now() - began) / 1000));
    if (options.log) for (const line of outcome.log) print(line);
    for (const finding of outcome.findings) print(`  ${finding}`);
    if (outcome.findings.length === 0) continue;
    broken += 1;
    if (numbers) continue;
    // With many seeds, explaining one is enough.
    if (runs > 1) print(`  ${repeating(given, options.patch)}   looks for the fewest faults that break it`);
    else await explain(built, given, outcome, options.patch);
  }
  print(broken === 0 ? "Every promise was kept." : `${broken} seeds broke a promise`);
  return broken === 0 ? 0 : 1;
});

/** Runs the same command in a process whose writes are recorded; resolves with its exit code. */
async function recorded(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-power-"));
  try {
    const env = { ...process.env, ...createPowerCut(folder).env(foldersOf()) };
    const { status } = spawnSync(process.execPath, process.argv.slice(1), { env, stdio: "inherit" });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws UsageError. */
function patchesIn(file: string | undefined): Patch[] {
  if (file === undefined) return [];
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--patch ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const wordsOf = (seed: number, { messages, deaths, ms, steps, faults, hash }: Outcome, seconds: number) =>
  `seed ${seed}: ${messages} messages, ${faults.length} faults, ${deaths} deaths, ${steps} steps, ` +
  `${(ms / 3_600_000).toFixed(1)} h in ${seconds.toFixed(1)} s, trace ${hash.slice(0, 12)}`;

/** The numbers are those of the seed's faults when all of them happen. */
async function withFaults(built: Programs, given: Options, numbers: number[]): Promise<Outcome> {
  const { faults } = await simulate(built, { ...given, trace: undefined });
  return simulate(built, { ...given, only: new Set(numbers.map((n) => faults[n] ?? "")) });
}

/** The first words, which say what was found; names and numbers follow. */
const kindOf = (finding: string) =>
  finding
    .replace(/^account \d+, chat \d+: /, "")
    .split(" ", 3)
    .join(" ");

/** Prints a minimal set of faults that breaks a promise, and how to repeat it. */
async function explain(
  built: Programs,
  given: Options,
  { faults, findings }: Outcome,
  patch: string | undefined,
): Promise<void> {
  const quiet = { ...given, trace: undefined };
  const [kind] = findings.map(kindOf);
  const breaks = async (left: string[]) =>
    (await simulate(built, { ...quiet, only: new Set(left) })).findings.some((finding) => kindOf(finding) === kind);
  const left = await shrink(faults, breaks, TRIES);
  print(`  after these of its ${faults.length} faults a promise is still broken:`);
  for (const fault of left) print(`    ${fault}`);
  const numbers = left.map((fault) => faults.indexOf(fault)).join(",") || NONE;
  print(`  ${repeating(given, patch)} --faults ${numbers}`);
}

runToEnd("simulate", () => run(process.argv.slice(2)));
