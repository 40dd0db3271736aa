import { describe, expect, it } from "vitest";
import { tries } from "../../src/http/guard.ts";

function counted(most: number) {
  let time = 0;
  const limit = tries(most, () => time);
  return { ...limit, pass: (ms: number) => (time += ms) };
}
/** Of as many addresses as there are, one try each. */
const flood = ({ take }: ReturnType<typeof counted>, count: number, from = 0) => {
  for (let n = from; n < from + count; n++)
    take(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`);
};

describe("the tries of an address", () => {
  it("are counted for a minute, and those given back are not", () => {
    const limit = counted(2);
    expect([1, 2, 3].map(() => limit.take("a"))).toEqual([true, true, false]);
    limit.giveBack("a");
    expect([limit.take("a"), limit.take("a"), limit.take("b")]).toEqual([true, false, true]);
    limit.pass(60_000);
    expect(limit.take("a")).toBe(true);
  });

  it("stay counted while a flood of addresses tries, too, as long as it goes on guessing", () => {
    const limit = counted(2);
    for (let n = 0; n < 3; n++) limit.take("guesser");
    for (let n = 0; n < 20; n++) {
      flood(limit, 5_000, n * 5_000);
      expect(limit.take("guesser")).toBe(false);
    }
  });

  it("stay counted of those who tried last when there is no room for more", () => {
    const limit = counted(1);
    flood(limit, 9_999);
    limit.take("late");
    flood(limit, 9_000, 20_000);
    expect(limit.take("late")).toBe(false);
  });
});
