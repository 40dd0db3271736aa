import type Sqlite from "better-sqlite3";
import type { Sealer } from "../../secrets.ts";
import {
  COVERED,
  type Covered,
  ERASURES,
  inclusion,
  openErasures,
  type Pending,
} from "../../tables/erasing/erasures.ts";
import type { RowCache } from "./row-cache.ts";

/** Erasures under way. */
export interface Erasing {
  /** Whether a message is being erased. */
  covers(id: number): boolean;
  pending(): Pending[];
}

export function createErasing(sqlite: Sqlite.Database, rows: RowCache, sealer?: Sealer): Erasing {
  const select = sqlite.prepare<[], { id: string; sealed: string }>(ERASURES);
  const find = sqlite.prepare<[object], Covered>(COVERED);
  const read = () => (sealer ? openErasures(select.all(), sealer) : []);
  const load = () => read().map((erasure) => ({ erasure, includes: inclusion(erasure.of) }));
  const list = () => rows.find("erasures", "", load) ?? [];
  return {
    covers(id) {
      if (list().length === 0) return false;
      const row = find.get({ id });
      return row !== undefined && list().some(({ includes }) => includes(row));
    },
    pending: () => list().map(({ erasure }) => erasure),
  };
}
