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
  /** Of all records, in their order, for the caller to change until the next call. */
  positions(): Uint32Array;
  /** Replaces the record with its id where it stands, or adds it. Returns its position. */
  set(id: number, entry: Entry): number;
  /** Whether positions have changed. */
  delete(id: number): boolean;
  clear(): void;
}

const MIN_HOLES = 64;

export function createRows(): PlacedRows {
  const places = new Map<number, number>();
  const entries: (Entry | undefined)[] = [];
  let positions = new Uint32Array(0);
  const close = () => {
    let end = 0;
    for (const [id, position] of places) {
      places.set(id, end);
      entries[end] = entries[position];
      end += 1;
    }
    entries.length = end;
  };
  return {
    entries,
    get size() {
      return places.size;
    },
    get: (id) => {
      const position = places.get(id);
      return position === undefined ? undefined : entries[position];
    },
    has: (id) => places.has(id),
    keys: () => places.keys(),
    values: () => entries.filter((entry) => entry !== undefined),
    positions() {
      if (positions.length < places.size) positions = new Uint32Array(Math.ceil(places.size * 1.25));
      let count = 0;
      for (let place = 0; place < entries.length; place++) if (entries[place] !== undefined) positions[count++] = place;
      return positions;
    },
    set(id, entry) {
      const position = places.get(id) ?? entries.length;
      places.set(id, position);
      entries[position] = entry;
      return position;
    },
    delete(id) {
      const position = places.get(id);
      if (position === undefined) return false;
      places.delete(id);
      entries[position] = undefined;
      const isSparse = entries.length - places.size > Math.max(MIN_HOLES, places.size);
      if (isSparse) close();
      return isSparse;
    },
    clear() {
      places.clear();
      entries.length = 0;
    },
  };
}
