import { describe, expect, it } from "vitest";
import { createRateLimit, type RateLimit } from "../../src/http/rate-limit.ts";

/** One attempt from each of many addresses. */
const flood = ({ take }: RateLimit, count: number, from = 0) => {
  for (let n = from; n < from + count; n++)
    take(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`);
};

describe("the tries of an address", () => {
  it("stay counted while a flood of addresses tries, too, as long as it goes on guessing", () => {
    const limit = createRateLimit(2, () => 0);
    for (let n = 0; n < 3; n++) limit.take("guesser");
    for (let n = 0; n < 20; n++) {
      flood(limit, 5_000, n * 5_000);
      expect(limit.take("guesser")).toBe(false);
    }
  });

  it("stay counted of those who tried last when there is no room for more", () => {
    const limit = createRateLimit(1, () => 0);
    flood(limit, 9_999);
    limit.take("late");
    flood(limit, 9_000, 20_000);
    expect(limit.take("late")).toBe(false);
  });
});
