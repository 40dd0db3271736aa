import type { Sabotage } from "./sabotage.ts";
import { SABOTAGES_OF_APPS } from "./sabotages-of-apps.ts";
import { SABOTAGES_OF_ERASURES } from "./sabotages-of-erasures.ts";
import { SABOTAGES_OF_FAULTS } from "./sabotages-of-faults.ts";
import { SABOTAGES_OF_LOGINS } from "./sabotages-of-logins.ts";
import { SABOTAGES_OF_PROCESSES } from "./sabotages-of-processes.ts";
import { SABOTAGES_OF_STORE } from "./sabotages-of-store.ts";
import { SABOTAGES_OF_TESTS } from "./sabotages-of-tests.ts";
import { SABOTAGES_OF_THREATS } from "./sabotages-of-threats.ts";
import { SABOTAGES_OF_TRIALS } from "./sabotages-of-trials.ts";

/** Promises without a single protection to remove; `npm run bench` measures them. */
export const FIGURES_ONLY = ["P21"];

export const SABOTAGES: Sabotage[] = [
  ...SABOTAGES_OF_FAULTS,
  ...SABOTAGES_OF_TRIALS,
  ...SABOTAGES_OF_STORE,
  ...SABOTAGES_OF_TESTS,
  ...SABOTAGES_OF_APPS,
  ...SABOTAGES_OF_ERASURES,
  ...SABOTAGES_OF_LOGINS,
  ...SABOTAGES_OF_THREATS,
  ...SABOTAGES_OF_PROCESSES,
];
