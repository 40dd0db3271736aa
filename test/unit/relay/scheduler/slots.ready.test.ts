import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createSlots, createTurns, createWithSlots } from "../../../../src/relay/scheduler/slots.ts";
import { GATEWAY, type ReadySlots } from "../../../../src/store/outbox.ts";
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
  const woken: AccountId[] = [];
  const { withSlots, ends } = createWithSlots({
    ...{ turns, slots },
    isDue: (accountId) => due.has(accountId),
    leaseOf: (accountId) => (leases.has(accountId) ? { accountId, fence: 1 } : undefined),
    run: (each) => void running.push(each),
    wake: (account) => void woken.push(account),
  });
  /** How many slots a write has. */
  const most = async (account: AccountId, wanted: number) =>
    (await withSlots(account, GATEWAY, wanted, async (ready) => ready?.most)).result;
  return { turns, slots, due, leases, running, woken, withSlots, ends, most };
}

it("runs what was stored as sending, and frees what no job took", async () => {
  const { withSlots, most, running, slots } = setUp();
  const [first, second] = [job(idle), job(idle)];
  const write = async (ready?: ReadySlots) => {
    expect([ready?.most, await most(idle, 3)]).toEqual([3, undefined]);
    ready?.begin([first, second]);
    expect(running).toEqual([first, second]);
    return "stored";
  };
  expect(await withSlots(idle, GATEWAY, 3, write)).toEqual({ result: "stored", begun: 2 });
  expect(await most(idle, 3)).toBe(1);
  slots.leave(first);
  slots.leave(second);
  expect(await most(idle, 9)).toBe(3);
});

it("wakes an account that may have found no slot while they were promised to a write that stored less", async () => {
  const { withSlots, woken, slots } = setUp();
  const whole = async (ready?: ReadySlots) => ready?.begin([job(idle)]);
  await withSlots(idle, GATEWAY, 1, whole);
  expect(woken).toEqual([]);
  await withSlots(idle, GATEWAY, 3, async () => {
    expect(slots.reserve(idle, GATEWAY)).toBe("none");
  });
  const fails = async () => {
    throw new Error("the disk is full");
  };
  await expect(withSlots(idle, GATEWAY, 1, fails)).rejects.toThrow("the disk is full");
  expect(woken).toEqual([idle, idle]);
});

it("frees all slots after a write that fails", async () => {
  const { withSlots, most, ends } = setUp();
  const write = async () => {
    expect(ends()).toHaveLength(1);
    throw new Error("the disk is full");
  };
  await expect(withSlots(idle, GATEWAY, 3, write)).rejects.toThrow("the disk is full");
  expect([await most(idle, 3), ends()]).toEqual([3, []]);
});

it("gives none while other jobs wait for a slot, and for an account with due jobs", async () => {
  const { most, turns, slots, due } = setUp();
  due.add(busy);
  expect(await most(busy, 1)).toBeUndefined();
  for (let n = 0; n < 8; n++) expect(slots.reserve(`other${n}` as AccountId, GATEWAY)).toBe("reserved");
  turns.found(busy, { due: [{ target: GATEWAY, jobs: 1 }] });
  turns.deal(slots.reserve);
  slots.enter("other0" as AccountId, []);
  // The freed slot is for who waits.
  expect(await most(idle, 1)).toBeUndefined();
  expect(turns.deal(slots.reserve)).toEqual([busy]);
  slots.enter("other1" as AccountId, []);
  expect(await most(idle, 1)).toBe(1);
});

it("gives none for an account whose lease is not taken", async () => {
  const { most, leases } = setUp();
  leases.delete(idle);
  expect(await most(idle, 1)).toBeUndefined();
});
