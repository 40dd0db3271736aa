import type { Sabotage } from "./sabotage.ts";
import { SABOTAGES_OF_FAULTS } from "./sabotages-of-faults.ts";
import { SABOTAGES_OF_TESTS } from "./sabotages-of-tests.ts";
import { SABOTAGES_OF_TRIALS } from "./sabotages-of-trials.ts";

/** Promises that are measured only (`npm run bench`): no single protection keeps them. */
export const FIGURES_ONLY = ["P21"];

/** Each protection, taken away in turn. */
export const SABOTAGES: Sabotage[] = [...SABOTAGES_OF_FAULTS, ...SABOTAGES_OF_TRIALS, ...SABOTAGES_OF_TESTS];
