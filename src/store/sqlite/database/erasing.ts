import type Sqlite from "better-sqlite3";
import type { Sealer } from "../../secrets.ts";
import { COVERED, type Covered, ERASURES, inclusion, openErasures, type Pending } from "../../tables/erasures.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Erasures under way, in memory. */
export interface Erasing {
  /** Whether a message is being erased. */
  covers(id: number): boolean;
  pending(): Pending[];
}

/** `onUndo`: of the write that is running. */
export function createErasing(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Erasing {
  const select = sqlite.prepare<[], { id: string; sealed: string }>(ERASURES);
  const find = sqlite.prepare<[object], Covered>(COVERED);
  let known: { erasure: Pending; includes(row: Covered): boolean }[] | undefined;
  const forget = () => {
    known = undefined;
  };
  others.onWritten(forget);
  // Temporary triggers see every writer of this connection.
  sqlite.function("erasures_changed", () => {
    forget();
    onUndo(forget);
  });
  for (const event of ["INSERT", "DELETE"])
    sqlite.exec(`CREATE TEMP TRIGGER erasure_${event} AFTER ${event} ON erasure BEGIN SELECT erasures_changed(); END`);
  const read = () => (sealer ? openErasures(select.all(), sealer) : []);
  const list = () => {
    known ??= read().map((erasure) => ({ erasure, includes: inclusion(erasure.of) }));
    return known;
  };
  return {
    covers(id) {
      if (list().length === 0) return false;
      const row = find.get({ id });
      return row !== undefined && list().some(({ includes }) => includes(row));
    },
    pending: () => list().map(({ erasure }) => erasure),
  };
}
