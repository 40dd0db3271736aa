import type { Entry } from "../records.ts";
import type { Test } from "./match.ts";
import { createRanges } from "./ranges.ts";
import { reading } from "./reading.ts";

/** The values at one path of a table's records: a filter reads them in a row, and judges equal values once. */
export interface Column {
  /** Takes in the record at a position. */
  set(position: number, entry: Entry): void;
  /** Moves those of the first `count` positions whose values do to the front. Returns how many. */
  sift(positions: Uint32Array, count: number, test: Test): number;
}

/** Most values known again: columns of many values, as times, need the memory for the values themselves. */
const MAX_KNOWN = 4_096;
const [UNKNOWN, NO, YES] = [0, 1, 2];

export function createColumn(path: string, entries: readonly (Entry | undefined)[]): Column {
  const read = reading(path);
  let codes = new Uint32Array(0);
  let values: unknown[] = [];
  let ranges = createRanges();
  let known = new Map<unknown, number>();
  // Kept: memory beside the heap that each request takes anew makes V8 collect.
  let verdicts = new Uint8Array(0);
  const codeOf = (value: unknown): number => {
    const code = known.get(value) ?? values.length;
    if (code < values.length) return code;
    values.push(value);
    ranges.add(value);
    if (known.size < MAX_KNOWN && typeof value !== "object") known.set(value, code);
    return code;
  };
  const fill = () => {
    codes = new Uint32Array(Math.ceil(entries.length * 1.25) + MAX_KNOWN);
    values = [];
    ranges = createRanges();
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
    sift(positions, count, { has, ordered }) {
      if (verdicts.length < values.length) verdicts = new Uint8Array(values.length + MAX_KNOWN);
      else verdicts.fill(UNKNOWN);
      if (ordered)
        for (const { start, end, low, high } of ranges.all()) {
          const verdict = has(low) ? YES : NO;
          if (verdict === (has(high) ? YES : NO)) verdicts.fill(verdict, start, end);
        }
      let kept = 0;
      for (let n = 0; n < count; n++) {
        const position = positions[n] as number;
        const code = codes[position] as number;
        if (verdicts[code] === UNKNOWN) verdicts[code] = has(values[code]) ? YES : NO;
        if (verdicts[code] === YES) positions[kept++] = position;
      }
      return kept;
    },
  };
}
