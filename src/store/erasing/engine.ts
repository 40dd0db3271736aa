import { setTimeout } from "node:timers/promises";
import type { KnownBackup } from "../care.ts";
import type { Sealer } from "../secrets.ts";
import type { Engine, Transaction, Verb } from "../tables/engine.ts";
import type { Counts, Pending } from "../tables/erasing/erasures.ts";

/** The engine-specific part of erasing. */
export interface ErasingEngine {
  engine: Engine;
  /** SQL condition that limits a DELETE to `limit` rows. */
  some(table: string, where: string, limit: number): string;
  /** Read from the database's schema, so that no table can be forgotten. */
  tablesWith(column: string): Verb<string[]>;
  /**
   * Call within the first transaction. Until the commit nobody else stores anything for the channels: earlier writers
   * have committed, and waiting ones will see the erasure.
   */
  hold(channelIds: string[]): Verb<void>;
  /** The same for an account: no new references to it. */
  holdAccount(accountId: string): Verb<void>;
  /** Locks these messages until the commit. False where there are no other writers, so that earlier reads hold. */
  lockMessages(ids: number[]): Verb<boolean>;
  /** Call within the first transaction: notifies other processes with the commit. */
  tellOthers(): Verb<void>;
  /** Removes bytes of kept files. Delete the rows afterwards, so that a crash forgets none. */
  removeFiles(ids: string[]): Promise<void>;
  /** Runs `work` as the only process; undefined when another is running it. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Throws StoreError when the store was closed meanwhile. */
  assertOpen(): void;
  /** Called when another process may have begun, or ended, an erasure. */
  onOthers(listener: () => void): void;
  /** See `ErasureStore`. `soon`: someone is waiting, so only do it if it is quick. */
  removeTraces(how?: "soon"): Promise<boolean>;
  /** Copies of the database next to it. */
  copies(): KnownBackup[];
}

/** A running erasure. */
export interface Run {
  erasingEngine: ErasingEngine;
  /** Must not feed the log's mask: raw webhooks are customers' text, not secrets. */
  sealer: Sealer;
  erasure: Pending;
  now(): number;
  /** Call within a write. */
  count(more: Partial<Counts>): Verb<void>;
}

/** Rows deleted per transaction: a few milliseconds (measured), which block everything else on SQLite. */
export const ROWS = 100;
const BYTES = 128 * 1024;
/** Pause between transactions, for other work, ms. */
const REST_MS = 2;

/** Throws StoreError when the store was closed meanwhile. */
export async function rest({ erasingEngine }: Pick<Run, "erasingEngine">): Promise<void> {
  await setTimeout(REST_MS);
  erasingEngine.assertOpen();
}

/** Repeats `batch`, each in a transaction of its own, until it finds nothing more. */
export async function inBatches(
  run: Pick<Run, "erasingEngine">,
  batch: (tx: Transaction) => Verb<number>,
): Promise<void> {
  while ((await run.erasingEngine.engine.write(batch)) > 0) await rest(run);
}

/** The first rows whose bytes fit into one transaction. */
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
