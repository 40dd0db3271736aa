import type { Entry } from "../records.ts";
import { reading } from "./reading.ts";

/** The ids of records by the value of one field. */
export interface Lookup {
  /** As they are now: the table may change meanwhile. */
  idsOf(value: unknown): readonly number[];
  /** Takes in a record's change; without `after` it is gone. */
  change(id: number, before: Entry | undefined, after: Entry | undefined): void;
}

export function createLookup(field: string, entries: Iterable<Entry>): Lookup {
  const read = reading(field);
  /** Most values name one record: those need no set. */
  const ids = new Map<string, number | Set<number>>();
  const forget = (key: string, id: number) => {
    const own = ids.get(key);
    if (own instanceof Set && own.size > 1) own.delete(id);
    else ids.delete(key);
  };
  const remember = (key: string, id: number) => {
    const own = ids.get(key);
    if (own === undefined) ids.set(key, id);
    else if (own instanceof Set) own.add(id);
    else ids.set(key, new Set([own, id]));
  };
  const change: Lookup["change"] = (id, before, after) => {
    const [was, is] = [before && read(before), after && read(after)];
    if (was === is) return;
    const [old, now] = [keysOf(was), keysOf(is)];
    for (const key of old) if (!now.includes(key)) forget(key, id);
    for (const key of now) if (!old.includes(key)) remember(key, id);
  };
  for (const entry of entries) change(Number(entry.id), undefined, entry);
  return {
    idsOf(value) {
      const own = ids.get(String(value));
      if (own === undefined) return NONE;
      return typeof own === "number" ? [own] : [...own];
    },
    change,
  };
}

const NONE: readonly never[] = [];

/** A record is found by each value of a list, and not by an empty one. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 1 ? keysOf(value[0]) : [...new Set(value.flatMap(keysOf))];
  return value === undefined || value === null || value === "" ? NONE : [String(value)];
}
