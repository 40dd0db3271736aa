import { describe, expect, it } from "vitest";
import { type Channel, shownState } from "../../../../../src/domain/channel.ts";
import { INBOUND_PATIENCE_MS } from "../../../../../src/domain/delivery.ts";
import type { Act } from "../../../../../src/store/care.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { boundOf } from "../../../../support/overload.ts";
import { roomFor } from "../../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../../support/store.ts";

const by = (action: string): Act => ({ actor: "operator", action, detail: { through: "command" } });
const PAUSED = by("account paused");
const RESUMED = by("account resumed");

describe.each(ENGINES)("what the vendor does to an account, on $name,", (engine) => {
  async function setUp() {
    const made = await oneChannelOn(engine);
    const { store, account, channel } = made;
    const { id } = account;
    const lease = await takeLease(store, id);
    const say = (text: string, to = channel) =>
      store.outbox.acceptInbound(to, { events: [customerSays(text, text, "chat")] });
    const answer = (text: string) =>
      store.outbox.acceptOutbound(channel, {
        ...{ key: `sent:${text}`, act: agentSays(text, text, "chat"), patienceMs: 9e9 },
      });
    const claim = async () =>
      (await store.outbox.claim(lease, roomFor(9))).map(({ direction, channelId }) => `${direction} ${channelId}`);
    const standing = async () =>
      (await store.ledger(id)).map(({ channelId, standing: word, dueAt }) => [channelId, word, dueAt]);
    const acts = async () => (await store.audit.list({ accountId: id, limit: 99 })).reverse();
    /** PostgreSQL hears of a change a moment later. */
    const heard = () => store.outbox.refresh();
    return { ...made, id, say, answer, claim, standing, acts, heard };
  }

  it("pauses it whatever the CRM says: nothing is claimed, in either direction, and all is kept until it resumes it", async () => {
    const { store, id, say, answer, claim, standing, heard, channel } = await setUp();
    await say("before");
    await answer("before");
    expect(await store.accounts.setPause(id, "unpaid since May", PAUSED)).toBe(true);
    expect((await store.accounts.byId(id))?.pauseReason).toBe("unpaid since May");
    await say("meanwhile");
    await heard();
    expect(store.outbox.nextDue(id)).toEqual({ due: [] });
    expect(await claim()).toEqual([]);
    expect(await standing(), "nothing is overdue").toEqual([[channel.id, "paused", undefined]]);
    await store.accounts.setActivity(id, { active: true, frozen: false }, 1_000);
    const { apiKey, crmUrl, clientId, webhookSecret, gatewayUrl, gatewayToken } = (await store.accounts.byId(id)) ?? {};
    await store.accounts.bind({ apiKey, crmUrl, clientId, webhookSecret, gatewayUrl, gatewayToken } as never);
    await heard();
    expect(await claim(), "a callback and a new connect end no pause").toEqual([]);
    expect(await store.accounts.setPause(id, undefined, RESUMED)).toBe(true);
    await heard();
    expect((await claim()).sort()).toEqual([`inbound ${channel.id}`, `outbound ${channel.id}`]);
    expect((await standing()).map(([, word, dueAt]) => [word, dueAt === undefined])).toEqual([["working", true]]);
  });

  it("gives customers' messages their full time on resuming", async () => {
    const { store, id, say, clock, rows } = await setUp();
    await store.accounts.setPause(id, "unpaid", PAUSED);
    await say("waits");
    await clock.forward(INBOUND_PATIENCE_MS + 1);
    await store.accounts.setPause(id, undefined, RESUMED);
    const [row] = await rows("message");
    expect(row?.deadline_at).toBe(clock.now() + INBOUND_PATIENCE_MS);
  });

  it("writes who did it, through what and why in the same transaction, once for each change", async () => {
    const { store, id, acts } = await setUp();
    expect(await store.accounts.setPause(id, "unpaid", PAUSED)).toBe(true);
    expect(await store.accounts.setPause(id, "unpaid", PAUSED), "the same").toBe(false);
    expect(await store.accounts.setPause(id, "abuse", PAUSED), "another reason").toBe(true);
    expect(await store.accounts.setPause(id, undefined, RESUMED)).toBe(true);
    expect(await store.accounts.setPause(id, undefined, RESUMED), "it is not paused").toBe(false);
    expect((await acts()).map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
      ["operator", "account paused", { through: "command", reason: "unpaid" }],
      ["operator", "account paused", { through: "command", reason: "abuse" }],
      ["operator", "account resumed", { through: "command" }],
    ]);
  });

  it("pauses a channel, of which the merchant's pause, or its stop, is beneath and shows again when it resumes it", async () => {
    const { store, account, channel, say, answer, claim, standing, heard } = await setUp();
    const other = await addChannel(store, account, "telegram");
    const state = async () => (await store.channels.ofJob(channel.id))?.state;
    const pause = (reason = "spam") => store.channels.setPause(channel.id, reason, by("channel paused"));
    const resume = () => store.channels.setPause(channel.id, undefined, by("channel resumed"));
    await answer("waits");
    expect(await pause()).toBe(true);
    expect(await pause(), "the same").toBe(false);
    await say("other", other);
    await heard();
    expect(shownState((await store.channels.ofJob(channel.id)) as Channel)).toBe("paused");
    expect(await claim(), "its other channel goes on").toEqual([`inbound ${other.id}`]);
    expect(Object.fromEntries((await standing()).map(([id, word]) => [id, word]))).toEqual({
      ...{ [channel.id]: "paused", [other.id]: "working" },
    });
    expect(await resume()).toBe(true);
    await heard();
    expect(await claim()).toEqual([`outbound ${channel.id}`]);

    await store.channels.setState(channel.id, "paused");
    await pause();
    await resume();
    expect(await state(), "paused by the merchant before").toBe("paused");
    await store.channels.setState(channel.id, "active");
    await pause();
    await store.channels.setState(channel.id, "stopped", "the token is dead");
    expect(await state(), "known also beneath it").toBe("stopped");
    expect(shownState((await store.channels.ofJob(channel.id)) as Channel)).toBe("paused");
    await resume();
    expect(await store.channels.ofJob(channel.id)).toMatchObject({ state: "stopped", trouble: "the token is dead" });
    await pause();
    await store.channels.setState(channel.id, "removed");
    expect(await store.channels.ofJob(channel.id), "removing stays possible").toBeUndefined();
    expect(await pause("again")).toBe(false);
  });

  it("sets limits of its own, one by one, and sets them back", async () => {
    const { store, id, acts } = await setUp();
    const set = (change: Parameters<typeof store.accounts.setLimits>[1]) =>
      store.accounts.setLimits(id, change, by("account limits set"));
    expect(await set({ calls: 3 })).toEqual({ calls: 3 });
    expect(await set({ jobs: 20 })).toEqual({ calls: 3, jobs: 20 });
    expect(await set({ jobs: 20 }), "no change").toEqual({ calls: 3, jobs: 20 });
    expect((await store.accounts.byId(id))?.limits).toEqual({ calls: 3, jobs: 20 });
    expect(await set({ calls: "default", jobs: "default" })).toEqual({});
    expect((await store.accounts.byId(id))?.limits).toBeUndefined();
    expect((await acts()).map(({ detail }) => [detail.calls, detail.jobs])).toEqual([
      [3, "default"],
      [3, 20],
      ["default", "default"],
    ]);
    expect(await store.accounts.setLimits("nobody" as never, { calls: 1 }, PAUSED)).toBeUndefined();
  });

  it("bounds its calls and what waits from then on, without a restart, and touches no other account", async () => {
    const { store, id, say, answer, heard } = await setUp();
    const other = await addChannel(store, await addAccount(store, "other"));
    for (let n = 0; n < 8; n++) expect(await boundOf(say(`m${n}`))).toBe("taken");
    await store.accounts.setLimits(id, { calls: 2, jobs: 10 }, by("account limits set"));
    await heard();
    expect(await boundOf(say("more")), "three quarters of 10 are customers'").toBe("account");
    expect([await boundOf(answer("1")), await boundOf(answer("2")), await boundOf(answer("3"))]).toEqual([
      ...["taken", "taken", "account"],
    ]);
    expect(store.outbox.hosts(id).calls).toBe(2);
    expect(await boundOf(say("theirs", other))).toBe("taken");
    await store.accounts.setLimits(id, { calls: "default", jobs: "default" }, by("account limits set"));
    await heard();
    expect([await boundOf(say("more")), store.outbox.hosts(id).calls]).toEqual(["taken", undefined]);
  });

  it("may allow it more than others, and keeps limits over a restart", async () => {
    const { store, id, channel, again } = await oneChannelOn(engine, { bounds: { perAccount: 10 } }).then((made) => ({
      ...made,
      id: made.account.id,
    }));
    await store.accounts.setLimits(id, { jobs: 40 }, by("account limits set"));
    const next = await again();
    const taken = async () => {
      for (let n = 0; ; n++)
        if ((await boundOf(next.outbox.acceptInbound(channel, { events: [customerSays(`m${n}`)] }))) !== "taken")
          return n;
    };
    // Four fifths of the customers' 30: a channel leaves some to others.
    expect(await taken()).toBe(24);
  });
});
