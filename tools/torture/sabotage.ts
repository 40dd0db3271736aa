import { copyCheckout } from "./checkout.ts";
import { applyPatch, type Patch, PatchMisfit } from "./copy.ts";
import { runTrial, type TortureOptions, TRIALS } from "./torture.ts";

/** A protection to remove, and the trial or tests that must notice. */
export interface Sabotage {
  promise: string;
  what: string;
  patches: Patch[];
  /** A trial whose figures must leave their bounds. */
  trial?: string;
  /** For the grid: only these cells. */
  cells?: string[];
  /** Test files that must fail; the patches then apply to the source. */
  tests?: string[];
}

/** Returns how many were not caught. */
export async function sabotageAll(sabotages: Sabotage[], options: TortureOptions): Promise<number> {
  const chosen = sabotages.filter(({ what }) => !options.only || options.only.some((words) => what.includes(words)));
  let missed = 0;
  for (const sabotage of chosen) {
    const by = await caughtBy(sabotage, options);
    if (!by) missed += 1;
    options.print(
      `${by ? "caught    " : "NOT CAUGHT"}  ${sabotage.promise.padEnd(4)} ${sabotage.what}${by && `: ${by}`}`,
    );
  }
  options.print(`${chosen.length - missed} of ${chosen.length} sabotages caught`);
  return missed;
}

async function caughtBy({ trial, tests, patches, cells }: Sabotage, options: TortureOptions): Promise<string> {
  if (tests) return failingTests(tests, patches);
  const found = TRIALS.find(({ name }) => name === trial);
  if (!found) throw new Error(`unknown trial: ${trial}`);
  try {
    const figures = await runTrial(found, { ...options, cells, print: () => undefined }, patches);
    const out = figures.find(({ pass }) => pass === false);
    return out ? `${found.name}, ${out.what} (${out.figure})` : "";
  } catch (error) {
    if (error instanceof PatchMisfit) throw error;
    return `${found.name}, ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`;
  }
}

/** Runs the tests on a copy of the source, unpatched and patched; returns the first test that only the patch makes fail. */
function failingTests(tests: string[], patches: Patch[]): string {
  const checkout = copyCheckout();
  try {
    // A test that fails without the patch proves nothing.
    const without = checkout.firstFailure(tests);
    if (without) throw new Error(`the tests fail without the sabotage: ${without}`);
    for (const patch of patches) applyPatch(checkout.folder, "src", patch);
    return checkout.firstFailure(tests) ?? "";
  } finally {
    checkout.remove();
  }
}
