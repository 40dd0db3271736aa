import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import type { Job } from "../../../../src/domain/delivery.ts";
import { GATEWAY } from "../../../../src/store/outbox.ts";
import type { Store } from "../../../../src/store/store.ts";
import { handClock } from "../../../support/clock.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { seeded } from "../../../support/random.ts";
import { addAccount, addChannel, temporaryStore } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

const HANGS_MS = 30_000;
interface Limits {
  calls: number;
  callsPerAccount: number;
}

/** Shops with these kinds of messengers, and a relay on their store. */
async function relaying(kinds: string[][], takesMs: (job: Job, kind: string) => number, limits?: Limits) {
  const clock = handClock();
  const store = await temporaryStore(clock);
  const kindOf = new Map<string, string>();
  const shop = async (own: string[], n: number) => {
    const account = await addAccount(store, `shop${n}`);
    const channels = await Promise.all(own.map((kind) => addChannel(store, account, kind)));
    for (const { id, kind } of channels) kindOf.set(id, kind);
    return { account, channels };
  };
  const shops: Awaited<ReturnType<typeof shop>>[] = [];
  for (const [n, own] of kinds.entries()) shops.push(await shop(own, n));
  const done: string[] = [];
  const inFlight: { kind: string; account: string }[] = [];
  let peak = 0;
  const perform = async (job: Job, signal: AbortSignal) => {
    const kind = job.direction === "outbound" ? (kindOf.get(job.channelId) ?? "") : "gateway";
    const call = { kind, account: job.accountId };
    inFlight.push(call);
    peak = Math.max(peak, inFlight.filter((each) => each.kind === kind).length);
    const ms = takesMs(job, kind);
    await (ms > 0 ? pause(clock, ms, signal) : undefined);
    inFlight.splice(inFlight.indexOf(call), 1);
    if (ms >= HANGS_MS) throw new DeliveryError({ type: "retry" }, "no answer");
    done.push(kind);
    return {};
  };
  const { worker } = await working({ store, clock, perform, ...(limits && { limits }) });
  const count = (kind: string) => done.filter((each) => each === kind).length;
  return { clock, store, shops, worker, done, inFlight, count, peak: () => peak };
}
let last = 0;
const tell = (store: Store, channel: Channel, count: number) => {
  const accept = () => {
    last += 1;
    const act = agentSays(`${last}`, "hello", `chat ${last}`);
    return store.outbox.acceptOutbound(channel, { key: `sent:${last}`, act, patienceMs: 3_600_000 });
  };
  return Promise.all(Array.from({ length: count }, accept));
};
const hangs = (_: Job, kind: string) => (kind === "dead" ? HANGS_MS : 0);

describe("a messenger that hangs", () => {
  it("for a hundred accounts does not affect their other messengers", async () => {
    const kinds = Array.from({ length: 100 }, () => ["dead", "well"]);
    const { clock, store, shops, worker, count, peak } = await relaying(kinds, hangs);
    for (const { account, channels } of shops) {
      await tell(store, channels[0] as Channel, 9);
      worker.wake(account.id);
    }
    await clock.forward(1_000);
    for (const { account, channels } of shops) {
      await tell(store, channels[1] as Channel, 1);
      worker.wake(account.id);
    }
    await clock.forward(1_000);
    expect([count("well"), peak()]).toEqual([100, 48]);
  });

  it("leaves its own account a call for its other messengers, and one for the gateway", async () => {
    const { clock, store, shops, worker, count } = await relaying([["dead", "well"]], hangs);
    const [{ account, channels: [dead, well] = [] } = { channels: [] }] = shops;
    if (!account || !dead || !well) throw new Error("there is one shop");
    await tell(store, dead, 50);
    worker.wake(account.id);
    await clock.forward(1_000);
    await tell(store, well, 5);
    await store.outbox.acceptInbound(well, { events: [customerSays("hello")] });
    worker.wake(account.id);
    await clock.forward(1_000);
    expect([count("well"), count("gateway")]).toEqual([5, 1]);
  });

  it("does not affect a messenger that the account has just added", async () => {
    const { clock, store, shops, worker, count } = await relaying([["dead"], ["dead"]], hangs, {
      calls: 4,
      callsPerAccount: 4,
    });
    for (const { account, channels } of shops) {
      await tell(store, channels[0] as Channel, 9);
      worker.wake(account.id);
    }
    await clock.forward(1_000);
    for (const { account } of shops) {
      await tell(store, await addChannel(store, account, "well"), 1);
      worker.wake(account.id);
    }
    await clock.forward(1_000);
    expect(count("")).toBe(2);
  });
});

