import type { World } from "../world.ts";

/** A line of an archive; the key is there where the record does not hold it. */
export interface Line {
  table: string;
  key?: string;
  record: unknown;
}
/** A part of the account's state, and how it is saved: lines of one table. */
export interface Part {
  /** As they are now: records that are replaced later stay as they were. */
  lines(world: World): Line[];
  /** What is wrong with a line. */
  fault(line: Line): string | undefined;
  clear(world: World): void;
  put(world: World, line: Line): void;
}

export type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Faults of a line.
export const anObject = ({ record }: Line): string | undefined =>
  isObject(record) ? undefined : "the record is not an object";
export const withId = ({ record }: Line): string | undefined => {
  if (!isObject(record)) return "the record is not an object";
  return Number.isInteger(record.id) && Number(record.id) > 0 ? undefined : "the record has no id above 0";
};
export const withKey = ({ key }: Line): string | undefined =>
  typeof key === "string" && key !== "" ? undefined : "the line has no key";
