import type { CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Job } from "../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../src/domain/ids.ts";
import { agentSays, customerSays, messengerFails } from "./events.ts";
import { roomFor } from "./room.ts";
import { addAccount, addChannel, oneChannel, takeLease } from "./store.ts";

const HOUR_MS = 3_600_000;
const ADDED = { code: "general", message: "the bot was blocked" } as const;
const raw = (body: string) => () => ({ path: "messages", headers: {}, body });

/** Messages of all kinds and ends, in two accounts. */
export async function busyStore(how: Parameters<typeof oneChannel>[0] = {}) {
  const made = await oneChannel(how);
  const { store, clock, account, channel } = made;
  const lease = await takeLease(store, account.id, "test");
  const claim = async () => (await store.outbox.claim(lease, roomFor(99))) as Job[];
  const says = (id: string, chat?: string, more: object = {}) =>
    store.outbox.acceptInbound(channel, {
      events: [{ ...customerSays(id, `"${id}" \u2028 ß 🙂`, chat), ...more } as ChannelEvent],
      raw: raw(id),
    });
  const answers = async (id: string, chat?: string) => {
    const act = agentSays(id, `answer ${id}`, chat);
    await store.outbox.acceptOutbound(channel, { key: id, act, patienceMs: HOUR_MS, raw: raw(id) });
    const job = (await claim()).find(({ direction }) => direction === "outbound") as Job;
    return { job, ack: { gatewayMessageId: id as GatewayMessageId } };
  };
  const sent = (...ids: string[]) =>
    ids.map((id) => ({ messengerMessageId: id as MessengerMessageId, holds: "text" as const }));
  await says("m1", undefined, { replyUntil: 5_000 });
  for (const job of await claim()) await store.outbox.done(job, { gatewayMessageId: "901" as GatewayMessageId });
  clock.leap(1_000);
  const first = await answers("1");
  await store.outbox.done(first.job, { parts: sent("w-1", "w-1b"), ack: first.ack });
  const [ack] = (await claim()) as [Job];
  await store.outbox.done(ack, {});
  const second = await answers("2", "chat-2");
  await store.outbox.failed(second.job, { state: "dead", code: "general" }, "blocked", {
    ack: { ...second.ack, error: ADDED },
  });
  const [refused] = (await claim()) as [Job];
  await store.outbox.failed(refused, { state: "dead", code: "general" }, "the gateway does not know it");
  const third = await answers("3", "chat-3");
  await store.outbox.failed(third.job, { state: "held", unsure: 2 }, "perhaps sent");
  const fourth = await answers("4", "chat-1");
  const later = { state: "ready", runAt: clock.now() + HOUR_MS, unsure: 0, countAttempt: true } as const;
  await store.outbox.failed(fourth.job, later, "no answer");
  clock.leap(1_000);
  const read = { type: "read-until", customer: "chat-1" as CustomerId, key: "r1" };
  await store.outbox.acceptInbound(channel, {
    events: [{ ...customerSays("r1"), ...read } as ChannelEvent, messengerFails("w-1b")],
  });
  for (const part of ["one", "two"]) await says(part, "chat-2", { album: "holiday" });
  await store.outbox.sendAgain(account.id, second.job.id, HOUR_MS, { actor: "account user", action: "sent again" });
  await says("staff", undefined, { originator: "channel" });
  const other = await addChannel(store, await addAccount(store, "other"));
  await store.outbox.acceptInbound(other, { events: [customerSays("x")], raw: raw("x") });
  await store.channels.setState(other.id, "paused");
  return { ...made, other };
}
