import { PatchMisfit } from "../torture/copy.ts";
import type { Unsynced } from "../torture/power-cut.ts";
import type { Sabotage } from "../torture/sabotage.ts";
import { SABOTAGES } from "../torture/sabotages.ts";
import { programs, simulate } from "./simulate.ts";
import { patchesOfSources } from "./sources.ts";

/** Of CPU, for the seeds of one sabotage, µs. */
const WITHIN_MICROSECONDS = 60_000_000;
const DAYS = 0.003;

/** Runs seeds without each protection, until a promise is broken. `only`: part of its words. */
export async function sabotageAll(
  seed: number,
  { only = "", unsynced }: { only?: string; unsynced?: Unsynced },
  print: (line: string) => void,
): Promise<void> {
  const chosen = SABOTAGES.filter(({ promise, what }) => `${promise} ${what}`.includes(only));
  let [tried, missed] = [0, 0];
  for (const sabotage of chosen) {
    const found = await finding(sabotage, seed, unsynced);
    if (found === undefined) continue;
    tried += 1;
    if (!found) missed += 1;
    print(
      `${found ? "noticed    " : "not noticed"}  ${sabotage.promise.padEnd(4)} ${sabotage.what}${found && `: ${found}`}`,
    );
  }
  print(`${tried - missed} of ${tried} noticed; ${chosen.length - tried} do not fit the simulated program`);
}

/** The first promise that breaks, "" if none does; undefined if the sabotage does not concern the simulated program. */
async function finding({ patches, tests }: Sabotage, first: number, unsynced?: Unsynced): Promise<string | undefined> {
  const build = async () => programs(tests ? patchesOfSources(patches) : patches);
  const built = await build().catch((error: unknown) => {
    if (!(error instanceof PatchMisfit)) throw error;
  });
  if (!built) return undefined;
  const before = process.cpuUsage();
  for (let seed = first; process.cpuUsage(before).user < WITHIN_MICROSECONDS; seed++) {
    const { findings } = await simulate(built, { seed, days: DAYS, accounts: 2, unsynced });
    if (findings[0]) return `seed ${seed}: ${findings[0].split("\n", 1)[0]}`;
  }
  return "";
}
