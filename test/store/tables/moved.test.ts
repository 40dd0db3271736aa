import { expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { ChatId, CustomerId, GatewayMessageId, JobId, MessengerMessageId } from "../../../src/domain/ids.ts";
import type { ChannelEvent } from "../../../src/domain/message.ts";
import { moved, postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays, messengerFails } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { rowsOf } from "../../support/rows.ts";
import { addAccount, addChannel, oneChannel, takeLease } from "../../support/store.ts";

const HOUR_MS = 3_600_000;
const ADDED = { code: "general", message: "the bot was blocked" } as const;
const raw = (body: string) => () => ({ path: "messages", headers: {}, body });

/** Messages of all kinds and ends, in two accounts. */
async function busyStore() {
  const made = await oneChannel();
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

it("a database that was moved from SQLite to PostgreSQL reads the same", async () => {
  const { store: from, folder, clock, account, channel, other } = await busyStore();
  const to = await postgresStore(await moved(folder), clock);
  const ids = rowsOf(folder, ["message"]).message?.map(({ id }) => id as JobId) ?? [];
  expect(ids.length).toBeGreaterThan(9);
  const reads: Record<string, (store: typeof to) => Promise<unknown>> = {
    accounts: (store) => store.accounts.list(),
    channels: (store) => store.channels.list(account.id),
    "the audit": (store) => store.audit.list({ limit: 99 }),
    "the ledger": (store) => store.ledger(),
    "an account's ledger": (store) => store.ledger(other.accountId),
    "undelivered messages": (store) => store.outbox.ended(account.id, 9),
    "held ones": (store) => store.outbox.ended(account.id, 9, { state: "held", channelId: channel.id }),
    "dead ones of a reason": (store) => store.outbox.ended(account.id, 9, { code: "customer_not_exists" }),
    "the oldest after one": (store) => store.outbox.ended(account.id, 1, { after: ids[0], state: "dead" }),
    webhooks: (store) => store.rawWebhooks.list(account.id, { from: 0, to: 9e15 }, 99),
    "a page of webhooks": (store) => store.rawWebhooks.list(account.id, { from: 0, to: 9e15, after: 1 }, 2),
    "the first message since": (store) => store.stories.firstSince(channel, clock.now() - 1_000),
    "when acks are due": (store) => store.messages.acksDue(channel.id, "chat-1" as ChatId, 9_999 as JobId),
    "times of sends": (store) => store.messages.sentSince(channel.id, "chat-1" as ChatId, 0),
    "known chats": (store) =>
      Promise.all(["chat-1", "nobody"].map((chat) => store.messages.knowsChat(channel.id, chat as ChatId))),
    "the last in a chat": (store) => store.stories.lastIn(channel, "chat-2" as ChatId),
  };
  for (const id of ids) {
    reads[`story ${id}`] = (store) => store.stories.of(account.id, id);
    reads[`answer ${id}`] = (store) => store.stories.answerTo(account.id, id);
  }
  for (const text of ["M1", "visitor", "w-1", "901", "PERHAPS", "chat-3", "🙂", "nothing of it"])
    reads[`find ${text}`] = (store) => store.stories.find(account.id, text);
  for (const text of ["VISITOR", "chat-3", "🙂"])
    reads[`customer ${text}`] = (store) => store.erasure.find(account.id, text);
  for (const id of ["w-1", "w-1b", "m1", "one", "two", "nobody's"] as MessengerMessageId[])
    for (const verb of ["gatewayId", "parts", "head", "ackDue", "current"] as const)
      reads[`${verb} of ${id}`] = (store) => store.messages[verb](channel.id, id);
  for (const id of ["w-1b", "new"] as MessengerMessageId[])
    reads[`maybe ${id}`] = (store) => store.messages.mayBeUnderWay(channel.id, "chat-1" as ChatId, id);
  const seen = new Map<string, unknown>();
  for (const [what, read] of Object.entries(reads)) {
    const expected = await read(from as never);
    seen.set(what, expected);
    expect(await read(to), what).toEqual(expected);
  }
  const sorted = (counts: unknown[]) => counts.map((each) => JSON.stringify(each)).sort();
  expect(sorted(await to.outbox.countEnded(account.id))).toEqual(sorted(await from.outbox.countEnded(account.id)));
  // The comparison says something.
  const empty = [...seen].filter(([, found]) => found === undefined || (Array.isArray(found) && found.length === 0));
  expect(empty.map(([what]) => what).filter((what) => !/^(answer|ackDue) |nothing of it|nobody/.test(what))).toEqual([
    expect.stringMatching(/^story /),
  ]);
});
