import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { createHousekeeping } from "../../../../src/module/account/housekeeping.ts";
import { ENGINES, oneChannelOn } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { roomFor } from "../../../support/room.ts";
import { RETAIN_DAYS, takeLease } from "../../../support/store.ts";

const CONTENTS = ["Orchid", "Ana Lind", "receipt-77", "Dahlia", "Peony", "Tulip", "Lilac", "Aster"];
const HOUR = 3_600_000;
const PATIENCE = 600_000;
const DEAD = { state: "dead" as const, code: "general" as const };

/** With a name and a file. */
const SAID: ChannelEvent = {
  ...(customerSays("in") as Extract<ChannelEvent, { type: "message" }>),
  customer: { id: "chat-1" as never, nickname: "Ana Lind" },
  content: {
    type: "file",
    files: [{ source: { ref: "1" }, name: "receipt-77.pdf", mediaType: "application/pdf" }],
    note: "Orchid",
  } as never,
};
const part = (id: string, words: string) => ({
  ...{ messengerMessageId: id as MessengerMessageId, holds: "text" as const, words },
});
const ackOf = (gatewayMessageId: string) => ({ gatewayMessageId: gatewayMessageId as GatewayMessageId });

describe.each(ENGINES)("without KEEP_CONTENTS on $name", (engine) => {
  async function setUp(keepContents = false) {
    const made = await oneChannelOn(engine);
    const { store, clock, account, channel } = made;
    const lease = await takeLease(store, account.id, "test");
    const keepingOf = (isKept: boolean) => {
      const config = { retainDays: RETAIN_DAYS, rawWebhookDays: 0, keepContents: isKept };
      return createHousekeeping({ config, store, clock, log: silentLog });
    };
    const keeping = keepingOf(keepContents);
    const round = async (of = keeping) => {
      let over = false;
      const running = of.round().finally(() => {
        over = true;
      });
      while (!over) await clock.forward(20);
      await running;
    };
    const next = async () => ((await store.outbox.claim(lease, roomFor(1))) as [Job])[0];
    const say = (act: ReturnType<typeof agentSays>, key: string) =>
      store.outbox.acceptOutbound(channel, { key, act, patienceMs: PATIENCE });
    const filled = async () => (await made.rows("message")).filter(({ payload }) => payload !== null).length;
    return { ...made, keeping, keepingOf, round, next, say, filled };
  }

  /** A customer's file, and an agent's text of two parts, which is tried twice, is told and is edited. */
  async function deliver({ store, clock, channel, next, say }: Awaited<ReturnType<typeof setUp>>) {
    await store.outbox.acceptInbound(channel, { events: [SAID] });
    await store.outbox.done(await next(), { gatewayMessageId: "g-in" as GatewayMessageId });
    await say(agentSays("g-1", "Dahlia, Peony"), "sent:1");
    const again = { state: "ready" as const, runAt: clock.now(), unsure: 0, countAttempt: true };
    await store.outbox.failed(await next(), again, "400 cannot parse “Dahlia”");
    await store.outbox.done(await next(), { parts: [part("m1", "Dahlia"), part("m2", "Peony")], ack: ackOf("g-1") });
    await store.outbox.done(await next(), {});
    const messengerMessageId = "m2" as MessengerMessageId;
    const content = { type: "text" as const, text: "Tulip" };
    const act = { type: "edited" as const, chat: "chat-1" as ChatId, messengerMessageId, content, suggestions: [] };
    await store.outbox.acceptOutbound(channel, { key: "edited:1", act, patienceMs: PATIENCE });
    return async () => {
      await store.outbox.done(await next(), { parts: [{ ...part("m3", "Tulip"), instead: messengerMessageId }] });
    };
  }

  it("nothing of what was delivered is left after a round, in any row or byte, and repeats are still known", async () => {
    const test = await setUp();
    const { store, account, channel, clock, round, traces, filled, say } = test;
    const edit = await deliver(test);
    await edit();
    expect(await traces(CONTENTS)).not.toEqual([]);
    await round();
    expect(await filled(), "a failure that comes at once").toBe(3);
    await clock.forward(31_000);
    await round();
    await clock.forward(HOUR);
    await round();
    expect(await traces(CONTENTS)).toEqual([]);
    expect(await store.outbox.acceptInbound(channel, { events: [SAID] })).toBe(0);
    await say(agentSays("g-1", "Dahlia, Peony"), "sent:1");
    expect(await filled()).toBe(0);
    const parts = await store.messages.parts(channel.id, "m1" as MessengerMessageId);
    expect(parts).toEqual([
      { messengerMessageId: "m1", holds: "text" },
      { messengerMessageId: "m3", holds: "text" },
    ]);
    const [first] = await store.stories.find(account.id, "m1");
    expect(await store.stories.of(account.id, first?.id ?? expect.fail("not found by id"))).toMatchObject({
      ...{ state: "done", isEmptied: true, words: undefined, customer: undefined, tries: [], ack: { state: "given" } },
    });
    expect(await store.stories.find(account.id, "Dahlia")).toEqual([]);
  });

  it("an edit of what was emptied leaves no words in it, either", async () => {
    const test = await setUp();
    const { clock, round, traces } = test;
    const edit = await deliver(test);
    await clock.forward(31_000);
    await round();
    await edit();
    expect(await traces(["Tulip"])).not.toEqual([]);
    await clock.forward(HOUR);
    await round();
    expect(await traces(CONTENTS)).toEqual([]);
  });

  it("what is owed, undelivered or held stays, and is sent again with its contents", async () => {
    const { store, account, clock, say, next, round, rows } = await setUp();
    await say(agentSays("g-1", "Lilac"), "sent:1");
    const dead = await next();
    await store.outbox.failed(dead, DEAD, "no");
    await say(agentSays("g-2", "Aster"), "sent:2");
    const held = await next();
    await store.outbox.failed(held, { state: "held", unsure: 1 }, "no");
    await say(agentSays("g-3", "Peony"), "sent:3");
    await store.outbox.done(await next(), { parts: [part("m3", "Peony")], ack: ackOf("g-3") });
    const texts = async () => (await rows("message")).map(({ payload }) => /Lilac|Aster|Peony/.exec(`${payload}`)?.[0]);
    await clock.forward(HOUR);
    await round();
    expect((await texts()).sort()).toEqual(["Aster", "Lilac", "Peony"]);
    const ack = await next();
    await store.outbox.failed(ack, DEAD, "the gateway does not know it");
    await clock.forward(HOUR);
    await round();
    expect((await texts()).sort()).toEqual(["Aster", "Lilac", undefined]);
    for (const { id } of [dead, held, ack]) expect(await store.outbox.sendAgain(account.id, id, PATIENCE)).toBe(true);
    const again = await store.outbox.claim(await takeLease(store, account.id, "next"), roomFor(9));
    expect(JSON.stringify(again)).toMatch(/Lilac/);
    expect(again.map(({ task }) => task)).toContainEqual({ direction: "ack", ack: ackOf("g-3") });
  });

  it("what was delivered before it was set goes, too", async () => {
    const test = await setUp(true);
    await (await deliver(test))();
    const { clock, rows, change, traces, round, keepingOf } = test;
    await change("UPDATE message SET payload = NULL, tries = NULL WHERE state = 'done'");
    await clock.forward(HOUR);
    await round();
    expect((await rows("message")).filter(({ words }) => words !== null)).toHaveLength(1);
    await round(keepingOf(false));
    expect(await traces(CONTENTS)).toEqual([]);
  });

  it("what is delivered goes within a minute, and stays for RETAIN_DONE_DAYS otherwise", async () => {
    for (const isKept of [false, true]) {
      const test = await setUp(isKept);
      const { store, clock, channel, keeping, next, filled } = test;
      await store.outbox.acceptInbound(channel, { events: [SAID] });
      await store.outbox.done(await next(), {});
      keeping.start();
      await clock.forward(59_000);
      await expect.poll(() => clock.forward(20).then(filled)).toBe(isKept ? 1 : 0);
      await keeping.stop();
    }
  });
});
