import { atLeast, atMost, containing, flagged, type ListFilters, notAfter, notBefore, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { reading } from "./reading.ts";

// Filters of a list, described by the fields they look at. Paths are dotted; a path across a list means any of its entries.

type Fields = Record<string, string>;
type Filters = ListFilters<Entry>;

const each = (fields: Fields, filter: (path: string) => Filters[string]): Filters =>
  Object.fromEntries(Object.entries(fields).map(([name, path]) => [name, filter(path)]));

/** By filter: the field that equals one of the filter's values. */
export const equal = (fields: Fields): Filters => each(fields, (path) => oneOf(reading(path)));

/** By filter: the field whose text contains the filter's. */
export const within = (fields: Fields): Filters => each(fields, (path) => containing(texts(path)));

/** Fields that are true or false; a field without a value is false. */
export const flags = (...fields: string[]): Filters =>
  each(Object.fromEntries(fields.map((field) => [field, field])), (path) => {
    const read = reading(path);
    return flagged((entry) => read(entry) === true);
  });

/** `min…` and `max…` of a number. */
export const range = (name: string, path: string): Filters => {
  const read = reading(path) as (entry: Entry) => number | undefined;
  return { [`min${name}`]: atLeast(read), [`max${name}`]: atMost(read) };
};

/** `…From` and `…To` of a time or a day. */
export const period = (name: string, path: string): Filters => {
  const read = reading(path) as (entry: Entry) => string | undefined;
  return { [`${name}From`]: notBefore(read), [`${name}To`]: notAfter(read) };
};

const texts = (path: string) => {
  const read = reading(path);
  return (entry: Entry): string => {
    const value = read(entry) ?? "";
    return Array.isArray(value) ? value.join("\n") : String(value);
  };
};
