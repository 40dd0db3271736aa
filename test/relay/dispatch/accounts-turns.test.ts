import { expect, it } from "vitest";
import type { AccountId } from "../../../src/domain/ids.ts";
import { createTurns } from "../../../src/relay/dispatch/turns.ts";
import { handClock } from "../../support/clock.ts";

const [a, b] = ["a", "b"] as [AccountId, AccountId];

function setUp(slots = 100) {
  const clock = handClock();
  const turns = createTurns(clock);
  const dealt = () => {
    const given: string[] = [];
    let left = slots;
    const served = turns.deal((account) => {
      if (left-- <= 0) return false;
      given.push(account);
      return true;
    });
    return { given, served };
  };
  return { clock, turns, dealt, in: (ms: number) => clock.now() + ms };
}

it("an account gets as many slots as it may need, one a turn", () => {
  const { turns, dealt, in: at } = setUp();
  turns.due(a, at(0), 3);
  turns.due(b, at(0));
  turns.due(b, at(-5));
  expect(dealt()).toEqual({ given: [a, b, a, b, a], served: [a, b] });
  expect(dealt().given).toEqual([]);
});

it("who gets no slot keeps its turn, before those who were served", () => {
  const { turns, dealt, in: at } = setUp(1);
  for (const account of [a, b]) turns.due(account, at(0), 2);
  expect(dealt().given).toEqual([a]);
  turns.due(a, at(0));
  expect(dealt().given).toEqual([b]);
  expect(dealt().given).toEqual([a]);
});

it("an account is due at its earliest time, also when it was served before", async () => {
  const { clock, turns, dealt, in: at } = setUp();
  const [soon, late] = [at(10), at(1_000)];
  turns.due(a, late);
  turns.due(b, at(500));
  turns.due(a, soon);
  turns.due(a, at(0));
  expect(dealt().served).toEqual([a]);
  expect(turns.earliest()).toBe(soon);
  await clock.forward(10);
  expect(dealt().served).toEqual([a]);
  for (let n = 0; n < 3; n++) turns.due(a, late);
  await clock.forward(490);
  expect(dealt().served).toEqual([b]);
  expect(turns.earliest()).toBe(late);
  await clock.forward(500);
  expect(dealt()).toEqual({ given: [a], served: [a] });
  expect(turns.earliest()).toBeUndefined();
});
