import type { Entry } from "../records.ts";
import type { Journal } from "./journal.ts";
import { type Read, reading } from "./reading.ts";

/** Records of one kind by id, in order of arrival. A record is never changed in place: `put` replaces it. */
export interface Table {
  readonly rows: ReadonlyMap<number, Entry>;
  /** Adds a record, or replaces the one with its id. */
  put(entry: Entry): void;
  remove(id: number): void;
  clear(): void;
  /** The ids of those whose indexed field has the value, as they are now: the table may change meanwhile. */
  having(field: string, value: unknown): readonly number[];
}
/** Most values name one record: those need no set. */
type Index = { read: Read; ids: Map<string, number | Set<number>> };

/** `indexed` names the fields, dotted where nested, by which records are found without a scan. */
export function createTable(journal: Journal, indexed: readonly string[] = []): Table {
  const rows = new Map<number, Entry>();
  const indexes = new Map(indexed.map((field): [string, Index] => [field, { read: reading(field), ids: new Map() }]));
  const forget = (ids: Index["ids"], key: string, id: number) => {
    const own = ids.get(key);
    if (own instanceof Set && own.size > 1) own.delete(id);
    else ids.delete(key);
  };
  const remember = (ids: Index["ids"], key: string, id: number) => {
    const own = ids.get(key);
    if (own === undefined) ids.set(key, id);
    else if (own instanceof Set) own.add(id);
    else ids.set(key, new Set([own, id]));
  };
  const table: Table = {
    rows,
    put(entry) {
      const id = Number(entry.id);
      const before = rows.get(id);
      journal.note(() => (before ? table.put(before) : table.remove(id)));
      for (const { read, ids } of indexes.values()) {
        const [was, is] = [before && read(before), read(entry)];
        if (was === is) continue;
        const [old, now] = [keysOf(was), keysOf(is)];
        for (const key of old) if (!now.includes(key)) forget(ids, key, id);
        for (const key of now) if (!old.includes(key)) remember(ids, key, id);
      }
      rows.set(id, entry);
    },
    remove(id) {
      const before = rows.get(id);
      if (!before) return;
      journal.note(() => table.put(before));
      for (const { read, ids } of indexes.values()) for (const key of keysOf(read(before))) forget(ids, key, id);
      rows.delete(id);
    },
    clear() {
      rows.clear();
      for (const { ids } of indexes.values()) ids.clear();
    },
    having(field, value) {
      const ids = indexes.get(field)?.ids.get(String(value));
      if (ids === undefined) return NONE;
      return typeof ids === "number" ? [ids] : [...ids];
    },
  };
  return table;
}

/** The record that these names name: by id, else by externalId, which is that of one shop if it is named, or rather of `own`. */
export function recordIn({ rows, having }: Table, { id, externalId, site }: Entry, own: string): Entry | undefined {
  if (id !== undefined) return rows.get(Number(id));
  const known = having("externalId", externalId ?? "").map((each) => rows.get(each) as Entry);
  return ofShop(known, site, own);
}

/** That of the shop if it is named, else rather that of `own`. */
export const ofShop = (known: readonly Entry[], site: unknown, own: string): Entry | undefined =>
  known.find((each) => each.site === (site || own)) ?? (site ? undefined : known[0]);

const NONE: readonly never[] = [];

/** A record is found by each value of a list, and not by an empty one. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 1 ? keysOf(value[0]) : [...new Set(value.flatMap(keysOf))];
  return value === undefined || value === null || value === "" ? NONE : [String(value)];
}
