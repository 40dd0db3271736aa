import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../../src/domain/ids.ts";
import type { OutboundAct } from "../../../../src/domain/message.ts";
import { ENGINES, oneChannelOn } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { takeLease } from "../../../support/store.ts";

const MINUTE_MS = 60_000;
const on = "m1" as MessengerMessageId;

describe.each(ENGINES)("undelivered messages on $name", (engine) => {
  async function setUp() {
    const made = await oneChannelOn(engine);
    const { store, account, channel } = made;
    const lease = await takeLease(store, account.id);
    const claim = () => store.outbox.claim(lease, roomFor(99));
    const counted = async () =>
      (await store.outbox.countEnded(account.id)).map(({ state, count }) => ({ state, count }));
    const { chat } = agentSays("1");
    const accept = (key: string, act: OutboundAct) =>
      store.outbox.acceptOutbound(channel, { key, act, patienceMs: MINUTE_MS });
    const failAll = async () => {
      for (let jobs = await claim(); jobs.length > 0; jobs = await claim())
        for (const job of jobs) await store.outbox.failed(job, { state: "dead", code: "general" }, "no luck");
    };
    return { ...made, chat, accept, failAll, counted };
  }

  it("are what a customer or an agent wrote: no reaction, read mark or line of ours", async () => {
    const { store, account, channel, chat, accept, failAll, counted } = await setUp();
    const { key: _, ...said } = customerSays("m1") as Extract<ChannelEvent, { type: "message" }>;
    const base = { chat, messengerMessageId: on, at: said.at };
    const events: ChannelEvent[] = [
      customerSays("m1"),
      { ...base, type: "edited", key: "e", text: "again" },
      { ...base, type: "reaction", key: "r", reaction: "👍" },
      { ...base, type: "read", key: "s" },
      { ...base, type: "note", key: "n", text: "a line of ours" },
    ];
    await store.outbox.acceptInbound(channel, { events });
    await accept("a", { type: "reaction", chat, messengerMessageId: on, reaction: "👍" });
    await accept("b", { type: "read", chat, messengerMessageId: on });
    await accept("c", { type: "deleted", chat, messengerMessageId: on });
    expect(await store.ledger(account.id)).toMatchObject([{ waiting: 8, messages: { waiting: 3, held: 0 } }]);
    await failAll();
    const listed = await store.outbox.ended(account.id, 99);
    expect(listed.map(({ direction }) => direction).sort()).toEqual(["inbound", "inbound", "outbound"]);
    expect(await counted()).toEqual([{ state: "dead", count: 3 }]);
    // Their stories say that the others failed, and why.
    const message = listed.find(({ words }) => words === "m1");
    const story = await store.stories.of(account.id, message?.id as JobId);
    const failed = story?.later.filter(({ kind }) => kind === "reaction" || kind === "read");
    expect(failed).toMatchObject([
      { kind: "reaction", direction: "inbound", state: "dead", error: "no luck" },
      { kind: "read", direction: "inbound", state: "dead", error: "no luck" },
      { kind: "reaction", direction: "outbound", state: "dead", error: "no luck" },
    ]);
    expect(story?.isMessage).toBe(true);
  });

  it("wait for a person only if they are messages: what else may have arrived is given up", async () => {
    const { clock, store, account, channel, chat, accept, counted } = await setUp();
    await store.channels.change(channel.id, { name: "Toy", settings: {}, unsure: "hold" });
    await accept("a", agentSays("1"));
    await accept("b", { type: "reaction", chat, messengerMessageId: on, reaction: "👍" });
    const lease = await takeLease(store, account.id);
    for (let n = 0; n < 2; n++)
      for (const job of await store.outbox.claim(lease, roomFor(99)))
        await store.outbox.failed(
          job,
          { state: "ready", runAt: clock.now() + 1, countAttempt: true, unsure: 1 },
          "no answer",
        );
    clock.leap(2 * MINUTE_MS);
    await store.outbox.endOverdue(() => ({}));
    expect(await counted()).toEqual([{ state: "held", count: 1 }]);
  });
});
