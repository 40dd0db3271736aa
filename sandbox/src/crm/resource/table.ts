import type { Entry } from "../records.ts";
import { type Read, reading } from "./reading.ts";

/** Records of one kind by id, in order of arrival. A record is never changed in place: `put` replaces it. */
export interface Table {
  readonly rows: ReadonlyMap<number, Entry>;
  /** Adds a record, or replaces the one with its id. */
  put(entry: Entry): void;
  remove(id: number): void;
  /** The ids of those whose indexed field has the value. */
  having(field: string, value: unknown): readonly number[];
}
type Index = { read: Read; ids: Map<string, number[]> };

/** `indexed` names the fields, dotted where nested, by which records are found without a scan. */
export function createTable(indexed: readonly string[] = []): Table {
  const rows = new Map<number, Entry>();
  const indexes = new Map(indexed.map((field): [string, Index] => [field, { read: reading(field), ids: new Map() }]));
  const forget = ({ read, ids }: Index, entry: Entry, id: number) => {
    for (const key of keysOf(read(entry))) {
      const left = (ids.get(key) ?? []).filter((each) => each !== id);
      if (left.length > 0) ids.set(key, left);
      else ids.delete(key);
    }
  };
  const remember = ({ read, ids }: Index, entry: Entry, id: number) => {
    for (const key of keysOf(read(entry))) {
      const known = ids.get(key);
      if (known) known.push(id);
      else ids.set(key, [id]);
    }
  };
  return {
    rows,
    put(entry) {
      const id = Number(entry.id);
      const before = rows.get(id);
      for (const index of indexes.values()) {
        if (before && String(keysOf(index.read(before))) === String(keysOf(index.read(entry)))) continue;
        if (before) forget(index, before, id);
        remember(index, entry, id);
      }
      rows.set(id, entry);
    },
    remove(id) {
      const before = rows.get(id);
      if (!before) return;
      for (const index of indexes.values()) forget(index, before, id);
      rows.delete(id);
    },
    having: (field, value) => indexes.get(field)?.ids.get(String(value)) ?? [],
  };
}

/** A record is found by each value of a list, and not by an empty one. */
const keysOf = (value: unknown): string[] => {
  const keys = [value]
    .flat()
    .flatMap((each) => (each === undefined || each === null || each === "" ? [] : String(each)));
  return [...new Set(keys)];
};
