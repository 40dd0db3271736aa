import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
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

const NOT_COPIED = ["node_modules", "dist", ".git", "test-output", "data"];

/** Runs the tests on a copy of the source, unpatched and patched; returns the first test that only the patch makes fail. */
function failingTests(tests: string[], patches: Patch[]): string {
  if (!existsSync(join(ROOT, "test"))) throw new Error("no tests found: run this in a checkout");
  const folder = mkdtempSync(join(tmpdir(), "gangway-sabotage-"));
  // Some tests run as another user, who must be able to read the program.
  chmodSync(folder, 0o755);
  try {
    for (const part of readdirSync(ROOT).filter((name) => !NOT_COPIED.includes(name)))
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    // A test that fails without the patch proves nothing.
    const without = firstFailure(folder, tests);
    if (without) throw new Error(`the tests fail without the sabotage: ${without}`);
    for (const patch of patches) applyPatch(join(folder, "src"), patch);
    return firstFailure(folder, tests);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TESTS_MS = 300_000;

function firstFailure(folder: string, tests: string[]): string {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const run = spawnSync(process.execPath, [vitest, "run", "--reporter=tap-flat", ...tests], {
    cwd: folder,
    encoding: "utf8",
    timeout: TESTS_MS,
    maxBuffer: 64 * 1024 ** 2,
  });
  const failed = /^not ok \d+ - (.+?)(?: # time.*)?$/m.exec(run.stdout)?.[1];
  return run.status === 0 ? "" : (failed ?? "the tests did not finish");
}
