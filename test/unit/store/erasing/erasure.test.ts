import { join } from "node:path";
import { Readable } from "node:stream";
import Sqlite from "better-sqlite3";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { byUser } from "../../../../src/store/care.ts";
import { onPostgres } from "../../../support/engine.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../../support/engines.ts";
import { agentSays, chatOf } from "../../../support/events.ts";
import { LONG } from "../../../support/long.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, oneChannel, takeLease, temporaryStore } from "../../../support/store.ts";
import { tracesIn, withoutTraces } from "../../../support/traces.ts";

const ERASED = byUser("customer erased");
const [CUSTOMERS, MESSAGES] = LONG ? [12, 20] : [10, 12];
const PATIENCE = 3_600_000;

/** What customer `n` writes: short and long, in a chat of their own unless one is given. */
function says(n: number, m: number, chat = `chat${n}x`): ChannelEvent {
  const id = `${chat}:${n}-${m}`;
  return {
    ...{ type: "message", key: `m:${id}`, chat: chat as ChatId, messengerMessageId: id as MessengerMessageId },
    ...{ at: Date.UTC(2026, 0, 1), originator: "customer" },
    customer: { id: `chat${n}x` as CustomerId, nickname: `Nick${n}x`, firstName: `Ána${n}x`, phone: `+4900${n}x` },
    content: { type: "text", text: `secret${n}x ${"long ".repeat(m % 5 === 0 ? 900 : m)}` },
  };
}
const rawOf = (event: ChannelEvent) => () => ({ path: "", headers: {}, body: JSON.stringify({ escaped: "Á", event }) });
/** Everything that names customer `n`. */
const wordsOf = (n: number) => [`chat${n}x`, `Nick${n}x`, `Ána${n}x`, `4900${n}x`, `secret${n}x`];

async function setUp(engine: TestedEngine) {
  const made = await oneChannelOn(engine, { erasableNotes: [{ prefix: "said:" }] });
  const { store, account, channel } = made;
  const other = await addChannel(store, await addAccount(store, "other"));
  const accept = (to: Channel, event: ChannelEvent) =>
    store.outbox.acceptInbound(to, {
      events: [event],
      raw: rawOf(event),
      journal: [
        { chat: event.chat, key: event.key, entry: event },
        { chat: "", of: event.chat, key: `all:${event.key}`, entry: event },
      ],
      notes: [{ key: `said:${event.messengerMessageId}`, value: JSON.stringify(event) }],
    });
  // Of both accounts in the same commits, so that they share sealed rows.
  for (let m = 0; m < MESSAGES; m++)
    await Promise.all(
      Array.from({ length: CUSTOMERS }, (_, n) => [accept(channel, says(n, m)), accept(other, says(n, m))]).flat(),
    );
  await store.outbox.acceptOutbound(channel, {
    ...{ key: "o:1", act: agentSays("1", "secret3x, said the agent", "chat3x"), patienceMs: PATIENCE },
    raw: () => ({ path: "", headers: {}, body: '{"external_chat_id":"chat3x","text":"secret3x"}' }),
  });
  const lease = await takeLease(store, account.id, "test");
  for (const job of await store.outbox.claim(lease, roomFor(8))) await store.outbox.done(job, {});
  const person = { channelId: channel.id, chat: "chat3x" as ChatId, customer: "chat3x" as CustomerId };
  return { ...made, other, accept, person, lease };
}
const ledgerHoles = async ({ store }: Pick<Awaited<ReturnType<typeof setUp>>, "store">) =>
  (await store.ledger()).map(({ hole, acks }) => [hole, acks.hole]);

