import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { BUYER, message, OWN } from "../../samples/wire.ts";
import { avitoApi } from "../../src/api.ts";
import { askingChats } from "../../src/chats.ts";
import avito from "../../src/index.ts";
import { fresh, SECRET, talking, webhook } from "../stage.ts";

describe("the first message of a chat", () => {
  it("names the customer, their picture and page, and the chat's listing once, as a note that follows", async () => {
    const { emulator, chat, after, session } = await talking({ language: "en" });
    const url = "https://avito.ru/moskva/avtomobili/mazda_3_2008_1768287444";
    expect(await after(() => emulator.customers.says(chat, { text: "hello" }))).toMatchObject([
      {
        ...{ type: "message", originator: "customer", content: { type: "text", text: "hello" }, page: url },
        customer: {
          id: "236487301",
          nickname: "Ирина",
          hasAvatar: true,
          profileUrl: expect.stringContaining("https://avito.ru/user/"),
        },
      },
      { type: "note", chat: chat.id, text: `About the listing: Mazda 3 2008, 300 000 ₽\n${url}` },
    ]);
    expect(await after(() => emulator.customers.says(chat, { text: "again" }))).toMatchObject([
      { type: "message", page: url },
    ]);
    const face = await session.avatars?.find("236487301" as never, fresh());
    expect(face).toMatchObject({
      version: "/faces/236487301_256x256.png",
      ref: expect.stringMatching(/^image:https:/),
    });
    expect(await session.avatars?.find("5" as never, fresh())).toBeUndefined();
  });

  it("about a profile has no listing, and a customer without a picture none", async () => {
    const { emulator, after } = await talking();
    const [account] = emulator.world.accounts;
    const [, guldan] = emulator.world.people;
    if (!account || !guldan) throw new Error("the emulator is empty");
    const chat = emulator.customers.chat(account, guldan);
    const events = await after(() => emulator.customers.says(chat, { text: "hello" }));
    expect(events).toMatchObject([{ type: "message", customer: { nickname: "Guldan" } }]);
    expect(events[0]).not.toMatchObject({ customer: { hasAvatar: true } });
  });

  it("comes without a name while Avito does not answer; it is asked once, then not for a minute, and named later", async () => {
    const { emulator, chat, after, later, calls } = await talking();
    emulator.faults.plan({ operation: "getChatByIdV2", status: 503, times: 1 });
    expect(await after(() => emulator.customers.says(chat, { text: "a" }))).toMatchObject([
      { customer: { nickname: "Avito 7301" } },
    ]);
    expect(await after(() => emulator.customers.says(chat, { text: "b" }))).toHaveLength(1);
    expect(calls("getChatByIdV2")).toHaveLength(0);
    later(61_000);
    const events = await after(() => emulator.customers.says(chat, { text: "c" }));
    expect(events).toMatchObject([{ customer: { nickname: "Ирина" } }, { type: "note" }]);
  });
});

it("a chat that Avito does not answer for holds a webhook up for little more than a second, by the module's clock", async () => {
  const clock = handClock();
  const never = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new DeliveryError({ type: "retry" }, "no answer")));
    });
  const api = { call: (_: unknown, signal: AbortSignal) => never(signal), self: never, left: () => 1 };
  const context = { clock, closed: fresh(), notes: { get: async () => undefined } };
  let isAnswered = false;
  void askingChats(
    context as never,
    api as never,
  )("c" as ChatId).then(() => {
    isAnswered = true;
  });
  await clock.forward(1_000);
  expect(isAnswered).toBe(false);
  await clock.forward(300);
  expect(isAnswered).toBe(true);
});

it("nor does one whose call waits for another's to end", async () => {
  const clock = handClock();
  const { context } = await talking();
  const own = { ...context, clock, call: () => new Promise<never>(() => {}) };
  const api = avitoApi(own as never);
  api.self(fresh()).catch(() => {});
  let isAnswered = false;
  void askingChats(
    own as never,
    api,
  )("c" as ChatId).then(() => {
    isAnswered = true;
  });
  await clock.forward(1_300);
  expect(isAnswered).toBe(true);
});

it("a caller that waits longer has what a shared call brings, although the first one has left", async () => {
  const { context, again } = await talking();
  const first = new AbortController();
  let answer = () => {};
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const call: typeof context.call = async (request) => {
    await slow;
    if (request.signal?.aborted) return { type: "failure", sent: "no", reason: "aborted", detail: "" };
    return context.call(request);
  };
  const session = again({ call });
  const [left, stayed] = [session.identify?.(first.signal), session.identify?.(fresh())];
  first.abort();
  await expect(left).rejects.toMatchObject({ verdict: { type: "retry" } });
  answer();
  expect(await stayed).toMatchObject({ id: "avito:141906442" });
});

it("a chat that is refused is not asked for again for a minute; others are", async () => {
  const { emulator, chat, after, calls } = await talking();
  const [account] = emulator.world.accounts;
  const [, guldan] = emulator.world.people;
  if (!account || !guldan) throw new Error("the emulator is empty");
  emulator.faults.plan({ operation: "getChatByIdV2", status: 404 });
  for (const text of ["a", "b"])
    expect(await after(() => emulator.customers.says(chat, { text }))).toMatchObject([
      { customer: { nickname: "Avito 7301" } },
    ]);
  expect(calls("getChatByIdV2")).toHaveLength(0);
  const other = emulator.customers.chat(account, guldan);
  expect(await after(() => emulator.customers.says(other, { text: "c" }))).toMatchObject([
    { customer: { nickname: "Guldan" } },
  ]);
});

