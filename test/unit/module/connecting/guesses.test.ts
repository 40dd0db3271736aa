import { describe, expect, it } from "vitest";
import { createGuessLimit } from "../../../../src/module/connecting/guesses.ts";
import { handClock } from "../../../support/clock.ts";

const SHOP = "https://shop.retailcrm.ru";

function setUp() {
  const clock = handClock();
  const mayGuess = createGuessLimit(clock);
  const seen = { begun: 0, refused: 0 };
  const guess = async (address: string, crm = SHOP) => {
    if (await mayGuess(address, crm)) seen.begun += 1;
    else seen.refused += 1;
  };
  const many = async (count: number, addressOf: (n: number) => string, crmOf = (_: number) => SHOP) => {
    for (let n = 0; n < count; n++) void guess(addressOf(n), crmOf(n));
    await clock.forward(0);
  };
  return { clock, guess, many, seen };
}

describe("attempts with keys at a CRM", () => {
  it("of one address start at once up to twenty, then four a second; twenty wait, the rest is refused", async () => {
    const { clock, many, seen } = setUp();
    await many(10_000, () => "a");
    expect(seen).toEqual({ begun: 20, refused: 9_960 });
    await clock.forward(1_000);
    expect(seen.begun).toBe(24);
    await clock.forward(60_000);
    expect(seen).toEqual({ begun: 40, refused: 9_960 });
  });

  it("are limited per CRM, from any number of addresses: sixty, then five a second", async () => {
    const { clock, many, seen } = setUp();
    await many(10_000, (n) => `a ${n}`);
    expect(seen).toEqual({ begun: 60, refused: 9_915 });
    await clock.forward(60_000);
    expect(seen.begun).toBe(85);
  });

  it("are limited per address, at any number of CRMs", async () => {
    const { many, seen } = setUp();
    await many(
      10_000,
      () => "a",
      (n) => `https://shop-${n}.retailcrm.ru`,
    );
    expect(seen).toEqual({ begun: 20, refused: 9_960 });
  });

  it("are not delayed by those of another address at another CRM", async () => {
    const { many, seen } = setUp();
    await many(10_000, () => "a");
    await many(
      20,
      () => "b",
      () => "https://other.retailcrm.ru",
    );
    expect(seen.begun).toBe(40);
  });

  it("recover quickly: the next waits a moment, however many went before it", async () => {
    const { clock, guess, many, seen } = setUp();
    await many(10_000, () => "a");
    await clock.forward(5_000);
    seen.begun = 0;
    void guess("a");
    await clock.forward(250);
    expect(seen.begun).toBe(1);
    await clock.forward(60_000);
    await many(20, () => "a");
    expect(seen.begun).toBe(21);
  });

  it("stay counted during a flood of other addresses", async () => {
    const { guess, many, seen } = setUp();
    const crmOf = (n: number) => `https://shop-${n}.retailcrm.ru`;
    await many(40, () => "a");
    for (let n = 0; n < 3; n++) {
      await many(
        5_000,
        (m) => `flood ${n} ${m}`,
        (m) => crmOf(n * 5_000 + m),
      );
      seen.refused = 0;
      await guess("a");
      expect(seen.refused).toBe(1);
    }
  });
});
