import { FILES } from "gangway-messenger/kit/sending";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Saying } from "../../emulator/customers.ts";
import { MAZDA } from "../../emulator/emulator.ts";
import { fresh, talking } from "../stage.ts";

const SECOND = 1_000;
const DAY = 86_400_000;
type Talking = Awaited<ReturnType<typeof talking>>;

/** The list to its end, each message once, in the order in which it comes. */
async function whole({ session, emulator }: Pick<Talking, "session" | "emulator">, since = 0) {
  emulator.switches.set({ callsPerMinute: 0 });
  const events = new Map<string, ChannelEvent>();
  const complete: number[] = [];
  let calls = 0;
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const listed = await session.list?.(since, cursor, fresh());
    calls += 1;
    for (const event of listed?.events ?? []) events.set(event.key, event);
    if (listed?.completeFrom !== undefined) complete.push(listed.completeFrom);
    cursor = listed?.next;
    if (calls > 3_000) throw new Error("the list has no end");
  }
  return { events: [...events.values()], calls, completeFrom: Math.max(0, ...complete) };
}
const contentsOf = (events: ChannelEvent[]) =>
  events.map((event) => (event.type === "message" ? event.content : event.type));
const textsOf = (events: ChannelEvent[]) =>
  events.map((event) => (event.type === "message" && "text" in event.content ? event.content.text : event.type));

/** As many chats, each with a message; the first is the oldest. */
function chatsOf({ emulator, context }: Talking, count: number, stepMs = SECOND) {
  const { world, customers } = emulator;
  const [account] = world.accounts;
  if (!account) throw new Error("no account");
  world.chats.splice(0);
  const begin = context.clock.now() - count * stepMs;
  return Array.from({ length: count }, (_, n) => {
    const person = { n: 100 + n, id: 500_000 + n, name: `Customer ${n}`, hasFace: false };
    const chat = customers.chat(account, person, MAZDA);
    const at = begin + n * stepMs;
    chat.messages.push({ id: `m-${n}`, author: person.id, at, type: "text", content: { text: `chat ${n}` } });
    chat.updatedAt = at;
    return chat;
  });
}

describe("a message in the list", () => {
  it.each<[string, Saying]>([
    ["a text", { text: "ahoy" }],
    ["a picture", { image: FILES.image.bytes }],
    ["a voice", { voice: FILES.audio.bytes }],
    ["a missed call", { type: "call", content: { call: { status: "missed" } } }],
    ["a video", { type: "video", content: {} }],
  ])("is as its webhook brings it: %s", async (_, saying) => {
    for (const messages of ["array", "object"]) {
      const all = await talking();
      all.emulator.switches.set({ messages });
      const [came] = await all.after(() => all.emulator.customers.says(all.chat, saying));
      const [listed] = (await whole(all)).events;
      expect(listed).toEqual({ ...came, at: expect.any(Number) });
    }
  });

  it("of staff is listed, one of ours, of Avito and one that was deleted are not; it marks nothing as read", async () => {
    const all = await talking();
    const { emulator, chat, send, later } = all;
    const [account] = emulator.world.accounts;
    await emulator.customers.says(chat, { text: "hello" });
    later(2 * SECOND);
    await send({ text: "ours" });
    later(2 * SECOND);
    await emulator.customers.staffSays(chat, "from staff");
    if (account) await emulator.customers.avitoSays(account, "Скидки!", chat);
    const gone = await emulator.customers.says(chat, { text: "gone" });
    await emulator.customers.deletes(chat, gone);
    later(2 * SECOND);
    await emulator.customers.says(chat, { text: "thanks" });
    const { events } = await whole(all);
    expect(textsOf(events)).toEqual(["hello", "from staff", "thanks"]);
    expect(chat.messages.some(({ readAt }) => readAt !== undefined)).toBe(false);
  });

  it("of a chat about a profile is listed, too, and one that quotes says so", async () => {
    const all = await talking();
    const { world, customers } = all.emulator;
    const [account] = world.accounts;
    const [person] = world.people;
    if (!account || !person) throw new Error("the emulator is empty");
    const chat = customers.chat(account, person);
    const first = await customers.says(chat, { text: "one" });
    all.later(2 * SECOND);
    await customers.says(chat, { text: "two", quote: first.id });
    all.later(2 * SECOND);
    await customers.says(chat, { text: "three" });
    expect(textsOf((await whole(all)).events)).toEqual(["one", "> one\ntwo", "three"]);
  });

  it("is that of its webhook, which only once says what the chat is about", async () => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1 });
    await all.emulator.customers.says(all.chat, { text: "first" });
    expect(contentsOf((await whole(all)).events)).toEqual([{ type: "text", text: "first" }]);
    all.emulator.switches.set({ withheld: 0 });
    all.later(2 * SECOND);
    const events = await all.after(() => all.emulator.customers.says(all.chat, { text: "second" }));
    expect(events).toMatchObject([{ type: "message" }, { type: "note" }]);
  });
});