describe("a message of the account itself", () => {
  it("is ours by its id, or staff's: then it comes in the channel's name, with the customer", async () => {
    const { emulator, chat, after, send } = await talking();
    expect(await after(() => send())).toEqual([]);
    expect(await after(() => emulator.customers.staffSays(chat, "hello"))).toMatchObject([
      {
        type: "message",
        originator: "channel",
        customer: { id: "236487301", nickname: "Ирина" },
        content: { text: "hello" },
      },
    ]);
  });

  it("is ours while its call is under way, by what it says: before its answer, without one, and as a link", async () => {
    const { emulator, after, send, context } = await talking();
    emulator.switches.set({ links: "link" });
    expect(await after(() => send({ text: "see https://shop.example/ " }, "link"))).toEqual([]);
    emulator.faults.plan({ operation: "postSendMessage", status: 502, body: "html", when: "after" });
    expect(await after(() => send({ text: "lost" }, "lost").catch(() => {}))).toEqual([]);
    expect(await context.notes.get("posted:lost")).toMatch(/^text [\da-f]{32}$/);
  });

  it("that says what a refused one said is of staff", async () => {
    const { emulator, chat, after, send } = await talking();
    emulator.faults.plan({ operation: "postSendMessage", status: 400 });
    await send({ text: "same" }).catch(() => {});
    expect(await after(() => emulator.customers.staffSays(chat, "same"))).toMatchObject([{ originator: "channel" }]);
  });

  it("in a chat of which nothing is known is left to the list", async () => {
    const { session, context } = await talking();
    const body = JSON.stringify(message({ author_id: OWN }));
    expect((await session.receive(webhook(context.doorUrl, body))).events).toEqual([]);
  });
});

it("what Avito itself writes is nobody's", async () => {
  const { emulator, chat, after } = await talking();
  const [account] = emulator.world.accounts;
  if (!account) throw new Error("no account");
  expect(await after(() => emulator.customers.avitoSays(account, "Скидки!", chat))).toEqual([]);
  expect(await after(() => emulator.customers.avitoSays(account, "Ваш тариф продлён"))).toEqual([]);
});

describe("a webhook", () => {
  it("that tries the address is answered with 200, as is a signature that nobody can check", async () => {
    const { session, context } = await talking();
    const probe = await session.receive(webhook(context.doorUrl, "{}"));
    expect([probe.reply.status, probe.events, probe.unknown]).toEqual([200, [], undefined]);
    const signed = webhook(context.doorUrl, JSON.stringify(message()));
    signed.headers.set("x-avito-messenger-signature", "0".repeat(64));
    expect((await session.receive(signed)).events).toHaveLength(1);
  });

  it.each([{ version: "v9" }, { created: "soon" }, { created: -5 }, { created: 9e15 }, { created: null }])(
    "with a field of another kind keeps its words (%j)",
    async (strange) => {
      const { session, context } = await talking();
      const { events } = await session.receive(webhook(context.doorUrl, JSON.stringify(message(strange))));
      expect(events).toMatchObject([
        { type: "message", content: { text: "привет!" }, customer: { id: String(BUYER) } },
      ]);
      const [event] = events;
      expect(Math.abs((event?.at ?? 0) - context.clock.now())).toBeLessThan("version" in strange ? 1e12 : 1);
    },
  );

  it.each(["a", [], 5, { text: 5 }, { text: null, image: "x", link: 7 }])(
    "with content of another kind is told in words (%j)",
    async (content) => {
      const { session, context } = await talking();
      const { events } = await session.receive(webhook(context.doorUrl, JSON.stringify(message({ content }))));
      expect(events).toMatchObject([{ content: { type: "text", text: "[Сообщение без текста: откройте в Авито]" } }]);
    },
  );

  it("is answered without a call where the chat is known", async () => {
    const { emulator, chat, calls } = await talking();
    for (const text of ["a", "b", "c"]) await emulator.customers.says(chat, { text });
    expect(calls("getChatByIdV2")).toHaveLength(1);
  });

  it("about another account brings nothing", async () => {
    const { session, context } = await talking();
    const body = JSON.stringify(message({ user_id: OWN + 1 }));
    const receipt = await session.receive(webhook(context.doorUrl, body));
    expect(receipt).toMatchObject({ events: [], unknown: "a message of another account", reply: { status: 200 } });
  });

  it("nested too deeply is refused, one of another event is named for the log", async () => {
    const { session, context } = await talking();
    const deep = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
    expect((await session.receive(webhook(context.doorUrl, deep))).reply.status).toBe(400);
    const other = JSON.stringify({ payload: { type: "chat_closed", value: {} } });
    expect(await session.receive(webhook(context.doorUrl, other))).toMatchObject({ unknown: "event chat_closed" });
  });
});

it("a quote is told above the words, where Avito gives it", async () => {
  const { emulator, chat, after } = await talking();
  const first = await emulator.customers.says(chat, { text: "Ещё\nпродаётся?" });
  const say = () => after(() => emulator.customers.says(chat, { text: "Ау", quote: first.id }));
  expect(await say()).toMatchObject([{ content: { text: "Ау" } }]);
  emulator.switches.set({ quotes: "webhook" });
  expect(await say()).toMatchObject([{ content: { text: "> Ещё продаётся?\nАу" } }]);
});

it("its address is proven by the channel's own secret", async () => {
  const { session, context } = await talking();
  const other = avito.settings.parse({ avitoClientId: "c".repeat(20), avitoClientSecret: "s".repeat(20) });
  const { webhookSecret } = other as { webhookSecret: string };
  const body = JSON.stringify(message());
  for (const secret of [webhookSecret, "", SECRET.slice(1)])
    expect(await session.receive(webhook(context.doorUrl, body, secret))).toMatchObject({
      ...{ events: [], reply: { status: 401 } },
    });
  expect((await session.receive(webhook(context.doorUrl, body))).events).toHaveLength(1);
});
