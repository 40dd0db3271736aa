import { setTimeout } from "node:timers/promises";
import type { KnownBackup } from "../care.ts";
import type { Sealer } from "../secrets.ts";
import type { Engine, Transaction, Verb } from "../tables/engine.ts";
import type { Counts, Pending } from "../tables/erasing/erasures.ts";

/** What about erasing is each engine's own. */
export interface ErasingEngine {
  engine: Engine;
  /** SQL's condition for some rows of a table: as many as the limit, if there are so many. */
  some(table: string, where: string, limit: number): string;
  /** Asked of the database, so that no table can be forgotten. */
  tablesWith(column: string): Verb<string[]>;
  /**
   * Within the first transaction. From its call until the commit nobody else stores anything for the channels; whoever began
   * before has committed, and whoever waits sees the erasure.
   */
  hold(channelIds: string[]): Verb<void>;
  /** The same before an account goes: nothing begins to refer to it. */
  holdAccount(accountId: string): Verb<void>;
  /** Until the commit nobody else changes these messages. False where nobody else writes: what was read of them holds. */
  lockMessages(ids: number[]): Verb<boolean>;
  /** Within the first transaction: other processes hear of it with the commit. */
  tellOthers(): Verb<void>;
  /** Removes the bytes of kept files. Their rows go after them, so that a crash forgets none. */
  removeFiles(ids: string[]): Promise<void>;
  /** Runs the rest of an erasure, or what people asked for, as the only process; undefined when another does. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Throws StoreError when the store was closed meanwhile. */
  assertOpen(): void;
  /** Another process may have begun one, or ended it already. */
  onOthers(listener: () => void): void;
  /** See `ErasureStore`. `soon`: somebody waits for it, so that it is only done where that takes no time. */
  removeTraces(how?: "soon"): Promise<boolean>;
  /** Copies of the database beside it. */
  copies(): KnownBackup[];
}

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
