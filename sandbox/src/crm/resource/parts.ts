import type { Entry } from "../records.ts";
import { type FieldChange, fieldsChanged, type Told } from "./history.ts";

/** Parts of a record with entries of their own in its history. */
export interface PartTold {
  /** The entries' field, and the prefix of those of a changed part. */
  name: string;
  fields(): Told["fields"];
  /** As the values of an entry name it. */
  named(part: Entry): Entry;
  /** As an entry shows one that came or went. */
  whole(part: Entry): Entry;
  /** As an entry shows one that was changed. */
  changed(part: Entry): Entry;
}

/** Pairs by id, in the order of `before`; one side is missing where a part came or went. */
export function paired(
  before: readonly Entry[],
  after: readonly Entry[],
): [before: Entry | undefined, after: Entry | undefined][] {
  const [old, now] = [before, after].map((parts) => new Map(parts.map((part) => [part.id, part])));
  const kept = before.map((part): [Entry, Entry | undefined] => [part, now?.get(part.id)]);
  const added = after.filter(({ id }) => !old?.has(id));
  return [...kept, ...added.map((part): [undefined, Entry] => [undefined, part])];
}

/** Parts that come and go are told as such, the others by their fields. */
export function partsTold(before: readonly Entry[], after: readonly Entry[], told: PartTold): FieldChange[] {
  const { name, fields, named, whole, changed } = told;
  if (before === after) return [];
  return paired(before, after).flatMap(([old, now]): FieldChange[] => {
    if (old && now)
      return fieldsChanged(fields(), old, now).map((change) => ({
        ...change,
        field: `${name}.${change.field}`,
        more: changed(now),
      }));
    const values = { oldValue: old ? named(old) : null, newValue: now ? named(now) : null };
    return [{ field: name, ...values, more: whole(now ?? old ?? {}) }];
  });
}
