import type { NextDue } from "../../src/store/outbox.ts";

/** When the next work is due, ms. */
export function firstDue({ due, later = Number.POSITIVE_INFINITY }: NextDue): number | undefined {
  const first = Math.min(later, ...due.map(({ since }) => since));
  return Number.isFinite(first) ? first : undefined;
}
