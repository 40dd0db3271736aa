import fc from "fast-check";

/** Set by `npm run properties`; by default every run uses the same values. */
const { PROPERTY_RUNS, PROPERTY_SEED = "1" } = process.env;

/** Number of runs of a property: `usual` in tests, PROPERTY_RUNS up to `max` in the long run. */
export function tries(usual: number, max = Number.POSITIVE_INFINITY): { numRuns: number } {
  return { numRuns: PROPERTY_RUNS ? Math.min(max, Number(PROPERTY_RUNS)) : usual };
}

fc.configureGlobal({ seed: PROPERTY_SEED === "chance" ? Date.now() % 2 ** 31 : Number(PROPERTY_SEED), ...tries(100) });

export { fc };
