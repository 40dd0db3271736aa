import type { KnownBackup } from "../erasure.ts";
import type { Engine, Verb } from "../tables/engine.ts";

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
  /** Ends a SELECT of rows that nobody else may change until the commit. */
  locking: "" | "FOR UPDATE";
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
