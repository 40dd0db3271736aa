import { describe, expect, it } from "vitest";
import { write } from "../../emulator/acts.ts";
import { NUMBER_ID } from "../../emulator/seed.ts";
import { BUTTONS, LIST } from "./scene.ts";
import { opened, ROBIN } from "./stage.ts";

const text = (body: string) => ({ type: "text", text: { body } });
const interactive = (content: object) => ({ type: "interactive", interactive: content });
const button = (id: string, title: string) => ({ type: "reply", reply: { id, title } });
const buttons = (...list: object[]) => interactive({ ...BUTTONS, action: { buttons: list } });
const row = (n: number) => ({ id: `row-${n}`, title: `Row ${n}` });

const REFUSED: [what: string, body: object, code: number, words: string][] = [
  ["another product", { messaging_product: "sms", ...text("x") }, 100, "messaging_product is required"],
  ["nobody to send to", { to: undefined, ...text("x") }, 100, "The parameter to is required"],
  ["a word for a number", { to: "robin", ...text("x") }, 131009, "'to' is not a valid phone number"],
  ["no user id", { to: undefined, recipient: "robin", ...text("x") }, 131009, "not a valid user id"],
  ["its own number", { to: "15550100142", ...text("x") }, 131021, "Sender and recipient"],
  ["an unknown type", { type: "poll", poll: {} }, 100, "Param type must be one of {AUDIO"],
  ["a type without its content", { type: "text" }, 131008, "'text' is mandatory"],
  ["an empty text", text(""), 100, "Param text['body'] must be at least 1"],
  ["a text too long", text("x".repeat(4_097)), 100, "Param text['body'] must be at most 4096 characters long."],
  ["an unknown key", { ...text("x"), mood: "good" }, 100, 'Unexpected key "mood" on param "root"'],
  [
    "an unknown inner key",
    { type: "text", text: { body: "x", html: true } },
    100,
    'Unexpected key "html" on param "text"',
  ],
  ["a long callback", { ...text("x"), biz_opaque_callback_data: "x".repeat(513) }, 100, "at most 512"],
  [
    "a quote of nothing",
    { ...text("x"), context: { message_id: "wamid.none" } },
    100,
    "Message to reply to is not found",
  ],
  ["a file by id and link", { type: "image", image: { id: "1", link: "https://a.example/1" } }, 100, "exactly one of"],
  [
    "a file that is not there",
    { type: "image", image: { id: "1" } },
    100,
    "is not a valid whatsapp business account media",
  ],
  ["a caption too long", { type: "image", image: { id: "1", caption: "x".repeat(1_025) } }, 100, "at most 1024"],
  ["a place off the globe", { type: "location", location: { latitude: 91, longitude: 0 } }, 131009, "at most 90"],
  ["a card without a name", { type: "contacts", contacts: [{ phones: [] }] }, 131008, "is missing"],
  [
    "a reaction to nothing",
    { type: "reaction", reaction: { message_id: "wamid.none", emoji: "👍" } },
    100,
    "not found",
  ],
  ["a long title", buttons(button("a", "x".repeat(21))), 100, "at most 20 characters"],
  ["four buttons", buttons(...["a", "b", "c", "d"].map((id) => button(id, id))), 131009, "Max allowed buttons: 3"],
  ["equal buttons", buttons(button("a", "A"), button("a", "B")), 131009, "Button ids must be unique"],
  [
    "eleven rows",
    interactive({
      ...LIST,
      action: {
        button: "Go",
        sections: [
          { title: "A", rows: [1, 2, 3, 4, 5, 6].map(row) },
          { title: "B", rows: [7, 8, 9, 10, 11].map(row) },
        ],
      },
    }),
    131009,
    "Total row count exceed max allowed count: 10",
  ],
  ["an unknown interactive", interactive({ type: "wheel" }), 100, "Param interactive['type'] must be one of"],
  [
    "an unknown template",
    { type: "template", template: { name: "none", language: { code: "en" } } },
    132001,
    "does not exist in en",
  ],
  ["a read mark of nothing", { to: undefined, status: "read", message_id: "wamid.none" }, 100, "was not found"],
];

