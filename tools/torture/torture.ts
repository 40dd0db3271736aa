import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "gangway-sandbox";
import { startPostgres, WITHOUT_SYNC } from "../postgres-server.ts";
import { innocentWaiting } from "./blame.ts";
import { type Patch, patchedServer } from "./copy.ts";
import { crashes } from "./crashes.ts";
import { databaseGone } from "./database.ts";
import { brokenNetwork, kills, killsOnHold, powerCuts, rollingRestarts } from "./deaths.ts";
import { fullAtStart, fullDisk } from "./disk.ts";
import { farewells } from "./farewells.ts";
import { type Figure, tableOf } from "./figure.ts";
import { grid } from "./grid/grid.ts";
import { HURRY } from "./hurry.ts";
import { clockJumps, fewDescriptors } from "./machine.ts";
import { noisyUser } from "./noisy-user.ts";
import { oneRefusal } from "./one-refusal.ts";
import { poison } from "./poison.ts";
import { databaseFull } from "./processes/full.ts";
import { handedOver } from "./processes/handed-over.ts";
import { clocksApart, databaseLost, processes } from "./processes/processes.ts";
import { holdersStopped } from "./processes/stopped.ts";
import { proofs } from "./proofs.ts";
import { repeats } from "./repeats.ts";
import { stalls } from "./stalls.ts";
import { syncBeforeAnswer } from "./sync-order.ts";
import { deadMessenger, floodingTenant } from "./tenants.ts";
import type { LedgerSums, Trial, TrialContext } from "./trial.ts";
import { whatsapp } from "./whatsapp.ts";

export const TRIALS: Trial[] = [
  kills,
  killsOnHold,
  crashes,
  powerCuts,
  syncBeforeAnswer,
  rollingRestarts,
  brokenNetwork,
  whatsapp,
  repeats,
  poison,
  innocentWaiting,
  fullDisk,
  fullAtStart,
  floodingTenant,
  deadMessenger,
  noisyUser,
  oneRefusal,
  databaseGone,
  clockJumps,
  fewDescriptors,
  farewells,
  stalls,
  processes,
  databaseLost,
  clocksApart,
  databaseFull,
  handedOver,
  holdersStopped,
  grid,
  proofs,
];

/** Of several processes: they start their own PostgreSQL. */
export const SEVERAL = [processes, databaseLost, clocksApart, databaseFull, handedOver, holdersStopped];
/** What they do to the server's own files. */
const OF_FILES = [powerCuts, syncBeforeAnswer, fullDisk, fullAtStart, databaseGone, proofs];
/** Those that make sense on PostgreSQL. */
export const ON_POSTGRES = TRIALS.filter((trial) => !OF_FILES.includes(trial));

export interface TortureOptions {
  short: boolean;
  /** Single servers store everything on PostgreSQL (default: SQLite). Several processes always do. */
  postgres?: boolean;
  /** See `TrialContext` (default 1). */
  slack?: number;
  seed: number;
  /** Names of trials (default: all). */
  only?: string[];
  cells?: string[];
  env: Record<string, string>;
  print(line: string): void;
}

export interface TortureResult {
  figures: Figure[];
  injected: Record<string, number>;
  ledger: LedgerSums;
}

const emptyBooks = (): Books => ({
  injected: {},
  ledger: { accepted: 0, delivered: 0, refused: 0, waiting: 0, hole: 0 },
});
type Books = Pick<TortureResult, "injected" | "ledger">;

export async function torture(options: TortureOptions): Promise<TortureResult> {
  const figures: Figure[] = [];
  const books = emptyBooks();
  for (const trial of (options.postgres ? ON_POSTGRES : TRIALS).filter(
    ({ name }) => !options.only || options.only.includes(name),
  )) {
    const began = Date.now();
    const own = await runTrial(trial, options, [], books);
    figures.push(...own);
    options.print(`${trial.name}: ${Math.round((Date.now() - began) / 1000)} s\n${tableOf(own)}\n`);
  }
  return { figures, ...books };
}

/** Runs one trial in an empty folder. `sabotage` patches the server; the books accumulate. */
export async function runTrial(
  trial: Trial,
  options: Omit<TortureOptions, "only">,
  sabotage: Patch[] = [],
  { injected, ledger }: Books = emptyBooks(),
): Promise<Figure[]> {
  const root = mkdtempSync(join(tmpdir(), "gangway-torture-"));
  let [folders, databases] = [0, 0];
  const folder = () => mkdtempSync(join(root, `${folders++}-`));
  const postgres = options.postgres && !SEVERAL.includes(trial) ? await startPostgres(WITHOUT_SYNC) : undefined;
  // The grid loses no process, and judges each attempt.
  const hurry = postgres && trial !== grid ? HURRY : [];
  const context: TrialContext = {
    slack: 1,
    ...options,
    env: { ...options.env, ...(postgres && { DATABASE_URL: postgres.url }) },
    newDatabase: async () => ({
      ...(postgres && { DATABASE_URL: await postgres.newDatabase(`trial_${databases++}`) }),
    }),
    folder,
    random: seeded(options.seed),
    program: (patches = []) => patchedServer(folder(), [...hurry, ...sabotage, ...patches]),
    injected: (what, count) => {
      if (count > 0) injected[what] = (injected[what] ?? 0) + count;
    },
    balance: (sums) => {
      for (const of of Object.keys(ledger) as (keyof LedgerSums)[]) ledger[of] += sums[of];
    },
  };
  try {
    return await trial.run(context);
  } finally {
    await postgres?.stop();
    rmSync(root, { recursive: true, force: true });
  }
}
