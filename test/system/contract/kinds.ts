import { expect } from "vitest";

interface SampleOf {
  body: object;
  events: Record<string, unknown>[];
}

/** Every value of a field, however deep it stands. */
function valuesOf(node: unknown, field: string): unknown[] {
  if (node === null || typeof node !== "object") return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === field ? [value] : []),
    ...valuesOf(value, field),
  ]);
}

/**
 * Each kind of message that the network names has a sample that says what becomes of it; the kit compares its content whole.
 */
export function expectSampleOfEach(kinds: readonly string[], samples: Record<string, SampleOf>): void {
  const told = Object.values(samples).filter(({ events }) => events.some((event) => Object.keys(event).length > 1));
  const found = new Set(told.flatMap(({ body }) => valuesOf(body, "type")));
  expect(kinds.filter((kind) => !found.has(kind))).toEqual([]);
}