describe("sending", () => {
  it.each(REFUSED)("refuses %s in Graph's words", async (_, body, code, words) => {
    const { emulator, send, statuses, idle } = await opened();
    await emulator.says("hello");
    const { status, body: answer, headers } = await send(body);
    expect(status).toBe(code === 132001 ? 404 : 400);
    expect(answer.error).toMatchObject({ code, type: "OAuthException", fbtrace_id: expect.stringMatching(/^A/) });
    expect(`${answer.error.message} ${answer.error.error_data?.details ?? ""}`).toContain(words);
    expect(headers.get("www-authenticate")).toContain("OAuth");
    await idle();
    expect(statuses()).toEqual([]);
  });

  it("refuses more than a number's rate, and too many to one customer", async () => {
    const { emulator, network, text, send, clock, control } = await opened();
    await emulator.says("hello");
    network.switches.set({ perSecond: 2 });
    const answers = [await text(), await text(), await text()];
    expect(answers.map(({ body }) => body.error?.code)).toEqual([undefined, undefined, 130429]);
    clock.jump(1_000);
    await control("PUT", "settings", { perSecond: 80, pairBurst: 2 });
    clock.jump(60_000);
    expect((await text()).status).toBe(200);
    expect((await text()).status).toBe(200);
    expect(await text()).toMatchObject({ status: 400, body: { error: { code: 131056 } } });
    expect((await send({ to: "15550100077", type: "text", text: { body: "another" } })).status).toBe(200);
    clock.jump(6_000);
    expect((await text()).status).toBe(200);
  });

  it("refuses a number that is not registered, and a token without the right to send", async () => {
    const { network, number, text } = await opened();
    number.isRegistered = false;
    expect((await text()).body.error.code).toBe(133010);
    number.isRegistered = true;
    for (const token of network.core.tokens.list()) token.rights.delete("whatsapp_business_messaging");
    expect(await text()).toMatchObject({ status: 403, body: { error: { code: 200 } } });
  });

  it("marks all up to a message as read, and shows that somebody types for 25 seconds", async () => {
    const { emulator, send, chat, clock } = await opened();
    await emulator.says("one");
    const { id } = await emulator.says("two");
    await emulator.says("three");
    const answer = await send({ to: undefined, status: "read", message_id: id, typing_indicator: { type: "text" } });
    expect(answer.body).toEqual({ success: true });
    expect(chat.messages.map(({ status }) => status)).toEqual(["read", "read", "sent"]);
    expect(chat.typingUntil - clock.now()).toBeGreaterThan(24_000);
  });

  it("refuses with any code that a fault plans", async () => {
    const { emulator, control, text } = await opened();
    await emulator.says("hello");
    for (const code of [131031, 131056, 190, 131000]) {
      await control("POST", "faults", { operation: "sendMessage", code });
      expect((await text()).body.error.code).toBe(code);
    }
    expect((await text()).status).toBe(200);
  });
});

describe("the window", () => {
  it("is open for 72 hours after a click on an ad", async () => {
    const { network, chat, clock, text, statuses, idle } = await opened();
    await write(network, chat, {
      text: "hi",
      referral: { source_url: "https://fb.me/1", source_id: "1", source_type: "ad" },
    });
    clock.jump(71 * 3_600_000);
    await text();
    clock.jump(3_600_000);
    await text();
    await idle();
    expect(statuses().map(({ status, pricing }) => [status, (pricing as { type?: string })?.type])).toEqual([
      ["sent", "free_entry_point"],
      ["delivered", "free_entry_point"],
      ["failed", undefined],
    ]);
  });

  it("may be refused at once instead, by a setting", async () => {
    const { emulator, network, text, clock } = await opened();
    await emulator.says("hello");
    clock.jump(25 * 3_600_000);
    network.switches.set({ windowRefusal: "answer" });
    expect(await text()).toMatchObject({ status: 400, body: { error: { code: 131047 } } });
  });
});

it("a customer without a phone number is reached by their id, and named by it alone", async () => {
  const { network, hidden, send, statuses, idle, wren } = await opened();
  await write(network, hidden, { text: "hello" });
  const { body } = await send({ to: undefined, recipient: wren.userId, type: "text", text: { body: "hi" } });
  expect(body.contacts).toEqual([{ input: wren.userId, user_id: wren.userId }]);
  await idle();
  expect(statuses()[0]).toMatchObject({ recipient_user_id: wren.userId });
  expect(statuses()[0]).not.toHaveProperty("recipient_id");
  expect(ROBIN).not.toBe(wren.phone);
});

it("an app has a share of calls an hour, if a setting says so, and sees what it has used", async () => {
  const { ask, network } = await opened();
  const { headers } = await ask("GET", NUMBER_ID);
  expect(JSON.parse(headers.get("x-app-usage") ?? "")).toMatchObject({ call_count: 1 });
  network.switches.set({ callsPerHour: 4 });
  expect((await ask("GET", NUMBER_ID)).headers.get("x-app-usage")).toContain('"call_count":100');
  expect(await ask("GET", NUMBER_ID)).toMatchObject({ status: 403, body: { error: { code: 4, is_transient: true } } });
});
