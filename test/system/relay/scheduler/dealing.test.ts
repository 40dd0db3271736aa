import type { ChannelId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createSlots, createTurns } from "../../../../src/relay/scheduler/slots.ts";
import { GATEWAY, type Target } from "../../../../src/store/outbox.ts";
import { seeded } from "../../../support/random.ts";

interface Call {
  account: AccountId;
  target: Target;
  job: Job;
}

/** Random accounts, limits, work and ends of calls, with turns and slots as the worker uses them, but no store. */
function dispatching(seed: number) {
  const { int, pick, chance } = seeded(seed);
  const [calls, callsPerAccount] = [1 + int(12), 1 + int(8)];
  const kinds = ["a", "b", "c"].slice(0, 1 + int(3));
  const accounts = Array.from({ length: 1 + int(12) }, (_, n) => `account${n}` as AccountId);
  const hostsFor = () => {
    const own = kinds.filter(() => chance(0.7));
    return { gateway: pick(["one", "two"]), kindOf: new Map(own.map((kind) => [kind as ChannelId, kind])) };
  };
  const hosts = new Map(accounts.map((id) => [id, hostsFor()]));
  const hostsOf = (id: AccountId) => hosts.get(id) ?? hostsFor();
  const targetsOf = (id: AccountId): Target[] => [GATEWAY, ...hostsOf(id).kindOf.values()];
  const turns = createTurns({ now: () => 0 });
  const slots = createSlots({ calls, callsPerAccount, hostsOf, granted: turns.granted });
  const due = new Map(accounts.map((id) => [id, new Map<Target, number>()]));
  const dueOf = (id: AccountId, target: Target) => due.get(id)?.get(target) ?? 0;
  const change = (id: AccountId, target: Target, by: number) => due.get(id)?.set(target, dueOf(id, target) + by);
  const underWay: Call[] = [];

  const look = (id: AccountId) => {
    const found = targetsOf(id).map((target) => ({ target, jobs: dueOf(id, target) }));
    turns.found(id, { due: found.filter(({ jobs }) => jobs > 0) });
  };
  const claim = (account: AccountId): Call[] => {
    const room = slots.reserved(account);
    const claimed: Call[] = [];
    for (const target of targetsOf(account)) {
      const [side, direction] =
        target === GATEWAY ? (["gateway", "inbound"] as const) : (["messenger", "outbound"] as const);
      // Now and then a claim leaves something, as when memory was wrong.
      while (dueOf(account, target) > 0 && !chance(0.15) && room.take(side, target as ChannelId)) {
        change(account, target, -1);
        claimed.push({ account, target, job: { accountId: account, channelId: target, direction } as unknown as Job });
      }
    }
    return claimed;
  };
  const pump = () => {
    for (;;) {
      const unseen = turns.toLookAt(3);
      for (const id of unseen) look(id);
      const dealt = turns.deal(slots.reserve);
      if (dealt.length === 0 && unseen.length < 3) return;
      const claims = dealt.map((id) => ({ id, claimed: claim(id) }));
      for (const { id, claimed } of claims) {
        slots.enter(
          id,
          claimed.map(({ job }) => job),
        );
        underWay.push(...claimed);
        look(id);
      }
    }
  };
  const arrive = () => {
    const [id, count] = [pick(accounts), 1 + int(5)];
    change(id, pick(targetsOf(id)), count);
    turns.look(id);
    return count;
  };
  const end = () => {
    const [call] = underWay.splice(int(underWay.length), 1);
    if (!call) return;
    slots.leave(call.job);
    turns.look(call.account);
  };

  /** How many more calls the limits allow. */
  const room = (account: AccountId, target: Target): number => {
    const count = (which: (call: Call) => boolean) => underWay.filter(which).length;
    const own = underWay.filter((call) => call.account === account);
    const toGateway = target === GATEWAY;
    const gateway = hostsOf(account).gateway;
    const host = (call: Call) => call.target === target && (!toGateway || hostsOf(call.account).gateway === gateway);
    return Math.min(
      calls - underWay.length,
      callsPerAccount - own.length,
      Math.max(1, callsPerAccount - 1) - own.filter((call) => (call.target === GATEWAY) === toGateway).length,
      toGateway ? calls : Math.max(1, callsPerAccount - 2) - own.filter((call) => call.target === target).length,
      Math.max(1, Math.floor(calls * 0.75)) - count(host),
    );
  };
  const rooms = () =>
    accounts.flatMap((id) => targetsOf(id).map((target) => ({ room: room(id, target), due: dueOf(id, target) })));
  return { chance, arrive, end, pump, rooms, underWay };
}

it("no limit is broken, no due job that fits is forgotten, and every slot is freed", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const { chance, arrive, end, pump, rooms, underWay } = dispatching(seed);
    let left = 0;
    for (let step = 0; step < 200; step++) {
      if (chance(0.5)) left += arrive();
      else if (underWay.length > 0) {
        end();
        left -= 1;
      }
      if (chance(0.3)) continue;
      pump();
      expect(Math.min(...rooms().map(({ room }) => room)), `seed ${seed}: within the limits`).toBeGreaterThanOrEqual(0);
      expect(
        rooms().filter(({ room, due }) => room > 0 && due > 0),
        `seed ${seed}: forgotten`,
      ).toEqual([]);
    }
    for (; underWay.length > 0 || left > 0; left -= 1) {
      pump();
      expect(underWay.length, `seed ${seed}: something is under way`).toBeGreaterThan(0);
      end();
    }
  }
});
