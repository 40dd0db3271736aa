import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import type { Figure } from "./figure.ts";
import type { Trial } from "./trial.ts";

/** A promise proved by tests, which can simulate the clock and look inside. */
interface Proof {
  promise: string;
  what: string;
  tests: string[];
  /** Days that pass on these tests' clock. */
  days?: number;
}

export const PROOFS: Proof[] = [
  { promise: "P13", what: "the gateway answers 429 for a minute", tests: ["test/system/relay/promises"] },
  { promise: "P14", what: "the gateway is down for a day", tests: ["test/system/relay/promises"], days: 1 },
  { promise: "P17", what: "poison messages, and innocent ones beside them", tests: ["test/system/relay/promises"] },
  { promise: "P18", what: "a thousand dead letters sent again", tests: ["test/unit/operator/dead"] },
  {
    promise: "P20",
    what: "backup under load, and restore",
    tests: ["test/unit/operator/backup", "test/unit/store/care/backup"],
  },
  {
    promise: "P22",
    what: "addresses that are not public",
    tests: ["test/system/threats/addresses", "test/unit/calls/outgoing"],
  },
  { promise: "P23", what: "planted secrets", tests: ["test/system/threats/secrets", "test/unit/log"] },
  { promise: "P28", what: "ten thousand secrets resealed", tests: ["test/unit/operator/keys"] },
  { promise: "P29", what: "every route with another account's ids", tests: ["test/system/threats/tenants"] },
  { promise: "P3", what: "lanes and settling against a model", tests: ["test/model"] },
  { promise: "P1", what: "the ledger balances after every step", tests: ["test/unit/store/outbox.ledger"] },
];

/** Characters of what tests that did not run have printed. */
const SHOWN = 2_000;

/** Skipped in the short run, which runs beside the tests. */
export const proofs: Trial = {
  name: "proofs",
  async run({ short, print }): Promise<Figure[]> {
    if (short) return [];
    if (!existsSync(join(ROOT, "test")))
      return PROOFS.map(({ promise, what }) => ({ promise, what, figure: "needs a checkout with tests", bound: "" }));
    return PROOFS.map((proof) => {
      const { passed, all } = runTests(proof.tests);
      print(`${proof.promise} ${proof.what}: ${passed} of ${all} tests`);
      return {
        promise: proof.promise,
        what: `${proof.what}: tests of ${proof.tests.join(", ")}`,
        figure: `${passed} of ${all}`,
        bound: "all",
        pass: all > 0 && passed === all,
        days: proof.days,
      };
    });
  },
};

/** Throws what they have printed if they did not run. */
export function runTests(tests: string[]): { passed: number; all: number } {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const folder = mkdtempSync(join(tmpdir(), "gangway-proof-"));
  const file = join(folder, "report.json");
  try {
    const args = [vitest, "run", "--reporter=json", `--outputFile=${file}`, ...tests];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, SUITE: "", LONG: "1" },
      encoding: "utf8",
      maxBuffer: 64 * 1024 ** 2,
    });
    if (!existsSync(file)) throw new Error(`the tests did not run: ${(stderr || stdout).slice(-SHOWN)}`);
    const report = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
    return { passed: report.numPassedTests ?? 0, all: report.numTotalTests ?? 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
