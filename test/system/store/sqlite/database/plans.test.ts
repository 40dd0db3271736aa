import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { expect, it, onTestFinished } from "vitest";
import type { GatewayMessageId, JobId } from "../../../../../src/domain/ids.ts";
import { FIRST_DUE } from "../../../../../src/store/tables/vendor/events.ts";
import { agentSays, customerSays, messengerFails } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { oneChannel, takeLease } from "../../../../support/store.ts";

/** Collects every statement prepared from now on. */
function statements(): Set<string> {
  const seen = new Set<string>();
  const { prepare } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, text: string) {
    seen.add(text);
    return prepare.call(this, text);
  } as typeof prepare;
  onTestFinished(() => {
    Sqlite.prototype.prepare = prepare;
  });
  return seen;
}

const picture = (id: string) => ({ ...customerSays(id), album: "holiday" }) as ChannelEvent;

/** SQLite's query plans of the statements that touch messages. */
function plansOf(folder: string, seen: Set<string>): string[] {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const plans = [...seen].flatMap((text) => {
    if (!/\bmessage\b/.test(text) || /;\s*$/.test(text) || !/^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(text)) return [];
    const bare = text.replaceAll(/\?|[:@]\w+/g, "NULL");
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${bare}`).all() as { detail: string }[];
    return steps.map(({ detail }) => `${detail}: ${text}`);
  });
  db.close();
  return plans;
}

it("every query on a message's way uses an index", async () => {
  const seen = statements();
  const { folder, store, account, channel } = await oneChannel({ bounds: { perLane: 4 } });
  const { outbox } = store;
  const lease = await takeLease(store, account.id, "test");
  for (const event of [customerSays("m"), picture("one"), picture("two")])
    await outbox.acceptInbound(channel, { events: [event] });
  await outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1_000 });
  const jobs = await outbox.claim(lease, roomFor(10));
  for (const job of jobs) await outbox.failed(job, { state: "dead", code: "general" }, "no");
  await outbox.nextDue(account.id);
  await outbox.claim(lease, roomFor(10, { gateway: 0 }));
  await outbox.sendAgain(account.id, (await outbox.ended(account.id, 9))[0]?.id as JobId, 1_000);
  await outbox.takeOver(lease);
  await outbox.endOverdue(() => ({}));
  await outbox.endChannel(channel.id, () => ({}));
  await store.messages.hasOutbound(channel.id);
  await outbox.rebaseTimers(1_000);
  const { messages } = store;
  const sent = "sent:1" as MessengerMessageId;
  await outbox.acceptInbound(channel, { events: [customerSays("n", "n", "another")] });
  await outbox.acceptOutbound(channel, { key: "sent:2", act: agentSays("2"), patienceMs: 1_000 });
  for (const job of await outbox.claim(lease, roomFor(10)))
    await outbox.done(job, {
      parts: [{ messengerMessageId: sent, holds: "text" }],
      gatewayMessageId: "9" as GatewayMessageId,
    });
  for (const look of [messages.gatewayId, messages.parts, messages.root]) await look(channel.id, sent);
  await messages.acksDue(channel.id, "chat" as ChatId, 9 as JobId);
  await messages.mayBeUnderWay(channel.id, "chat" as ChatId, "early" as MessengerMessageId);
  // Of a message under way, of one that has ended, and again.
  await outbox.acceptInbound(channel, { events: ["early", sent, sent].map((id) => messengerFails(id)) });
  await outbox.sendAgain(
    account.id,
    (await outbox.ended(account.id, 9, { code: "customer_not_exists" }))[0]?.id as JobId,
    1_000,
  );
  await messages.knowsChat(channel.id, "chat" as ChatId);
  await messages.sentSince(channel.id, "chat" as ChatId, 0);
  await outbox.unknown(channel.id, "inbound", ["m"]);
  await store.accounts.setActivity(account.id, { active: true, frozen: false }, 1_000);
  for (const state of ["stopped", "active", "removed"] as const) await store.channels.setState(channel.id, state);
  const plans = plansOf(folder, seen).filter((plan) => /^(SEARCH|SCAN) (message|other)\b/.test(plan));
  for (const index of [
    "message_lane",
    "message_channel_due",
    "message_ack",
    "message_messenger_id",
    "message_gateway_id",
    "message_chat",
    "message_key",
  ])
    expect(
      plans.filter((plan) => plan.includes(`INDEX ${index} `)),
      index,
    ).not.toEqual([]);
  // SQLite would recompile a bare LIMIT parameter for each message.
  expect([...seen].filter((text) => /\blimit \?(?! \+)/i.test(text))).toEqual([]);
  expect(plans.filter((plan) => /^SCAN \w+\b(?!.* INDEX message_)|^SEARCH \w+(?!.* USING )/.test(plan))).toEqual([]);
});

it("the first due event is found from the end of its index, however many wait", async () => {
  const { folder } = await oneChannel();
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const steps = db.prepare(`EXPLAIN ${FIRST_DUE}`).all() as { opcode: string }[];
  db.close();
  // Either would read every entry.
  for (const step of ["AggStep", "SorterSort"]) expect(steps.map(({ opcode }) => opcode)).not.toContain(step);
});

it("a login's channel and what is parked for it are found by an index", async () => {
  const seen = statements();
  const { folder, store, channel } = await oneChannel();
  await store.channels.reserveIdentity(channel.id, "toy:1");
  await store.channels.byIdentity("toy:1");
  const request = { path: "", headers: {}, body: "a" };
  for (let n = 0; n < 51; n++) await store.parked.park({ login: "toy:2", request: { ...request, body: `${n}` } });
  await store.parked.adopt("toy:2", channel);
  for (const position of await store.parked.of("toy:2", channel.accountId)) {
    await store.parked.read(position, channel.accountId);
    await store.parked.remove(position);
  }
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const queries = [...seen].filter(
    (text) => /\bparked\b|"identity" =/.test(text) && /^\s*(SELECT|UPDATE|DELETE)/i.test(text),
  );
  const plans = queries.flatMap((text) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\?|@\w+/g, "NULL")}`).all() as { detail: string }[]).map(
      ({ detail }) => `${detail}: ${text}`,
    ),
  );
  db.close();
  expect(plans.filter((plan) => plan.includes("INDEX channel_identity "))).not.toEqual([]);
  expect(plans.filter((plan) => plan.includes("INDEX parked_login "))).not.toEqual([]);
  // Only the sum of all reads all of an index, and none the long rows.
  const sums = "SCAN parked USING COVERING INDEX parked_owner";
  expect(plans.filter((plan) => plan.startsWith("SCAN ") && !plan.startsWith(sums))).toEqual([]);
});
