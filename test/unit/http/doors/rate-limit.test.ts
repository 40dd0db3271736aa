import { describe, expect, it } from "vitest";
import { createRateLimit, type RateLimit } from "../../../../src/http/doors/rate-limit.ts";
import { handClock } from "../../../support/clock.ts";

/** One attempt from each of many addresses. */
const flood = ({ take }: RateLimit, count: number, from = 0) => {
  for (let n = from; n < from + count; n++)
    take(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`);
};

describe("the attempts of an address", () => {
  it("stay counted during a flood of other addresses, as long as it keeps guessing", () => {
    const limit = createRateLimit(2, handClock());
    for (let n = 0; n < 3; n++) limit.take("guesser");
    for (let n = 0; n < 20; n++) {
      flood(limit, 5_000, n * 5_000);
      expect(limit.take("guesser")).toBe(false);
    }
  });

  it("stay counted for the most recent addresses when memory is full", () => {
    const limit = createRateLimit(1, handClock());
    flood(limit, 9_999);
    limit.take("late");
    flood(limit, 9_000, 20_000);
    expect(limit.take("late")).toBe(false);
  });
});
