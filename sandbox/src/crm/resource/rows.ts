import type { Entry } from "../records.ts";

/** Records by id, in order of arrival. */
export interface Rows {
  readonly size: number;
  get(id: number): Entry | undefined;
  has(id: number): boolean;
  keys(): Iterable<number>;
  /** As they are now: the table may change meanwhile. */
  values(): Entry[];
}
/** The same with the positions of records, which columns share. */
export interface PlacedRows extends Rows {
  /** By position; a record that is gone leaves a hole. */
  readonly entries: readonly (Entry | undefined)[];
  /** Replaces the record with its id where it stands, or adds it. Returns its position. */
  set(id: number, entry: Entry): number;
  /** Whether positions have changed. */
  delete(id: number): boolean;
  clear(): void;
}

const MIN_HOLES = 64;

export function createRows(): PlacedRows {
  const positions = new Map<number, number>();
  const entries: (Entry | undefined)[] = [];
  const close = () => {
    let end = 0;
    for (const [id, position] of positions) {
      positions.set(id, end);
      entries[end] = entries[position];
      end += 1;
    }
    entries.length = end;
  };
  return {
    entries,
    get size() {
      return positions.size;
    },
    get: (id) => {
      const position = positions.get(id);
      return position === undefined ? undefined : entries[position];
    },
    has: (id) => positions.has(id),
    keys: () => positions.keys(),
    values: () => entries.filter((entry) => entry !== undefined),
    set(id, entry) {
      const position = positions.get(id) ?? entries.length;
      positions.set(id, position);
      entries[position] = entry;
      return position;
    },
    delete(id) {
      const position = positions.get(id);
      if (position === undefined) return false;
      positions.delete(id);
      entries[position] = undefined;
      const isSparse = entries.length - positions.size > Math.max(MIN_HOLES, positions.size);
      if (isSparse) close();
      return isSparse;
    },
    clear() {
      positions.clear();
      entries.length = 0;
    },
  };
}
