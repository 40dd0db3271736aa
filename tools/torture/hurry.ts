import type { Patch } from "./copy.ts";

/** An attempt may last 15 s only, so that what a lost process may still get is not waited for for minutes. */
export const HURRY: Patch[] = [
  { file: "relay/deliver/attempt.js", find: "ATTEMPT_MS = 150_000", replace: "ATTEMPT_MS = 15_000" },
];
