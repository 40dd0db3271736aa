import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../random.ts";
import { patchedServer } from "./copy.ts";
import { crashes } from "./crashes.ts";
import { brokenNetwork, kills, killsOnHold, powerCuts, rollingRestarts } from "./deaths.ts";
import { fullDisk } from "./disk.ts";
import { type Figure, tableOf } from "./figure.ts";
import { syncBeforeAnswer } from "./order.ts";
import { poison } from "./poison.ts";
import { repeats } from "./repeats.ts";
import { deadMessenger, floodingTenant } from "./tenants.ts";
import type { Bench, Trial } from "./trial.ts";

export const TRIALS: Trial[] = [
  kills,
  killsOnHold,
  crashes,
  powerCuts,
  syncBeforeAnswer,
  rollingRestarts,
  brokenNetwork,
  repeats,
  poison,
  fullDisk,
  floodingTenant,
  deadMessenger,
];

export interface TortureOptions {
  short: boolean;
  seed: number;
  /** Names of trials; all when absent. */
  only?: string[];
  env: Record<string, string>;
  print(line: string): void;
}

export async function torture(options: TortureOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const trial of TRIALS.filter(({ name }) => !options.only || options.only.includes(name))) {
    const began = Date.now();
    const own = await runTrial(trial, options);
    figures.push(...own);
    options.print(`${trial.name}: ${Math.round((Date.now() - began) / 1000)} s\n${tableOf(own)}\n`);
  }
  return figures;
}

export async function runTrial(trial: Trial, options: Omit<TortureOptions, "only">, sabotage: Bench["sabotage"] = []) {
  const root = mkdtempSync(join(tmpdir(), "gangway-torture-"));
  let folders = 0;
  const folder = () => mkdtempSync(join(root, `${folders++}-`));
  const bench: Bench = {
    ...options,
    folder,
    sabotage,
    random: seeded(options.seed),
    program: (patches = []) => patchedServer(folder(), [...sabotage, ...patches]),
  };
  try {
    return await trial.run(bench);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
