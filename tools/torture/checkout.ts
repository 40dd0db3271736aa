import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { linkPackages } from "./copy.ts";

/** A copy of the sources that may be changed, and tested. */
export interface Checkout {
  folder: string;
  /** The first of these tests that fails in its long form; undefined if none does. A run that hangs fails. */
  firstFailure(tests: string[], how?: { options?: string[]; env?: Record<string, string> }): string | undefined;
  remove(): void;
}

const NOT_COPIED = ["node_modules", "dist", ".git", "test-output", "data"];
const TESTS_MS = 300_000;

/** Throws outside a checkout with tests. */
export function copyCheckout(): Checkout {
  if (!existsSync(join(ROOT, "test"))) throw new Error("no tests found: run this in a checkout");
  const folder = mkdtempSync(join(tmpdir(), "gangway-checkout-"));
  // Some tests run as another user, who must be able to read the program.
  chmodSync(folder, 0o755);
  // The packages are found as they are built.
  const filter = (path: string) => !/\/dist$/.test(path) || /\/(packages|messengers)\/[^/]+\/dist$/.test(path);
  for (const part of readdirSync(ROOT).filter((name) => !NOT_COPIED.includes(name)))
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter });
  linkPackages(folder);
  return {
    folder,
    firstFailure(tests, { options = [], env } = {}) {
      const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
      const run = spawnSync(process.execPath, [vitest, "run", "--reporter=tap-flat", ...options, ...tests], {
        cwd: folder,
        env: { ...process.env, SUITE: "", LONG: "1", ...env },
        encoding: "utf8",
        timeout: TESTS_MS,
        maxBuffer: 64 * 1024 ** 2,
      });
      if (run.status === 0) return undefined;
      // What was not run any more is not ok, too, but has no error.
      const failed = /^not ok \d+ - (.+?)(?: # time.*)?\n\s+---\n\s+error:/m.exec(run.stdout)?.[1];
      return failed ?? "the tests did not finish";
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
