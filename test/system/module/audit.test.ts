import { systemClock } from "gangway-messenger/clock";
import { createExplain } from "gangway-messenger/explanations";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../src/domain/explanations.ts";
import { createUndelivered } from "../../../src/module/messages/undelivered.ts";
import { customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { takeLease } from "../../support/store.ts";
import { moduleWorld, refusedBy } from "../../unit/module/world.ts";

const form = (token = "12345") => ({ name: "Toy one", settings: { token } });

async function setUp() {
  const world = await moduleWorld();
  const account = await world.join();
  const acts = async () => (await world.store.audit.list({ limit: 100 })).reverse();
  const actions = async () => (await acts()).map(({ action }) => action);
  return { ...world, account, acts, actions };
}

describe("the audit", () => {
  it("has every action of the account's user, with account and channel and without a secret", async () => {
    const site = await setUp();
    const { account, channels, store } = site;
    const added = await channels.add(account, "toy", form());
    if (!added.ok) throw new Error("no channel");
    const { id } = added.channel;
    await channels.change(account, id, form("67890"));
    await store.channels.setState(id, "stopped", "the token was revoked");
    await channels.resume(account, id);
    await channels.remove(account, id);
    await site.join();
    const acts = await site.acts();
    expect(acts.map(({ action }) => action)).toEqual([
      "account connected",
      "channel added",
      "channel edited",
      "channel resumed",
      "channel removed",
      "account connected again",
    ]);
    expect(acts.every(({ actor, accountId }) => actor === "account user" && accountId === account.id)).toBe(true);
    expect(acts.slice(1, 5).every(({ detail }) => detail.channel === id)).toBe(true);
    for (const secret of ["12345", "67890", "a-key-that-works"]) expect(JSON.stringify(acts)).not.toContain(secret);
  });

  it("records actions that were rolled back", async () => {
    const site = await setUp();
    const { account, channels, toy } = site;
    toy.network.down = refusedBy("no");
    await channels.add(account, "toy", form());
    toy.network.down = undefined;
    const added = await channels.add(account, "toy", form());
    if (!added.ok) throw new Error("no channel");
    toy.network.down = refusedBy("no");
    await channels.change(account, added.channel.id, form("67890"));
    expect(await site.actions()).toEqual([
      "account connected",
      "channel added",
      "channel not added: it could not be opened",
      "channel added",
      "channel edited",
      "channel edit taken back: it was refused",
    ]);
  });

  it("has a message that was sent again, once", async () => {
    const site = await setUp();
    const { account, channels, store } = site;
    const added = await channels.add(account, "toy", form());
    if (!added.ok) throw new Error("no channel");
    await store.outbox.acceptInbound(added.channel, { events: [customerSays("m")] });
    const [job] = (await store.outbox.claim(await takeLease(store, account.id, "test"), roomFor(1))) as [Job];
    await store.outbox.failed(job, { state: "dead", code: "general" }, "no");
    const undelivered = createUndelivered({
      ...{
        store,
        adapters: site.adapters,
        wake: site.wake,
        clock: systemClock,
        explain: createExplain(COMMON_EXPLANATIONS),
      },
      config: { limits: { outboundPatienceMs: 1_000 } as never },
    });
    expect((await undelivered.decide(account, job.id, "again")).count).toBe(1);
    expect((await undelivered.decide(account, job.id, "again")).count).toBe(0);
    const again = (await site.acts()).filter(({ action }) => action === "message sent again");
    expect(again.map(({ detail }) => detail)).toEqual([{ job: job.id }]);
  });
});
