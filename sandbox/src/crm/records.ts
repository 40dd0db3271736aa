import { Refusal } from "../refusal.ts";

/** A record of the CRM as its API shows it. */
export type Entry = Record<string, unknown>;
/** By code, or by id where records have no code. */
export type Entries = Map<string, Entry>;

/** The id of a record, or of the one that a reference names; NaN: none. */
export const idOf = (reference: unknown): number => Number((reference as Entry | undefined)?.id);

/** Those of a record's fields that have a value. */
export const picked = (entry: Entry, fields: readonly string[]): Entry =>
  Object.fromEntries(fields.flatMap((field) => (entry[field] === undefined ? [] : [[field, entry[field]]])));

/** Throws a Refusal with 404. `rule` says what must be there. */
export function found<T>(records: ReadonlyMap<string, T>, key: string, rule: string): T {
  const record = records.get(key);
  if (!record) throw new Refusal(404, "Not found", rule);
  return record;
}