/** Work that is due and has free slots, but is not under way. */
async function forgotten(relay: Awaited<ReturnType<typeof relaying>>, { calls, callsPerAccount }: Limits) {
  const { store, shops, inFlight } = relay;
  const all = ["gateway", ...new Set(shops.flatMap(({ channels }) => channels.map(({ kind }) => kind)))];
  const under = (of: string[], account = "") =>
    inFlight.filter((call) => of.includes(call.kind) && call.account.startsWith(account)).length;
  const host = Math.max(1, Math.floor(calls * 0.75));
  const side = Math.max(1, callsPerAccount - 1);
  const found: string[] = [];
  if (inFlight.length >= calls) return found;
  for (const { account, channels } of shops) {
    const kinds = [...new Set(channels.map(({ kind }) => kind))];
    const ownKind = Math.max(1, callsPerAccount - 2);
    if (under(all, account.id) >= callsPerAccount) continue;
    for (const kind of ["gateway", ...kinds]) {
      const of = kind === "gateway" ? "gateway" : "messenger";
      const target = kind === "gateway" ? GATEWAY : kind;
      const isDue = store.outbox.nextDue(account.id).due.some((each) => each.target === target);
      const room =
        under([kind]) < host &&
        under(of === "gateway" ? [kind] : kinds, account.id) < side &&
        (of === "gateway" || under([kind], account.id) < ownKind);
      if (room && isDue) found.push(`${account.crmUrl} ${kind}`);
    }
  }
  return found;
}

describe("work that waits for a slot", () => {
  const SEEDS = Array.from({ length: 8 }, (_, seed) => seed + 1);
  it.each(SEEDS)("starts as soon as there is one, whatever else waits (%i)", async (seed) => {
    const { next, int, chance, pick } = seeded(seed);
    const kinds = Array.from({ length: 8 }, () => [pick(["a", "b"]), ...["a", "b", "c"].filter(() => chance(0.5))]);
    const limits = { calls: 2 + int(6), callsPerAccount: 1 + int(5) };
    const relay = await relaying(kinds, (_, kind) => Math.floor(next() * (kind === "a" ? 3_000 : 200)), limits);
    const { clock, store, shops, worker, done, peak } = relay;
    let accepted = 0;
    for (let round = 0; round < 80; round++) {
      const { account, channels } = pick(shops);
      const [channel, messages, asks] = [pick(channels), 1 + int(4), chance(0.3)];
      await tell(store, channel, messages);
      if (asks) await store.outbox.acceptInbound(channel, { events: [customerSays(`in${round}`, "", `${round}`)] });
      accepted += messages + (asks ? 1 : 0);
      worker.wake(account.id);
      if (chance(0.5)) await clock.forward(int(500));
      if (chance(0.5)) continue;
      await clock.forward(0);
      // A look of the store that was under way may have brought back what has left since.
      if ((await forgotten(relay, limits)).length > 0) await store.outbox.refresh();
      expect(await forgotten(relay, limits)).toEqual([]);
    }
    await clock.forward(240_000);
    expect(done).toHaveLength(accepted);
    expect(peak()).toBeLessThanOrEqual(Math.max(1, Math.floor(limits.calls * 0.75)));
  });
});
