import { setTimeout } from "node:timers/promises";
import type { Sealer } from "../secrets.ts";
import type { Transaction, Verb } from "../tables/engine.ts";
import type { Counts, Pending } from "../tables/erasing/erasures.ts";
import type { ErasingEngine } from "./engine.ts";

/** An erasure that runs. */
export interface Run {
  erasingEngine: ErasingEngine;
  /** Must not feed the log's mask: raw webhooks are customers' text, not secrets. */
  sealer: Sealer;
  erasure: Pending;
  now(): number;
  /** Within a write. */
  count(more: Partial<Counts>): Verb<void>;
}

/** What one transaction deletes at most: a few milliseconds (measured), in which on SQLite nothing else happens. */
export const ROWS = 100;
const BYTES = 128 * 1024;
/** Between two transactions, for other work, ms. */
const REST_MS = 2;

/** Throws StoreError when the store was closed meanwhile. */
export async function rest({ erasingEngine }: Pick<Run, "erasingEngine">): Promise<void> {
  await setTimeout(REST_MS);
  erasingEngine.assertOpen();
}

/** Runs `batch` in transactions of its own, until it finds nothing more. */
export async function inBatches(
  run: Pick<Run, "erasingEngine">,
  batch: (tx: Transaction) => Verb<number>,
): Promise<void> {
  while ((await run.erasingEngine.engine.write(batch)) > 0) await rest(run);
}

/** Of at most `ROWS` rows the first, with as many bytes as one transaction may delete. */
export function firstOf<T>(rows: Iterable<T>, textOf: (row: T) => string | null): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    taken.push(row);
    bytes += textOf(row)?.length ?? 0;
    if (bytes >= BYTES) break;
  }
  return taken;
}
