import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createHold, createSlots, createTurns } from "../../../../src/relay/scheduler/slots.ts";
import { GATEWAY } from "../../../../src/store/outbox.ts";
import { handClock } from "../../../support/clock.ts";

const [busy, idle] = ["busy", "idle"] as [AccountId, AccountId];
const job = (accountId: AccountId) => ({ accountId, direction: "inbound" }) as Job;

function setUp() {
  const turns = createTurns(handClock());
  const slots = createSlots({
    ...{ calls: 8, callsPerAccount: 4 },
    hostsOf: () => ({ kindOf: new Map() }),
    granted: turns.granted,
  });
  const due = new Set<AccountId>();
  const [leases, running] = [new Set([busy, idle]), [] as Job[]];
  const { hold } = createHold({
    ...{ turns, slots },
    isDue: (accountId) => due.has(accountId),
    leaseOf: (accountId) => (leases.has(accountId) ? { accountId, fence: 1 } : undefined),
    run: (each) => void running.push(each),
  });
  return { turns, slots, due, leases, running, hold };
}

it("runs what was stored as sending, and frees what no job took", () => {
  const { hold, running, slots } = setUp();
  const held = hold(idle, GATEWAY, 3);
  expect(held?.most).toBe(3);
  expect(hold(idle, GATEWAY, 3)).toBeUndefined();
  const [first, second] = [job(idle), job(idle)];
  held?.begin([first, second]);
  expect([held?.begun(), running]).toEqual([2, [first, second]]);
  held?.release();
  expect(held?.begun()).toBe(2);
  const rest = hold(idle, GATEWAY, 3);
  expect(rest?.most).toBe(1);
  rest?.release();
  slots.leave(first);
  slots.leave(second);
  expect(hold(idle, GATEWAY, 9)?.most).toBe(3);
});

it("holds nothing while other jobs wait for a slot, and for an account with due jobs", () => {
  const { hold, turns, slots, due } = setUp();
  due.add(busy);
  expect(hold(busy, GATEWAY, 1)).toBeUndefined();
  for (let n = 0; n < 8; n++) expect(slots.reserve(`other${n}` as AccountId, GATEWAY)).toBe("reserved");
  turns.found(busy, { due: [{ target: GATEWAY, jobs: 1 }] });
  turns.deal(slots.reserve);
  slots.enter("other0" as AccountId, []);
  // The freed slot is for who waits.
  expect(hold(idle, GATEWAY, 1)).toBeUndefined();
  expect(turns.deal(slots.reserve)).toEqual([busy]);
  slots.enter("other1" as AccountId, []);
  expect(hold(idle, GATEWAY, 1)?.most).toBe(1);
});

it("holds nothing for an account whose lease is not taken", () => {
  const { hold, leases } = setUp();
  leases.delete(idle);
  expect(hold(idle, GATEWAY, 1)).toBeUndefined();
});
