import fc from "fast-check";

/** `npm run properties` sets them; without it each property is tried on the same values every time. */
const { PROPERTY_RUNS, PROPERTY_SEED = "1" } = process.env;

/** How often a property is tried: `usual` in the tests, as often as is asked for (`most` at most) in the long run. */
export function tries(usual: number, most = Number.POSITIVE_INFINITY): { numRuns: number } {
  return { numRuns: PROPERTY_RUNS ? Math.min(most, Number(PROPERTY_RUNS)) : usual };
}

fc.configureGlobal({ seed: PROPERTY_SEED === "chance" ? Date.now() % 2 ** 31 : Number(PROPERTY_SEED), ...tries(100) });

export { fc };
