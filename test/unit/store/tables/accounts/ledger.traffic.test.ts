import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { expect, it } from "vitest";
import type { Job } from "../../../../../src/domain/delivery.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { rowsOf } from "../../../../support/rows.ts";
import { oneChannel, takeLease, temporaryStore } from "../../../../support/store.ts";

const HOUR_MS = 3_600_000;

async function setUp() {
  const made = await oneChannel();
  const { store, clock, account, channel } = made;
  const lease = await takeLease(store, account.id, "test");
  let n = 0;
  /** A customer's messages, delivered or refused. */
  const pass = async (count: number, how: "done" | "dead" = "done") => {
    for (let k = 0; k < count; k++, n++) {
      await store.outbox.acceptInbound(channel, { events: [customerSays(`m${n}`, `m${n}`, `chat-${n}`)] });
      const [job] = (await store.outbox.claim(lease, roomFor(1))) as [Job];
      if (how === "done") await store.outbox.done(job, {});
      else await store.outbox.failed(job, { state: "dead", code: "general" }, "no");
    }
  };
  const hour = () => Math.floor(clock.now() / HOUR_MS);
  const traffic = async (from = store) => (await from.traffic.of(account.id))[0];
  return { ...made, pass, hour, traffic };
}

it("messages are counted in the hour in which they ended, with or without a record in between", async () => {
  const { store, clock, pass, hour, traffic } = await setUp();
  const first = hour();
  await pass(3);
  await store.traffic.record();
  await pass(1, "dead");
  expect((await traffic())?.hours).toEqual([{ hour: first, delivered: 3, refused: 1 }]);
  await store.traffic.record();
  await clock.forward(5 * HOUR_MS);
  await pass(2);
  const both = [
    { hour: first, delivered: 3, refused: 1 },
    { hour: first + 5, delivered: 2, refused: 0 },
  ];
  expect((await traffic())?.hours).toEqual(both);
  await store.traffic.record();
  await store.traffic.record();
  expect((await traffic())?.hours).toEqual(both);
});

it("edits, reactions and read marks are not counted, whether delivered or refused", async () => {
  const { store, account, channel, pass, traffic } = await setUp();
  await pass(1);
  const lease = await takeLease(store, account.id, "test");
  const mark = (type: "read" | "deleted"): ChannelEvent => ({
    ...{ type, key: type, at: 0, chat: "chat-0" as ChatId, messengerMessageId: "m0" as MessengerMessageId },
  });
  await store.outbox.acceptInbound(channel, { events: [mark("read"), mark("deleted")] });
  const next = async () => ((await store.outbox.claim(lease, roomFor(1))) as [Job])[0];
  await store.outbox.done(await next(), {});
  await store.outbox.failed(await next(), { state: "dead", code: "general" }, "no");
  expect(await traffic()).toMatchObject({ delivered: 1, refused: 0, hours: [{ delivered: 1, refused: 0 }] });
  expect(await store.ledger(account.id)).toMatchObject([{ accepted: 3, delivered: 2, refused: 1 }]);
});

it("old hours go, without their messages counting again", async () => {
  const { folder, store, clock, pass, hour, traffic } = await setUp();
  for (let day = 0; day < 20; day++) {
    await pass(1);
    await store.traffic.record();
    await clock.forward(24 * HOUR_MS);
  }
  await pass(1);
  await store.traffic.record();
  const { hours = [] } = (await traffic()) ?? {};
  expect(hours.map(({ delivered }) => delivered)).toEqual(Array(hours.length).fill(1));
  expect(hours[0]?.hour).toBeGreaterThanOrEqual(hour() - 15 * 24);
  expect(rowsOf(folder, ["traffic"]).traffic?.length).toBe(hours.length + 1);
});

it("the last message each way is known, also after a restart", async () => {
  const { folder, store, clock, channel, pass, traffic } = await setUp();
  const inboundAt = clock.now();
  await pass(1);
  clock.leap(1_000);
  const outboundAt = clock.now();
  await store.outbox.acceptOutbound(channel, { key: "o", act: agentSays("1", "hi", "chat-0"), patienceMs: 60_000 });
  const last = { lastInboundAt: inboundAt, lastOutboundAt: outboundAt };
  expect(await traffic()).toMatchObject(last);
  await store.traffic.record();
  store.close();
  expect(await traffic(await temporaryStore(clock, folder))).toMatchObject(last);
});
