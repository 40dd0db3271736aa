import { writeFileSync } from "node:fs";
import { command, FLAG, runToEnd, TEXT } from "gangway-sandbox";
import { tableOf } from "./figure.ts";
import { receiptOf } from "./receipt.ts";
import { sabotageAll } from "./sabotage.ts";
import { SABOTAGES } from "./sabotages.ts";
import { torture } from "./torture.ts";

const HELP = `npm run torture -- [options]          every promise under crashes, power cuts, floods and a broken network
  --short               run for minutes instead of hours
  --only <names>        run these trials, comma-separated
  --cell <name>         run only this cell of the grid; repeatable
  --postgres            single servers store everything on PostgreSQL; what is about files is left out
  --seed <number>       seed of the random moments
  --json <file>         write the figures, the injected faults and the ledger's sums
  --receipt <file>      the same, for a release to ship: it includes a hash
  --sabotage            remove each protection in turn: a trial or test must notice
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

const OPTIONS = {
  short: FLAG,
  only: TEXT,
  cell: { type: "string", multiple: true },
  postgres: FLAG,
  seed: TEXT,
  json: TEXT,
  receipt: TEXT,
  sabotage: FLAG,
} as const;

const run = command(HELP, OPTIONS, async (options) => {
  const seed = Number(options.seed ?? Date.now() % 1_000_000);
  print(`seed ${seed}`);
  const given = {
    short: options.short ?? options.sabotage ?? false,
    ...{ seed, postgres: options.postgres },
    only: options.cell ? ["grid"] : options.only?.split(","),
    cells: options.cell,
    env: { ...(process.env as Record<string, string>), LOG_LEVEL: process.env.LOG_LEVEL ?? "error" },
    print,
  };
  if (options.sabotage) return Math.min(1, await sabotageAll(SABOTAGES, given));
  const began = Date.now();
  const result = await torture(given);
  const receipt = receiptOf(result, { ...given, began, ended: Date.now() });
  print(tableOf(result.figures));
  for (const file of [options.json, options.receipt])
    if (file) writeFileSync(file, `${JSON.stringify(receipt, undefined, 2)}\n`);
  const failed = result.figures.filter(({ pass }) => pass === false);
  print(failed.length === 0 ? "Every promise was kept." : `${failed.length} figures are out of bounds`);
  return failed.length === 0 ? 0 : 1;
});

runToEnd("torture", () => run(process.argv.slice(2)));
