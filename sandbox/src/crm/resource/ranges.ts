/** Between which values those of a run of values lie. */
export interface Range {
  /** Of the run. */
  start: number;
  end: number;
  low: string | number;
  high: string | number;
}
/** The ranges of runs of values: records come in order of time, so most runs of times lie wholly before or after one. */
export interface Ranges {
  /** The next value. */
  add(value: unknown): void;
  /** Of the runs whose values compare with each other. */
  all(): Range[];
}

const RUN = 512;

export function createRanges(): Ranges {
  const runs: (Range | undefined)[] = [];
  let count = 0;
  return {
    add(value) {
      const n = Math.floor(count / RUN);
      count += 1;
      if (!isOrdered(value)) runs[n] = undefined;
      else if (count % RUN === 1) runs[n] = { start: count - 1, end: count, low: value, high: value };
      else {
        const run = runs[n];
        if (run && typeof run.low === typeof value) {
          run.end = count;
          if (value < run.low) run.low = value;
          if (value > run.high) run.high = value;
        } else runs[n] = undefined;
      }
    },
    all: () => runs.filter((run) => run !== undefined),
  };
}

/** No value and an empty one stand outside of any order. */
const isOrdered = (value: unknown): value is string | number =>
  typeof value === "number" ? !Number.isNaN(value) : typeof value === "string" && value !== "";
