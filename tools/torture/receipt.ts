import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import type { TortureResult } from "./torture.ts";

/** Record of a run for a release to ship. The hash covers all other fields as compact JSON. */
export function receiptOf(result: TortureResult, run: { seed: number; short: boolean; began: number; ended: number }) {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const proofs = result.figures.filter(({ days }) => days !== undefined);
  const receipt = {
    product: `gangway ${version}`,
    node: process.version,
    seed: run.seed,
    length: run.short ? "short" : "long",
    began: new Date(run.began).toISOString(),
    minutes: Math.round((run.ended - run.began) / 6_000) / 10,
    simulatedDays: proofs.reduce((sum, { days = 0 }) => sum + days, 0),
    injected: result.injected,
    ledger: result.ledger,
    kept: result.figures.every(({ pass }) => pass !== false),
    figures: result.figures,
  };
  return { ...receipt, sha256: createHash("sha256").update(JSON.stringify(receipt)).digest("hex") };
}
