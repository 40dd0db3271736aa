import type { Entry } from "../records.ts";
import { type Column, createColumn } from "./column.ts";
import type { Journal } from "./journal.ts";
import { createLookup, type Lookup } from "./lookup.ts";
import type { Match, Page, Searched } from "./match.ts";
import { createRows, type PlacedRows, type Rows } from "./rows.ts";

/** Records of one kind by id, in order of arrival. A record is never changed in place: `put` replaces it. */
export interface Table extends Searched<Entry> {
  readonly rows: Rows;
  /** Adds a record, or replaces the one with its id. */
  put(entry: Entry): void;
  remove(id: number): void;
  clear(): void;
  /** The ids of those whose indexed field has the value, as they are now: the table may change meanwhile. */
  having(field: string, value: unknown): readonly number[];
}

/** Columns of a table: one of a large shop's orders takes 1 to 8 MB. */
const MAX_COLUMNS = 16;

/** `indexed` names the fields, dotted where nested, by which records are found without a scan. */
export function createTable(journal: Journal, indexed: readonly string[] = []): Table {
  const rows = createRows();
  const { entries } = rows;
  // Both are made on first use: a table is filled without them.
  const lookups = new Map<string, Lookup>();
  const columns = new Map<string, Column>();
  const lookupOf = (field: string): Lookup | undefined => {
    if (!indexed.includes(field)) return undefined;
    const lookup = lookups.get(field) ?? createLookup(field, rows.values());
    lookups.set(field, lookup);
    return lookup;
  };
  const columnOf = (path: string): Column => {
    const column = columns.get(path) ?? createColumn(path, entries);
    // The least recently used is first.
    columns.delete(path);
    columns.set(path, column);
    const [oldest = path] = columns.keys();
    if (columns.size > MAX_COLUMNS) columns.delete(oldest);
    return column;
  };
  const table: Table = {
    rows,
    put(entry) {
      const id = Number(entry.id);
      const before = rows.get(id);
      journal.note(() => (before ? table.put(before) : table.remove(id)));
      for (const lookup of lookups.values()) lookup.change(id, before, entry);
      const position = rows.set(id, entry);
      for (const column of columns.values()) column.set(position, entry);
    },
    remove(id) {
      const before = rows.get(id);
      if (!before) return;
      journal.note(() => table.put(before));
      for (const lookup of lookups.values()) lookup.change(id, before, undefined);
      if (rows.delete(id)) columns.clear();
    },
    clear() {
      rows.clear();
      lookups.clear();
      columns.clear();
    },
    having: (field, value) => lookupOf(field)?.idsOf(value) ?? [],
    matching(matches, { first, limit } = ALL) {
      const positions = rows.positions();
      let count = rows.size;
      // Columns first: they leave fewer records to look at.
      for (const { at } of matches) if (at) count = columnOf(at.path).sift(positions, count, at);
      for (const match of matches) if (!match.at) count = sift(positions, count, entries, match);
      const page = positions.subarray(first, Math.min(count, first + limit));
      return { count, entries: Array.from(page, (position) => entries[position] as Entry) };
    },
  };
  return table;
}

const ALL: Page = { first: 0, limit: Number.POSITIVE_INFINITY };

/** As a column does. */
function sift(positions: Uint32Array, count: number, entries: PlacedRows["entries"], match: Match<Entry>): number {
  let kept = 0;
  for (let n = 0; n < count; n++) {
    const position = positions[n] as number;
    if (match(entries[position] as Entry)) positions[kept++] = position;
  }
  return kept;
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
