import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { accept, grouped, peer } from "./figures/accept.ts";
import { backup } from "./figures/backup.ts";
import { claimCost } from "./figures/claim.ts";
import { commands } from "./figures/commands.ts";
import { crm } from "./figures/crm.ts";
import { endToEnd } from "./figures/end-to-end.ts";
import type { Measure, Row, Scale } from "./figures/figure.ts";
import { fleet } from "./figures/fleet.ts";
import { idleChannels, starting } from "./figures/footprint.ts";
import { handOver } from "./figures/hand-over.ts";
import { mixedCost, webchatCost } from "./figures/kinds.ts";
import { lone } from "./figures/lone.ts";
import { pace } from "./figures/pace.ts";
import { pages } from "./figures/pages.ts";
import { onPostgres } from "./figures/postgres.ts";
import { soak } from "./figures/soak.ts";
import { streams } from "./figures/streams.ts";
import { memory, sustained } from "./figures/sustained.ts";
import { visitors } from "./figures/visitors.ts";

import type { Figure } from "./rounds.ts";
import { intoDocument, tableOf } from "./table.ts";

const MEASURES: Record<string, Measure> = {
  accept,
  grouped,
  peer,
  lone,
  pace,
  "end-to-end": endToEnd,
  postgres: onPostgres,
  "hand-over": handOver,
  mixed: mixedCost,
  webchat: webchatCost,
  claim: claimCost,
  idle: idleChannels,
  start: starting,
  commands,
  pages,
  fleet,
  streams,
  visitors,
  soak,
  sustained,
  memory,
  backup,
  crm,
};
const HELP = `npm run bench -- [--quick | --long] [--only <name>]... [--against <file>] [--accounts <n>] [--write]
  --only   ${Object.keys(MEASURES).join(", ")}
  --against <main.js>   measure end-to-end alternately with another build
  --accounts <n>   measure end-to-end alternately with so many accounts (10, 2000, 10000), 200 beside
  --quick  fewer and shorter rounds
  --long   the sustained figures in full: an hour, ten minutes, a million messages, a gibibyte
  --write  write the table into docs/benchmarks.md
The figures are stored in tools/bench/latest.json; an --only run replaces only its own.\n`;

const LATEST = join(ROOT, "tools", "bench", "latest.json");
const print = (text: string) => process.stdout.write(`${text}\n`);

function namesIn(args: string[]): string[] {
  const names = args.flatMap((arg, n) => (args[n - 1] === "--only" ? [arg] : []));
  const unknown = names.filter((name) => !(name in MEASURES));
  if (unknown.length > 0) throw new Error(`unknown figure: ${unknown}\n${HELP}`);
  return names.length > 0 ? names : Object.keys(MEASURES);
}

async function run(args: string[]): Promise<void> {
  if (args.includes("--help")) return void print(HELP);
  const scale: Scale = args.includes("--quick") ? "quick" : args.includes("--long") ? "long" : "usual";
  const after = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const accounts = after("--accounts");
  const options = { against: after("--against"), accounts: accounts ? Number(accounts) : undefined };
  const rows: Row[] = [];
  for (const name of namesIn(args)) {
    process.stderr.write(`${name} …\n`);
    for (const row of (await MEASURES[name]?.(scale, options)) ?? []) {
      rows.push(row);
      print(tableOf([row]).split("\n").at(-1) ?? "");
    }
  }
  print(`\n${tableOf(rows)}`);
  save(rows, scale);
  if (args.includes("--write")) intoDocument(join(ROOT, "docs", "benchmarks.md"), stored());
}

interface Stored {
  figures: Record<string, Omit<Row, "name" | "figure"> & Figure & { scale: Scale }>;
}

/** Updates the stored figures; those not measured now stay. */
function save(rows: Row[], scale: Scale): void {
  const { figures }: Stored = existsSync(LATEST) ? JSON.parse(readFileSync(LATEST, "utf8")) : { figures: {} };
  for (const { name, figure, ...row } of rows) figures[name] = { ...row, ...figure, scale };
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
  writeFileSync(LATEST, `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
}

/** All stored figures. */
function stored(): Row[] {
  const { figures }: Stored = JSON.parse(readFileSync(LATEST, "utf8"));
  return Object.entries(figures).map(([name, { value, least, most, ...row }]) => ({
    ...row,
    name,
    figure: { value, least, most },
  }));
}

await run(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
