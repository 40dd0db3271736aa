import { setTimeout } from "node:timers/promises";
import type { Sealer } from "../../secrets.ts";
import { CHECKPOINT_PAGES, type Database } from "../../sqlite/database/db.ts";
import type { Counts, Pending } from "../../sqlite/database/erasing.ts";
import { StoreError } from "../../store.ts";

/** An erasure that runs. */
export interface Run {
  db: Database;
  /** Must not feed the log's mask: raw webhooks are customers' text, not secrets. */
  sealer: Sealer;
  folder: string;
  erasure: Pending;
  now(): number;
  /** Within a write. */
  count(more: Partial<Counts>): void;
}

/** What one transaction deletes at most: a few milliseconds (measured), in which nothing else happens. */
export const ROWS = 100;
const BYTES = 128 * 1024;
/** Between two transactions, for other work, ms. */
const REST_MS = 2;

/** Pages of log: with the usual number a checkpoint takes longer than a batch (measured). */
const CHECKPOINT_AT = 250;
const checkpointAt = ({ sqlite }: Database, pages: number) => sqlite.pragma(`wal_autocheckpoint = ${pages}`);

/** Checkpoints are small while erasures run. */
export function smallCheckpoints(db: Database): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (work) => {
    if (running++ === 0) checkpointAt(db, CHECKPOINT_AT);
    try {
      return await work();
    } finally {
      if (--running === 0 && db.sqlite.open) checkpointAt(db, CHECKPOINT_PAGES);
    }
  };
}

/** Throws StoreError when the database was closed meanwhile. */
export async function rest({ db }: Pick<Run, "db">): Promise<void> {
  await setTimeout(REST_MS);
  if (!db.sqlite.open) throw new StoreError("the server has stopped; it goes on with the erasure when it starts");
}

/** Runs `batch` in transactions of its own, until it finds nothing more. */
export async function inBatches(run: Pick<Run, "db">, batch: () => number): Promise<void> {
  while ((await run.db.write(batch)) > 0) await rest(run);
}

/** The first rows, as many as one transaction may delete. */
export function firstOf<T>(rows: Iterable<T>, textOf: (row: T) => string | null): T[] {
  const taken: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    taken.push(row);
    bytes += textOf(row)?.length ?? 0;
    if (taken.length >= ROWS || bytes >= BYTES) break;
  }
  return taken;
}

export function* slicesOf<T>(all: T[]): Generator<T[]> {
  for (let n = 0; n < all.length; n += ROWS) yield all.slice(n, n + ROWS);
}
