import { command, FLAG, runToEnd, TEXT } from "gangway-sandbox";
import { sabotageAll } from "./sabotage.ts";
import { shrink } from "./shrink.ts";
import { type Options, type Outcome, type Programs, programs, simulate } from "./simulate.ts";

const HELP = `npm run simulate -- [options]         the whole server and its world in one process and virtual time
  --seed <number>       what happens (default: by chance)
  --runs <number>       as many seeds, from that one on (default 1)
  --days <number>       of virtual time (default 0.02, half an hour)
  --accounts <number>   (default 2)
  --faults <numbers>    only these of the seed's faults, comma-separated, as a broken promise names them
  --trace               print every call and death
  --log                 print the server's log
  --sabotage [--only <words>]   remove each protection of the torture in turn: a minute of seeds must notice
`;

const OPTIONS = {
  ...{ seed: TEXT, runs: TEXT, days: TEXT, accounts: TEXT },
  ...{ faults: TEXT, trace: FLAG, log: FLAG, sabotage: FLAG, only: TEXT },
} as const;
/** Simulations spent on finding the fewest faults that break a promise. */
const TRIES = 40;

const print = (line: string) => process.stdout.write(`${line}\n`);

const run = command(HELP, OPTIONS, async (options) => {
  const first = Number(options.seed ?? Date.now() % 1_000_000);
  if (options.sabotage) return sabotageAll(first, options.only, print);
  const built = await programs();
  let broken = 0;
  for (let seed = first; seed < first + Number(options.runs ?? 1); seed++) {
    const given: Options = {
      ...{ seed, days: Number(options.days ?? 0.02), accounts: Number(options.accounts ?? 2) },
      trace: options.trace ? print : undefined,
    };
    const numbers = options.faults?.split(",").map(Number);
    const began = performance.now();
    const outcome = numbers ? await withFaults(built, given, numbers) : await simulate(built, given);
    print(wordsOf(seed, outcome, (performance.now() - began) / 1000));
    if (options.log) for (const line of outcome.log) print(line);
    for (const finding of outcome.findings) print(`  ${finding}`);
    if (outcome.findings.length === 0) continue;
    broken += 1;
    if (!numbers) await explain(built, given, outcome);
  }
  print(broken === 0 ? "Every promise was kept." : `${broken} seeds broke a promise`);
  return broken === 0 ? 0 : 1;
});

const wordsOf = (seed: number, { messages, deaths, ms, steps, faults, hash }: Outcome, seconds: number) =>
  `seed ${seed}: ${messages} messages, ${faults.length} faults, ${deaths} deaths, ${steps} steps, ` +
  `${(ms / 3_600_000).toFixed(1)} h in ${seconds.toFixed(1)} s, trace ${hash.slice(0, 12)}`;

/** The numbers are those of the seed's faults when all of them happen. */
async function withFaults(built: Programs, given: Options, numbers: number[]): Promise<Outcome> {
  const { faults } = await simulate(built, { ...given, trace: undefined });
  return simulate(built, { ...given, only: new Set(numbers.map((n) => faults[n] ?? "")) });
}

/** Prints the fewest faults that break a promise, and how to repeat them. */
async function explain(built: Programs, given: Options, { faults }: Outcome): Promise<void> {
  const quiet = { ...given, trace: undefined };
  const breaks = async (left: string[]) =>
    (await simulate(built, { ...quiet, only: new Set(left) })).findings.length > 0;
  const left = await shrink(faults, breaks, TRIES);
  print(`  after these of its ${faults.length} faults a promise is still broken:`);
  for (const fault of left) print(`    ${fault}`);
  const numbers = left.map((fault) => faults.indexOf(fault)).join(",");
  print(
    `  npm run simulate -- --seed ${given.seed} --days ${given.days} --accounts ${given.accounts} --faults ${numbers}`,
  );
}

runToEnd("simulate", () => run(process.argv.slice(2)));
