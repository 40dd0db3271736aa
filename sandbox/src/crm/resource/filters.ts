import {
  atLeast,
  atMost,
  containing,
  type Filter,
  flagged,
  type ListFilters,
  notAfter,
  notBefore,
  oneOf,
} from "../listing.ts";
import type { Entry } from "../records.ts";
import { reading } from "./reading.ts";

// Filters of a list, described by the fields they look at. Paths are dotted; a path across a list means any of its entries.

type Fields = Record<string, string>;
type Filters = ListFilters<Entry>;

/** A filter of the value at a path; see `Test` for `ordered`. */
export function at<T>(path: string, filter: Filter<T>, ordered = false): Filter<Entry> {
  const read = reading(path) as (entry: Entry) => T;
  return (values, keys) => {
    const has = filter(values, keys);
    const match = (entry: Entry) => has(read(entry));
    return Object.assign(match, { at: { path, has: has as (value: unknown) => boolean, ordered } });
  };
}

const each = (fields: Fields, filter: Filter<never>): Filters =>
  Object.fromEntries(Object.entries(fields).map(([name, path]) => [name, at(path, filter)]));

const itself = <V>(value: V) => value;
const text = (value: unknown): string => (Array.isArray(value) ? value.join("\n") : String(value ?? ""));

/** By filter: the field that equals one of the filter's values. */
export const equal = (fields: Fields): Filters => each(fields, oneOf(itself));

/** By filter: the field whose text contains the filter's. */
export const within = (fields: Fields): Filters => each(fields, containing(text));

/** Fields that are true or false; a field without a value is false. */
export const flags = (...fields: string[]): Filters =>
  each(
    Object.fromEntries(fields.map((field) => [field, field])),
    flagged((value) => value === true),
  );

/** `min…` and `max…` of a number. Without it a record is not found, or goes as `absent`. */
export const range = (name: string, path: string, absent?: number): Filters => {
  const value = (own: number | null | undefined) => own ?? absent;
  return { [`min${name}`]: at(path, atLeast(value), true), [`max${name}`]: at(path, atMost(value), true) };
};

/** `…From` and `…To` of a time or a day. */
export const period = (name: string, path: string): Filters => ({
  [`${name}From`]: at(path, notBefore<string>(itself), true),
  [`${name}To`]: at(path, notAfter<string>(itself), true),
});
