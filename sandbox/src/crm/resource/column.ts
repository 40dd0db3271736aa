import type { Entry } from "../records.ts";
import { reading } from "./reading.ts";

/** The values at one path of a table's records: a filter reads them in a row, and judges equal values once. */
export interface Column {
  /** Takes in the record at a position. */
  set(position: number, entry: Entry): void;
  /** Judges the records as they are now. */
  matching(has: (value: unknown) => boolean): (position: number) => boolean;
}

/** Most values known again: columns of many values, as times, need the memory for the values themselves. */
const MAX_KNOWN = 4_096;
const [YES, NO] = [1, 2];

export function createColumn(path: string, entries: readonly (Entry | undefined)[]): Column {
  const read = reading(path);
  let codes = new Uint32Array(0);
  let values: unknown[] = [];
  let known = new Map<unknown, number>();
  const codeOf = (value: unknown): number => {
    const code = known.get(value) ?? values.length;
    if (code < values.length) return code;
    values.push(value);
    if (known.size < MAX_KNOWN && typeof value !== "object") known.set(value, code);
    return code;
  };
  const fill = () => {
    codes = new Uint32Array(Math.ceil(entries.length * 1.25) + MAX_KNOWN);
    values = [];
    known = new Map();
    for (const [position, entry] of entries.entries()) if (entry) codes[position] = codeOf(read(entry));
  };
  fill();
  return {
    set(position, entry) {
      // Values that nobody has any more are left behind.
      if (position >= codes.length || values.length > 2 * codes.length) fill();
      else codes[position] = codeOf(read(entry));
    },
    matching(has) {
      const verdicts = new Uint8Array(values.length);
      return (position) => {
        const code = codes[position] as number;
        verdicts[code] ||= has(values[code]) ? YES : NO;
        return verdicts[code] === YES;
      };
    },
  };
}
