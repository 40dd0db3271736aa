import type { ChannelId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createSlots } from "../../../../src/relay/scheduler/slots.ts";
import { GATEWAY } from "../../../../src/store/outbox.ts";

const KINDS = ["a", "b", "c"];
const kindOf = new Map(KINDS.map((kind) => [kind as ChannelId, kind]));
const call = (account: AccountId, kind: string) =>
  ({ accountId: account, channelId: kind as ChannelId, direction: "outbound" }) as Job;
const [busy, idle] = ["busy", "idle"] as [AccountId, AccountId];

function setUp() {
  const granted: string[] = [];
  const slots = createSlots({
    ...{ calls: 16, callsPerAccount: 4 },
    hostsOf: () => ({ kindOf }),
    granted: (account) => void granted.push(account),
  });
  const enter = (account: AccountId, kinds: string[]) => {
    const jobs = kinds.map((kind) => call(account, kind));
    for (const kind of kinds) expect(slots.reserve(account, kind)).toBe("reserved");
    slots.enter(account, jobs);
    return jobs;
  };
  return { slots, enter, granted };
}

it("a freed slot of a host goes to an account that waits for it and can use it", () => {
  const { slots, enter, granted } = setUp();
  const others = Array.from({ length: 12 }, (_, n) => enter(`other${n}` as AccountId, ["a"])[0]);
  expect([busy, idle].map((account) => slots.reserve(account, "a"))).toEqual(["none", "none"]);
  enter(busy, ["b", "b", "c"]);
  slots.leave(others[0] as Job);
  expect(granted).toEqual([idle]);
  expect(slots.reserved(idle).free("messenger", "a" as ChannelId)).toBe(1);
  expect(slots.reserve("another" as AccountId, "a")).toBe("none");
});

it("a slot is for one target only, and what a claim leaves is free again", () => {
  const { slots } = setUp();
  for (const kind of ["a", "b"]) expect(slots.reserve(idle, kind)).toBe("reserved");
  const room = slots.reserved(idle);
  const [a, c] = ["a", "c"] as [ChannelId, ChannelId];
  expect([room.most, room.free("gateway"), room.free("messenger")]).toEqual([2, 0, 2]);
  expect([a, a, c].map((channelId) => room.take("messenger", channelId))).toEqual([true, false, false]);
  slots.enter(idle, [call(idle, "a")]);
  expect(slots.reserved(idle).most).toBe(0);
  for (const answer of ["reserved", "reserved", "none"]) expect(slots.reserve(idle, "b")).toBe(answer);
});

it("says when the process has no slot", () => {
  const { slots } = setUp();
  for (let n = 0; n < 16; n++) expect(slots.reserve(`${n}` as AccountId, KINDS[n % 3] ?? "")).toBe("reserved");
  expect(slots.reserve(idle, "a")).toBe("full");
  slots.enter("3" as AccountId, []);
  expect(slots.reserve(idle, "a")).toBe("reserved");
});

it("passes a host's slot on when the first that waits for it has moved to another host", () => {
  const granted: string[] = [];
  const moved = new Set<AccountId>();
  const slots = createSlots({
    ...{ calls: 2, callsPerAccount: 4 },
    hostsOf: (account) => ({ kindOf, gateway: moved.has(account) ? "another" : "one" }),
    granted: (account) => void granted.push(account),
  });
  const [first, mover, next] = ["first", "mover", "next"] as [AccountId, AccountId, AccountId];
  const job = { accountId: first, channelId: "a" as ChannelId, direction: "inbound" } as Job;
  expect([first, mover, next].map((account) => slots.reserve(account, GATEWAY))).toEqual(["reserved", "none", "none"]);
  slots.enter(first, [job]);
  moved.add(mover);
  slots.leave(job);
  expect(granted).toEqual([mover, next]);
});

it("gives an account the calls of its own limit, from the next one on, and others the usual number", () => {
  const own = new Map<AccountId, number>();
  const slots = createSlots({
    ...{ calls: 64, callsPerAccount: 4 },
    hostsOf: (account) => ({ kindOf, calls: own.get(account) }),
    granted: () => undefined,
  });
  const mostOf = (account: AccountId) => {
    let most = 0;
    for (const target of [GATEWAY, ...KINDS, GATEWAY]) while (slots.reserve(account, target) === "reserved") most += 1;
    slots.enter(account, []);
    return most;
  };
  expect(mostOf(busy)).toBe(4);
  own.set(busy, 9);
  expect([mostOf(busy), mostOf(idle)]).toEqual([9, 4]);
  own.set(busy, 1);
  expect([mostOf(busy), slots.take(busy, GATEWAY, 5).left(), mostOf(idle)]).toEqual([1, 1, 4]);
  own.delete(busy);
  expect(slots.reserve(busy, "a"), "the one that is held").toBe("reserved");
});

it("lets calls beyond a lower limit end, and begins none before", () => {
  let calls: number | undefined;
  const slots = createSlots({
    ...{ calls: 16, callsPerAccount: 4 },
    hostsOf: () => ({ kindOf, calls }),
    granted: () => undefined,
  });
  const jobs = ["a", "b", "c"].map((kind) => call(busy, kind));
  for (const kind of KINDS) slots.reserve(busy, kind);
  slots.enter(busy, jobs);
  calls = 2;
  expect(slots.reserve(busy, GATEWAY)).toBe("none");
  slots.leave(jobs[0] as Job);
  expect(slots.reserve(busy, GATEWAY), "two are under way").toBe("none");
  slots.leave(jobs[1] as Job);
  expect(slots.reserve(busy, GATEWAY)).toBe("reserved");
});
