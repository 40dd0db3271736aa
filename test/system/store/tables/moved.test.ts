import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import type { JobId } from "../../../../src/domain/ids.ts";
import type { Store } from "../../../../src/store/store.ts";
import { busyStore } from "../../../support/busy-store.ts";
import { moved, postgresStore } from "../../../support/engines.ts";
import { rowsOf } from "../../../support/rows.ts";

it("a database that was moved from SQLite to PostgreSQL reads the same", async () => {
  const { store: from, folder, clock, account, channel, other } = await busyStore();
  const ids = rowsOf(folder, ["message"]).message?.map(({ id }) => id as JobId) ?? [];
  expect(ids.length).toBeGreaterThan(9);
  const reads: Record<string, (store: Store) => Promise<unknown>> = {
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
    for (const verb of ["gatewayId", "parts", "root", "ackDue", "current"] as const)
      reads[`${verb} of ${id}`] = (store) => store.messages[verb](channel.id, id);
  for (const id of ["w-1b", "new"] as MessengerMessageId[])
    reads[`maybe ${id}`] = (store) => store.messages.mayBeUnderWay(channel.id, "chat-1" as ChatId, id);
  const seen = new Map<string, unknown>();
  for (const [what, read] of Object.entries(reads)) seen.set(what, await read(from as never));
  const counts = await from.outbox.countEnded(account.id);
  from.close();
  const to = await postgresStore(await moved(folder), clock);
  for (const [what, read] of Object.entries(reads)) expect(await read(to), what).toEqual(seen.get(what));
  const sorted = (counts: unknown[]) => counts.map((each) => JSON.stringify(each)).sort();
  expect(sorted(await to.outbox.countEnded(account.id))).toEqual(sorted(counts));
  // The comparison says something.
  const empty = [...seen].filter(([, found]) => found === undefined || (Array.isArray(found) && found.length === 0));
  expect(empty.map(([what]) => what).filter((what) => !/^(answer|ackDue) |nothing of it|nobody/.test(what))).toEqual([
    expect.stringMatching(/^story /),
  ]);
});