describe.each(ENGINES)("erasing a customer in $name", (engine) => {
  it("leaves nothing of them in any byte of the data folder nor under any seal, and everything of the others", async () => {
    const { traces, store, account, channel, other, person } = await setUp(engine);
    const bytes = Readable.toWeb(Readable.from([Buffer.from("secret3x in a file")])) as ReadableStream<Uint8Array>;
    const upload = { body: bytes, name: "secret3x.txt", mediaType: "text/plain" };
    const { id } = await store.keptFiles.keep(channel.id, upload, 1_000, () => new Error("too large"));
    await store.journal.append(channel.id, [{ chat: "chat3x", key: "file", entry: { file: id } }]);
    expect(await traces(wordsOf(3))).not.toEqual([]);
    // The same customer at another account is that account's.
    const elsewhere = await store.erasure.customer(account.id, { ...person, channelId: other.id }, ERASED);
    expect(elsewhere).toBeUndefined();
    await store.erasure.customer(other.accountId, { ...person, channelId: other.id }, ERASED);
    const erased = await store.erasure.customer(account.id, person, ERASED);
    expect(erased).toEqual({
      messages: MESSAGES + 1,
      files: 1,
      webhooks: MESSAGES + 1,
      notes: 3 * MESSAGES + 1,
      gone: onPostgres ? expect.any(Boolean) : true,
    });
    await withoutTraces(store);
    expect(await traces([...wordsOf(3), id])).toEqual([]);
    expect(await store.erasure.find(account.id, "secret3x")).toEqual([]);
    const found = await store.erasure.find(account.id, "secret");
    expect(found.map(({ count }) => count)).toEqual(Array(CUSTOMERS - 1).fill(MESSAGES));
    const window = { from: 0, to: Number.MAX_SAFE_INTEGER };
    const kept = await store.rawWebhooks.list(account.id, window, 1_000);
    expect([kept.webhooks.length, kept.unreadable]).toEqual([(CUSTOMERS - 1) * MESSAGES, []]);
    expect(await ledgerHoles({ store } as never)).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("holds up no arrival, however large", async () => {
    const { store, account, channel, person } = await setUp(engine);
    await store.erasure.customer(account.id, person, ERASED);
    const events = [says(3, 1), ...Array.from({ length: 9_000 }, (_, n) => says(5_000 + n, 1))];
    expect(await store.outbox.acceptInbound(channel, { events })).toBe(9_000);
  });

  it("is not undone by a repeat from the messenger or the gateway, nor after a restart", async () => {
    const { store, again, account, channel, person } = await setUp(engine);
    await store.erasure.customer(account.id, person, ERASED);
    const repeats = async (again: typeof store) => {
      const event = says(3, 1);
      const arrival = { events: [event], raw: rawOf(event), journal: [{ chat: "chat3x", key: "m", entry: event }] };
      expect(await again.outbox.acceptInbound(channel, arrival)).toBe(0);
      const act = agentSays("1", "secret3x", "chat3x");
      expect(await again.outbox.acceptOutbound(channel, { key: "o:1", act, patienceMs: PATIENCE })).toBe(false);
      expect(await again.outbox.unknown(channel.id, "inbound", [event.key, "m:new"])).toEqual(["m:new"]);
    };
    await repeats(store);
    await repeats(await again());
  });

  it("ends what is under way: nothing waits, and the server goes on", async () => {
    const { store, account, channel, person, lease, accept } = await setUp(engine);
    const jobs = await store.outbox.claim(lease, roomFor(100));
    await store.erasure.customer(account.id, person, ERASED);
    const theirs = jobs.filter((job) => chatOf(job) === "chat3x");
    expect(theirs).not.toEqual([]);
    for (const job of theirs) expect(await store.outbox.done(job, {})).toBe(false);
    const more = await store.outbox.claim(lease, roomFor(100));
    expect(more.filter((job) => chatOf(job) === "chat3x")).toEqual([]);
    expect(await store.messages.knowsChat(channel.id, "chat3x" as ChatId)).toBe(false);
    // A new message is welcome.
    expect(await accept(channel, says(3, 99))).toBe(1);
    expect(await store.messages.knowsChat(channel.id, "chat3x" as ChatId)).toBe(true);
  });

  it("includes chats and histories whose messages have lost their content", async () => {
    const { traces, store, account, channel, lease } = await setUp(engine);
    for (let jobs = await store.outbox.claim(lease, roomFor(100)); jobs.length > 0; )
      [jobs] = [
        await Promise.all(jobs.map((job) => store.outbox.done(job, {}))).then(() =>
          store.outbox.claim(lease, roomFor(100)),
        ),
      ];
    await store.retention.sweep("settled", Number.MAX_SAFE_INTEGER, new Map(), 0);
    const [found] = await store.erasure.find(account.id, "secret5x");
    expect(found).toMatchObject({ chat: "chat5x" });
    expect(await store.erasure.find(account.id, "CHAT5X")).toMatchObject([{ chat: "chat5x" }]);
    for (const { channelId, accountId } of await store.ledger())
      await store.erasure.customer(
        accountId as never,
        { channelId: channelId as never, chat: "chat5x" as ChatId },
        ERASED,
      );
    await withoutTraces(store);
    expect(await traces(wordsOf(5))).toEqual([]);
    expect(await store.messages.knowsChat(channel.id, "chat6x" as ChatId)).toBe(true);
  });

  it("keeps out what work under way still writes, until the customer writes again", async () => {
    const { traces, store, account, channel, other, person, accept } = await setUp(engine);
    await store.erasure.customer(other.accountId, { ...person, channelId: other.id }, ERASED);
    // In the same transactions as the last step.
    const late = Promise.all([0, 1, 2].map((n) => accept(channel, says(3, 50 + n))));
    await Promise.all([late, store.erasure.customer(account.id, person, ERASED)]);
    const rest = (await store.erasure.find(account.id, "secret3x")).length;
    if (rest > 0) await store.erasure.customer(account.id, person, ERASED);
    await store.journal.append(channel.id, [{ chat: "chat3x", key: "late", entry: "secret3x" }]);
    await store.notes.set(channel.id, [{ key: "said:chat3x:1", value: "secret3x" }]);
    await withoutTraces(store);
    expect(await traces(wordsOf(3))).toEqual([]);
    await accept(channel, says(3, 99));
    await store.journal.append(channel.id, [{ chat: "chat3x", key: "new", entry: "anew" }]);
    expect(await store.journal.under(channel.id, "chat3x", "new")).toHaveLength(1);
  });

  it("is not undone by a list, a history, a replay or a late change of what they wrote before", async () => {
    const { traces, clock, store, account, channel, other, person } = await setUp(engine);
    await store.erasure.customer(other.accountId, { ...person, channelId: other.id }, ERASED);
    await store.erasure.customer(account.id, person, ERASED);
    const before = says(3, 70);
    const beside = {
      journal: [{ chat: "chat3x", key: "late", entry: "secret3x" }],
      notes: [
        { key: "said:chat3x:1", value: "secret3x" },
        { key: "lead:7", value: "chat3x" },
      ],
    };
    const gone = { type: "deleted", chat: person.chat, at: clock.now(), messengerMessageId: before.messengerMessageId };
    for (const arrival of [
      { events: [before], listed: true },
      { events: [before], again: true },
      { events: [{ ...before, past: true } as ChannelEvent] },
      { events: [{ ...gone, key: "d:1" } as ChannelEvent] },
    ])
      expect(await store.outbox.acceptInbound(channel, { raw: rawOf(before), ...beside, ...arrival })).toBe(0);
    await withoutTraces(store);
    expect(await traces(wordsOf(3))).toEqual([]);
    // What they do after it is of now, whatever it is about.
    expect(
      await store.outbox.acceptInbound(channel, {
        events: [{ ...gone, at: clock.now() + 1, key: "d:2" } as ChannelEvent],
        notes: [{ key: "said:chat3x:2", value: "no" }],
      }),
    ).toBe(1);
    expect(await store.notes.get(channel.id, "said:chat3x:2")).toBe("no");
    const anew = { ...says(3, 71), at: clock.now() + 1 };
    expect(
      await store.outbox.acceptInbound(channel, { notes: beside.notes, events: [before, anew], listed: true }),
    ).toBe(1);
    expect(await store.notes.get(channel.id, "said:chat3x:1")).toBe("secret3x");
    expect(await store.outbox.acceptInbound(channel, { events: [{ ...gone, key: "d:1" } as ChannelEvent] })).toBe(1);
  });

  it("takes a note that stays but names them, and none that names another, in its time nor later", async () => {
    const erasableNotes = [{ prefix: "dialog:", stays: true as const }];
    const { store, account, channel } = await oneChannelOn(engine, { erasableNotes });
    const customer = "chat3x" as CustomerId;
    const chat = "9001" as ChatId;
    const keys = ["dialog:chat3x", "dialog:chat4x", "cursor:chat3x"];
    await store.outbox.acceptInbound(channel, { events: [says(3, 1, chat)], raw: rawOf(says(3, 1, chat)) });
    await store.notes.set(
      channel.id,
      keys.map((key) => ({ key, value: key.endsWith("4x") ? "9002" : chat })),
    );
    await store.retention.sweep("notes", Number.MAX_SAFE_INTEGER, new Map(), 0);
    await store.erasure.customer(account.id, { channelId: channel.id, chat, customer }, ERASED);
    const left = await Promise.all(keys.map((key) => store.notes.get(channel.id, key)));
    expect(left).toEqual([undefined, "9002", chat]);
  });

  it("takes only their own messages out of a group, and out of quotes of them", async () => {
    const { traces, store, account, channel } = await oneChannelOn(engine);
    const group = "-100200";
    const theirs = says(7, 1, group);
    const reply = {
      ...says(8, 2, group),
      quote: theirs.messengerMessageId,
      quoted: { head: "secret7x", always: false },
    } as ChannelEvent;
    await store.outbox.acceptInbound(channel, { events: [theirs, reply, says(9, 3, group)] });
    const person = { channelId: channel.id, chat: group as ChatId, customer: "chat7x" as CustomerId };
    expect(await store.erasure.customer(account.id, person, ERASED)).toMatchObject({ messages: 1 });
    expect(await traces(wordsOf(7))).toEqual([]);
    expect((await store.erasure.find(account.id, "secret8x")).map(({ count }) => count)).toEqual([1]);
    expect(await store.messages.knowsChat(channel.id, group as ChatId)).toBe(true);
  });
});

describe.each(ENGINES)("finding a customer in $name", (engine) => {
  it("survives a key of the tombstones that does not open: messages go on", async () => {
    const { change, store, account, channel, person } = await setUp(engine);
    await store.erasure.customer(account.id, person, ERASED);
    await change("UPDATE meta SET value = 'v1.test.AAAA.AAAA' WHERE key = 'erasure_key'");
    expect(await store.outbox.acceptInbound(channel, { events: [says(4, 70)] })).toBe(1);
    expect(
      await store.erasure.customer(account.id, { ...person, chat: "chat4x" as ChatId, customer: undefined }, ERASED),
    ).toBeDefined();
  });

  it("looks in names, ids and words, in any case, in the account's own messages", async () => {
    const { store, account } = await setUp(engine);
    for (const text of ["NICK3X", "ána3x", "chat3x", "+49003x", " secret3x "])
      expect(await store.erasure.find(account.id, text)).toMatchObject([
        { chat: "chat3x", customer: "chat3x", name: "Ána3x", words: expect.stringContaining("secret3x") },
      ]);
    expect(await store.erasure.find(account.id, "nobody")).toEqual([]);
    expect((await store.erasure.find(account.id, "said the agent"))[0]).toMatchObject({ chat: "chat3x", count: 1 });
  });
});

describe.each(ENGINES)("erasing an account in $name", (engine) => {
  it("leaves nothing of it, and everything of the others; only when it is switched off", async () => {
    const { traces, store, account, other } = await setUp(engine);
    await store.outbox.acceptInbound(other, { events: [says(40, 1)], raw: rawOf(says(40, 1)) });
    const token = await store.webSessions.start(other.accountId);
    const by = { actor: "operator" as const, action: "account erased" };
    expect(await store.erasure.account(other.accountId, by)).toBeUndefined();
    await store.accounts.setActivity(other.accountId, { active: false, frozen: false }, PATIENCE);
    const { crmUrl } = (await store.accounts.byId(other.accountId)) ?? {};
    expect(await store.erasure.account(other.accountId, by)).toMatchObject({ messages: CUSTOMERS * MESSAGES + 1 });
    await withoutTraces(store);
    expect(await traces([...wordsOf(40), other.accountId, crmUrl ?? ""])).toEqual([]);
    expect(await store.accounts.byId(other.accountId)).toBeUndefined();
    expect(await store.webSessions.byToken(token)).toBeUndefined();
    expect((await store.erasure.find(account.id, "secret")).length).toBe(CUSTOMERS);
    expect((await store.audit.list({ limit: 1 }))[0]).toMatchObject({ action: "account erased", accountId: undefined });
    expect(await ledgerHoles({ store } as never)).toEqual([[0, 0]]);
    // Requests that were under way come to nothing.
    expect(await store.outbox.acceptInbound(other, { events: [says(40, 2)], raw: rawOf(says(40, 2)) })).toBe(0);
    const journal = [{ chat: "chat40x", key: "late", entry: "secret40x" }];
    const notes = [{ key: "said:chat40x:1", value: "secret40x" }];
    await store.journal.append(other.id, journal);
    await store.notes.set(other.id, notes);
    expect(await store.outbox.acceptInbound(other, { events: [], journal, notes })).toBe(0);
    const request = rawOf(says(40, 3))();
    for (const of of [{ channel: other }, { from: other.accountId }])
      await store.parked.park({ login: "toy:1", request, ...of });
    await store.parked.park({ login: "toy:2", request: rawOf(says(41, 1))() });
    await store.parked.adopt("toy:2", other);
    expect(await store.parked.figures()).toMatchObject({ parts: 1, strangers: 1 });
    expect(await traces(wordsOf(40))).toEqual([]);
  });
});

it.skipIf(onPostgres)(
  "an erasure waits for a reader before it rewrites the file; a restart does it at the latest",
  async () => {
    const { folder, store, clock, account, channel } = await oneChannel();
    await store.outbox.acceptInbound(channel, { events: [says(7, 1), says(8, 1)] });
    const reader = new Sqlite(join(folder, "gangway.db"), { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM message").get();
    const person = { channelId: channel.id, chat: "chat7x" as ChatId };
    expect(await store.erasure.customer(account.id, person, ERASED)).toMatchObject({ messages: 1, gone: false });
    expect(await store.erasure.removeTraces()).toBe(false);
    expect(tracesIn(folder, ["secret7x"])).not.toEqual([]);
    reader.close();
    store.close();
    await temporaryStore(clock, folder);
    expect(tracesIn(folder, wordsOf(7))).toEqual([]);
    expect(tracesIn(folder, ["secret8x"])).not.toEqual([]);
  },
);
