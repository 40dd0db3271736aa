import type { Patch } from "./copy.ts";

/** An attempt may last 15 s only, so that what a lost process may still get is not waited for for minutes. */
export const HURRY: Patch[] = [
  { file: "relay/deliver/attempt.js", find: "ATTEMPT_MS = 150_000", replace: "ATTEMPT_MS = 15_000" },
];

/** A machine that stands still for seconds loses no lease; a wall clock that jumps by an hour would. */
export const STEADY: Patch[] = [
  { file: "relay/scheduler/holdings.js", find: "TTL_MS = 10_000", replace: "TTL_MS = 60_000" },
];
export const steady = ({ slack }: { slack: number }): Patch[] => (slack > 1 ? STEADY : []);
