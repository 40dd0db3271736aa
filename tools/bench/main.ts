import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { accept, grouped } from "./figures/accept.ts";
import { backup } from "./figures/backup.ts";
import { claimCost } from "./figures/claim.ts";
import { endToEnd } from "./figures/end-to-end.ts";
import type { Line, Measure, Scale } from "./figures/figure.ts";
import { idleChannels, starting } from "./figures/footprint.ts";
import { lone } from "./figures/lone.ts";
import { pace } from "./figures/pace.ts";
import { memory, sustained } from "./figures/sustained.ts";
import type { Figure } from "./rounds.ts";
import { intoReadme, tableOf } from "./table.ts";

const MEASURES: Record<string, Measure> = {
  accept,
  grouped,
  lone,
  pace,
  "end-to-end": endToEnd,
  claim: claimCost,
  idle: idleChannels,
  start: starting,
  sustained,
  memory,
  backup,
};
const HELP = `npm run bench -- [--quick | --long] [--only <name>]... [--against <file>] [--write]
  --only   ${Object.keys(MEASURES).join(", ")}
  --against <main.js of another build>   end-to-end of both in turn
  --quick  fewer and shorter rounds
  --long   the sustained figures in full: ten minutes, a million messages, a gibibyte
  --write  puts the table into README.md
The figures go to tools/bench/latest.json, those of an --only run beside what is there.\n`;

const LATEST = join(ROOT, "tools", "bench", "latest.json");
const print = (text: string) => process.stdout.write(`${text}\n`);

function namesIn(args: string[]): string[] {
  const names = args.flatMap((arg, n) => (args[n - 1] === "--only" ? [arg] : []));
  const unknown = names.filter((name) => !(name in MEASURES));
  if (unknown.length > 0) throw new Error(`there is no figure "${unknown}"\n${HELP}`);
  return names.length > 0 ? names : Object.keys(MEASURES);
}

async function run(args: string[]): Promise<void> {
  if (args.includes("--help")) return void print(HELP);
  const scale: Scale = args.includes("--quick") ? "quick" : args.includes("--long") ? "long" : "usual";
  const against = args.includes("--against") ? args[args.indexOf("--against") + 1] : undefined;
  const lines: Line[] = [];
  for (const name of namesIn(args)) {
    process.stderr.write(`${name} …\n`);
    for (const line of (await MEASURES[name]?.(scale, against)) ?? []) {
      lines.push(line);
      print(tableOf([line]).split("\n").at(-1) ?? "");
    }
  }
  print(`\n${tableOf(lines)}`);
  keep(lines, scale);
  if (args.includes("--write")) intoReadme(join(ROOT, "README.md"), kept());
}

interface Kept {
  figures: Record<string, Omit<Line, "name" | "figure"> & Figure & { scale: Scale }>;
}

/** What was not measured now stays as it was. */
function keep(lines: Line[], scale: Scale): void {
  const { figures }: Kept = existsSync(LATEST) ? JSON.parse(readFileSync(LATEST, "utf8")) : { figures: {} };
  for (const { name, figure, ...line } of lines) figures[name] = { ...line, ...figure, scale };
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
  writeFileSync(LATEST, `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);
}

/** Every line that is kept, in the order of the measures. */
function kept(): Line[] {
  const { figures }: Kept = JSON.parse(readFileSync(LATEST, "utf8"));
  return Object.entries(figures).map(([name, { value, least, most, ...line }]) => ({
    ...line,
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