describe("the list", () => {
  it("goes down to the time that it is asked for, in one call for the chats and one for each that has changed", async () => {
    const all = await talking();
    chatsOf(all, 40, 60_000);
    const { events, calls } = await whole(all, all.context.clock.now() - 10 * 60_000 - SECOND);
    expect(events).toHaveLength(10);
    expect(calls).toBe(11);
    expect((await whole(all, all.context.clock.now() + DAY)).calls).toBe(1);
  });

  it("gives the only message of each new chat before it reads any chat; others come in their order", async () => {
    const all = await talking();
    const chats = chatsOf(all, 250);
    for (const chat of chats) chat.createdAt = chat.updatedAt;
    const first = await all.session.list?.(0, undefined, fresh());
    expect(first?.events).toHaveLength(100);
    const second = await all.session.list?.(0, first?.next, fresh());
    expect(second?.events).toHaveLength(100);
    expect((await whole(all)).events).toHaveLength(250);
  });

  it.each(["newest", "oldest"])("pages through a long chat of 90 days, the %s first", async (order) => {
    const all = await talking();
    all.emulator.switches.set({ order });
    const { chat, context } = all;
    const begin = context.clock.now() - 90 * DAY;
    for (let n = 0; n < 350; n++)
      chat.messages.push({
        id: `m-${n}`,
        author: chat.person.id,
        at: begin + n * 6 * 3_600_000,
        type: "text",
        content: { text: `${n}` },
      });
    chat.updatedAt = chat.messages.at(-1)?.at ?? 0;
    const { events, completeFrom } = await whole(all, begin);
    const all350 = Array.from({ length: 350 }, (_, n) => `${n}`);
    const pages = [250, 150, 50].map((from) => all350.slice(from, from + 100));
    // Page by page as Avito lists them, each from its oldest on.
    expect(textsOf(events)).toEqual(order === "oldest" ? all350 : [...pages.flat(), ...all350.slice(0, 50)]);
    expect(completeFrom).toBe(0);
  });

  it("says from when on it is complete where a chat has more messages than Avito lists", async () => {
    const all = await talking();
    const { chat, context } = all;
    const begin = context.clock.now() - 1_500 * 60_000;
    for (let n = 0; n < 1_500; n++)
      chat.messages.push({
        id: `m-${n}`,
        author: chat.person.id,
        at: begin + n * 60_000,
        type: "text",
        content: { text: `${n}` },
      });
    chat.updatedAt = chat.messages.at(-1)?.at ?? 0;
    const { events, completeFrom } = await whole(all, begin);
    expect(events).toHaveLength(1_100);
    expect(completeFrom).toBe(Math.floor((begin + 400 * 60_000) / SECOND) * SECOND);
  });

  it("says from when on it is complete where there are more chats than Avito lists", async () => {
    const all = await talking();
    const chats = chatsOf(all, 1_150);
    const { events, completeFrom } = await whole(all, 1);
    expect(events).toHaveLength(1_100);
    expect(completeFrom).toBe(Math.floor((chats[50]?.updatedAt ?? 0) / SECOND) * SECOND);
  });

  it("gives a chat's messages in their order, page by page", async () => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1 });
    all.chat.createdAt -= 60_000;
    for (const text of ["one", "two", "three"]) {
      await all.emulator.customers.says(all.chat, { text });
      all.later(2 * SECOND);
    }
    const pages: (string | undefined)[][] = [];
    for (let after: string | undefined, more = true; more; more = after !== undefined) {
      const listed = await all.session.list?.(0, after, fresh());
      pages.push(textsOf(listed?.events ?? []));
      after = listed?.next;
    }
    expect(pages.flat()).toEqual(["one", "two", "three"]);
  });

  it("goes on behind a full page with a message that cannot be read", async () => {
    const all = await talking();
    const { chat, context } = all;
    const begin = context.clock.now() - 250 * 60_000;
    for (let n = 0; n < 250; n++)
      chat.messages.push({
        ...{ id: n === 200 ? ".." : `m-${n}`, author: chat.person.id, at: begin + n * 60_000 },
        ...{ type: "text", content: { text: `${n}` } },
      });
    chat.updatedAt = chat.messages.at(-1)?.at ?? 0;
    expect((await whole(all, begin)).events).toHaveLength(249);
  });

  it("goes on behind a chat that Avito no longer shows", async () => {
    const all = await talking();
    chatsOf(all, 3);
    for (const status of [404, 403]) {
      all.emulator.faults.plan({ operation: "getMessagesV3", status, times: status === 403 ? 2 : 1 });
      const { events } = await whole(all);
      expect(events).toHaveLength(2);
      all.later(60_000);
    }
  });

  it.each([{ status: 500 }, { status: 200, body: "html" }] as const)(
    "asks for a chat that fails once more after the others, then leaves it out and says so: %o",
    async (fault) => {
      const all = await talking();
      const [, , bad] = chatsOf(all, 3);
      const call: typeof all.context.call = async (request) => {
        if (request.url.includes(`/${encodeURIComponent(bad?.id ?? "")}/messages/`))
          all.emulator.faults.plan({ operation: "getMessagesV3", ...fault });
        return all.context.call(request);
      };
      const { events, completeFrom } = await whole({ ...all, session: all.again({ call }) });
      expect(textsOf(events)).toEqual(["chat 1", "chat 0"]);
      expect(completeFrom).toBe(all.context.clock.now());
      expect(all.calls("getMessagesV3")).toHaveLength(2);
    },
  );

  it("leaves no chat out while Avito answers for none, or asks to wait", async () => {
    const all = await talking();
    chatsOf(all, 2);
    let after = (await all.session.list?.(0, undefined, fresh()))?.next;
    for (const status of [429, 503]) {
      all.emulator.faults.plan({ operation: "getMessagesV3", status });
      await expect(all.session.list?.(0, after, fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    }
    all.emulator.faults.plan({ operation: "*", status: 500, times: 9 });
    for (let n = 0; n < 2; n++) after = (await all.session.list?.(0, after, fresh()))?.next;
    await expect(all.session.list?.(0, after, fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    all.emulator.faults.clear();
    expect((await all.session.list?.(0, after, fresh()))?.events).toHaveLength(1);
  });

  it("takes null for an empty list", async () => {
    const all = await talking();
    chatsOf(all, 1);
    for (const empty of ["null", '{"messages":null}', '{"chats":null}']) {
      const call: typeof all.context.call = async (request) =>
        request.url.includes(empty.includes("chats") ? "/chats?" : "/messages/")
          ? { type: "answer", status: 200, headers: {}, bytes: Buffer.from(empty) }
          : all.context.call(request);
      expect(await whole({ ...all, session: all.again({ call }) })).toMatchObject({ events: [], completeFrom: 0 });
    }
  });

  it("has staff's messages where Avito does not name the other one of a chat, or says that some may be missing", async () => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1 });
    all.chat.createdAt -= 60_000;
    await all.emulator.customers.staffSays(all.chat, "from staff");
    const call: typeof all.context.call = async (request) => {
      const answer = await all.context.call(request);
      if (!/\/chats[?/]/.test(request.url) || request.url.includes("/messages/") || answer.type === "failure")
        return answer;
      return {
        ...answer,
        bytes: Buffer.from(Buffer.from(answer.bytes).toString().replaceAll('"users":', '"nobody":')),
      };
    };
    const at = Math.floor(all.context.clock.now() / SECOND) * SECOND;
    const session = all.again({ call });
    expect(await whole({ ...all, session })).toMatchObject({ events: [], completeFrom: at + SECOND });
    all.later(2 * SECOND);
    await all.emulator.customers.says(all.chat, { text: "hello" });
    const { events, completeFrom } = await whole({ ...all, session });
    expect(events).toMatchObject([
      { originator: "channel", customer: { id: "236487301" }, content: { text: "from staff" } },
      { originator: "customer" },
    ]);
    expect(completeFrom).toBe(0);
  });

  it("says that the newest may be missing where a long chat is listed from its oldest message on", async () => {
    const all = await talking();
    all.emulator.switches.set({ order: "oldest" });
    const { chat, context } = all;
    const begin = context.clock.now() - 1_500 * 60_000;
    for (let n = 0; n < 1_500; n++)
      chat.messages.push({
        ...{ id: `m-${n}`, author: chat.person.id, at: begin + n * 60_000 },
        ...{ type: "text", content: { text: `${n}` } },
      });
    chat.updatedAt = chat.messages.at(-1)?.at ?? 0;
    expect((await whole(all, begin)).completeFrom).toBe(context.clock.now());
  });

  it("loses no chat that moves to its head while it is paged through", async () => {
    const all = await talking();
    const chats = chatsOf(all, 250);
    all.emulator.switches.set({ withheld: 1 });
    const since = all.context.clock.now() - DAY;
    const seen = new Set<string>();
    const moved: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; ; page++) {
      const listed = await all.session.list?.(since, cursor, fresh());
      for (const { key } of listed?.events ?? []) seen.add(key);
      cursor = listed?.next;
      if (cursor === undefined) break;
      // Chats that are not listed yet move to the head.
      if (page === 0) {
        all.later(2 * SECOND);
        for (const chat of chats.slice(0, 3))
          moved.push(`message:${(await all.emulator.customers.says(chat, { text: "moved" })).id}`);
      }
    }
    for (let n = 0; n < 250; n++) expect(seen, `chat ${n}`).toContain(`message:m-${n}`);
    for (const key of moved) expect(seen).toContain(key);
  });

  it("rests for a minute when few of its calls are left, and goes on with the rest", async () => {
    const all = await talking();
    chatsOf(all, 5);
    all.emulator.switches.set({ callsPerMinute: 12 });
    const rests: (number | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const listed = await all.session.list?.(0, cursor, fresh());
      rests.push(listed?.restMs);
      if (listed?.restMs) all.later(listed.restMs);
      cursor = listed?.next;
    } while (cursor !== undefined);
    expect(rests.filter((each) => each === 60_000).length).toBeGreaterThan(0);
    expect(all.emulator.journal.entries().filter(({ status }) => status === 429)).toEqual([]);
  });

  it("fails as a call does", async () => {
    const all = await talking();
    all.emulator.faults.plan({ operation: "getChatsV2", status: 500 });
    await expect(all.session.list?.(0, undefined, fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
  });
});
