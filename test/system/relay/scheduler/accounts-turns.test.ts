import { expect, it } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createTurns, type Reserve } from "../../../../src/relay/scheduler/slots.ts";
import { GATEWAY } from "../../../../src/store/outbox.ts";
import { handClock } from "../../../support/clock.ts";

const [a, b] = ["a", "b"] as [AccountId, AccountId];

function setUp(slots = 100, answer: Reserve = () => "reserved") {
  const clock = handClock();
  const turns = createTurns(clock);
  const dealt = () => {
    const given: string[] = [];
    let left = slots;
    const served = turns.deal((account, target) => {
      if (left <= 0) return "full";
      const answered = answer(account, target);
      if (answered !== "reserved") return answered;
      left -= 1;
      given.push(target === GATEWAY ? account : `${account} ${target}`);
      return "reserved";
    });
    return { given, served };
  };
  const found = (account: AccountId, jobs: number, target = GATEWAY) =>
    turns.found(account, { due: [{ target, jobs }] });
  const lookAt = () => turns.toLookAt(10);
  return { clock, turns, dealt, found, lookAt, in: (ms: number) => clock.now() + ms };
}

it("an account gets a slot for each job, one a turn", () => {
  const { dealt, found } = setUp();
  found(a, 3);
  found(b, 1);
  found(b, 2);
  expect(dealt()).toEqual({ given: [a, b, a, b, a], served: [a, b] });
  expect(dealt().given).toEqual([]);
});

it("an account's targets take turns, and one without a slot does not hold up another", () => {
  const { turns, dealt } = setUp(100, (_, target) => (target === "dead" ? "none" : "reserved"));
  turns.found(a, { due: [GATEWAY, "dead", "well"].map((target) => ({ target, jobs: 2 })) });
  expect(dealt().given).toEqual([a, "a well", a, "a well"]);
});

it("who gets no slot keeps its turn, before those who were served", () => {
  const { dealt, found } = setUp(1);
  for (const account of [a, b]) found(account, 2);
  expect(dealt().given).toEqual([a]);
  found(a, 1);
  expect(dealt().given).toEqual([b]);
  expect(dealt().given).toEqual([a]);
});

it("who was granted a slot is served without a turn", () => {
  const { turns, dealt } = setUp(0);
  turns.granted(b);
  expect(dealt()).toEqual({ given: [], served: [b] });
  expect(dealt().served).toEqual([]);
});

it("an account is looked at by its earliest time, also when it was looked at before", async () => {
  const { clock, turns, lookAt, in: at } = setUp();
  const [soon, late] = [at(10), at(1_000)];
  turns.look(a, late);
  turns.look(b, at(500));
  turns.found(a, { due: [], later: soon });
  turns.look(a);
  expect(lookAt()).toEqual([a]);
  expect(turns.earliest()).toBe(soon);
  await clock.forward(10);
  expect(lookAt()).toEqual([a]);
  for (let n = 0; n < 3; n++) turns.look(a, late);
  await clock.forward(490);
  expect(lookAt()).toEqual([b]);
  expect(turns.earliest()).toBe(late);
  await clock.forward(500);
  expect(lookAt()).toEqual([a]);
  expect(turns.earliest()).toBeUndefined();
});

it("many accounts are looked at a few at a time", () => {
  const { turns } = setUp();
  for (const account of [a, b]) turns.look(account);
  expect([turns.toLookAt(1), turns.toLookAt(1), turns.toLookAt(1)]).toEqual([[a], [b], []]);
});
