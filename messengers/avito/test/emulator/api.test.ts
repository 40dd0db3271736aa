import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, it } from "vitest";
import { OTHER_SHOP, SHOP } from "../../emulator/emulator.ts";
import { HOOK, ORIGIN, shop } from "./shop.ts";

const PNG = paintPng(4, 4, [1, 2, 3]);
const HOUR = 3_600_000;
const error = (code: number, message: string) => ({ error: { code, message } });

describe("a token of the emulated Avito", () => {
  it("is granted to the client's own credentials, and refused otherwise in OAuth's form", async () => {
    const { grant } = await shop();
    const right = { grant_type: "client_credentials", client_id: SHOP.clientId, client_secret: SHOP.clientSecret };
    expect((await grant(right)).body).toEqual({
      ...{ access_token: expect.stringMatching(/^\w{22}$/), expires_in: 86_400, token_type: "Bearer" },
    });
    for (const wrong of [{ client_secret: "x" }, { client_id: "x" }])
      expect(await grant({ ...right, ...wrong })).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(await grant({ ...right, grant_type: "password" })).toMatchObject({
      status: 400,
      body: { error: "unsupported_grant_type" },
    });
    expect(await grant({ ...right, more: "x" })).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  it("lives for a day, then is refused with 403; an unknown one with 401", async () => {
    const { call, clock } = await shop();
    expect(await call("GET", "/core/v1/accounts/self")).toMatchObject({ status: 200, body: { id: SHOP.id } });
    expect(await call("GET", "/core/v1/accounts/self", undefined, "Bearer x")).toMatchObject({
      status: 401,
      body: error(401, "Unauthorized"),
    });
    clock.jump(24 * HOUR);
    expect(await call("GET", "/core/v1/accounts/self")).toMatchObject({ status: 403, body: error(403, "Forbidden") });
  });

  it("reaches its own account alone, and takes the plan", async () => {
    const { call, emulator, at } = await shop();
    expect((await call("GET", `/messenger/v2/accounts/${OTHER_SHOP.id}/chats`)).status).toBe(403);
    expect((await call("GET", at(2, "x"))).status).toBe(404);
    const [account] = emulator.world.accounts;
    Object.assign(account ?? {}, { hasPlan: false });
    expect(await call("GET", at(2, ""))).toMatchObject({ status: 402, body: error(402, "Payment required") });
    expect((await call("GET", "/core/v1/accounts/self")).status).toBe(200);
  });
});

describe("a message to the emulated Avito", () => {
  it("is a text of 1 to 1,000 characters, with no other fields", async () => {
    const { send, text, chat } = await shop();
    expect((await text("x".repeat(1_000))).body).toEqual({
      ...{ id: expect.stringMatching(/^[\da-f]{32}$/), created: expect.any(Number), direction: "out", type: "text" },
      content: { text: "x".repeat(1_000) },
    });
    const invalid = { status: 400, body: error(400, "Validation error") };
    for (const wrong of [
      { type: "text", message: { text: "x".repeat(1_001) } },
      { type: "text", message: { text: "" } },
      { type: "text", message: { text: "x", quote: "y" } },
      { type: "text", text: "x" },
      { type: "image", message: { text: "x" } },
      { type: "text", message: { text: "x" }, key: "1" },
    ])
      expect(await send(wrong)).toMatchObject(invalid);
    expect(chat.messages).toHaveLength(1);
  });

  it("is a picture that was uploaded: one, of the right kind, size and number of pixels", async () => {
    const { upload, call, at, emulator } = await shop();
    const { body } = await upload(PNG);
    const [id = ""] = Object.keys(body);
    expect(body[id]).toMatchObject({ "1280x960": expect.stringMatching(/^http/), "32x32": expect.any(String) });
    expect(await call("POST", at(1, "/messages/image"), { image_id: id })).toMatchObject({
      ...{
        status: 200,
        body: { direction: "out", type: "image", author_id: SHOP.id, content: { image: { sizes: body[id] } } },
      },
    });
    expect((await emulator.site.request(body[id]["640x480"])).headers.get("content-type")).toBe("image/png");
    expect((await call("POST", at(1, "/messages/image"), { image_id: "x" })).status).toBe(400);
    const huge = Buffer.from("89504e470d0a1a0a0000000d4948445200004e2000004e200806000000", "hex");
    for (const refused of [
      await upload(Buffer.from("%PDF-1.7 x".repeat(9))),
      await upload(huge),
      await upload(PNG, "a.png", "file"),
    ])
      expect(refused.status).toBe(400);
    const files = new FormData();
    for (const name of ["a.png", "b.png"]) files.append("uploadfile[]", new File([Uint8Array.from(PNG)], name));
    expect((await call("POST", `/messenger/v1/accounts/${SHOP.id}/uploadImages`, files)).status).toBe(400);
  });

  it("can be deleted within the hour by its author, and stays as one of the type deleted", async () => {
    const { text, call, at, clock, emulator, chat } = await shop();
    const { id } = (await text("hello")).body;
    const own = await emulator.customers.says(chat, { text: "mine" });
    expect((await call("POST", at(1, `/messages/${own.id}`))).status).toBe(403);
    expect((await call("POST", at(1, "/messages/none"))).status).toBe(404);
    clock.jump(HOUR - 1_000);
    expect(await call("POST", at(1, `/messages/${id}`))).toMatchObject({ status: 200, body: {} });
    const late = (await text("late")).body.id;
    clock.jump(HOUR + 1_000);
    expect((await call("POST", at(1, `/messages/${late}`))).status).toBe(400);
    expect((await call("GET", at(3, "/messages/"))).body.map(({ type }: { type: string }) => type)).toEqual([
      "text",
      "text",
      "deleted",
    ]);
  });

  it("is refused in a chat that is unknown, whose customer has blocked the account, or that is Avito's own", async () => {
    const { text, chat, call, emulator } = await shop();
    chat.isBlocked = true;
    expect(await text("x")).toMatchObject({ status: 403, body: error(403, "Forbidden") });
    await emulator.customers.avitoSays(chat.account, "Ваш тариф продлён");
    const path = (id: string) => `/messenger/v1/accounts/${SHOP.id}/chats/${id}/messages`;
    const body = { type: "text", message: { text: "x" } };
    expect((await call("POST", path(emulator.world.chats.at(-1)?.id ?? ""), body)).status).toBe(403);
    expect((await call("POST", path("u2i-none"), body)).status).toBe(404);
  });
});

describe("the lists of the emulated Avito", () => {
  it("have chats about listings unless others are asked for, with what the document names", async () => {
    const { call, emulator, chat } = await shop();
    const [, guldan] = emulator.world.people;
    if (guldan) await emulator.customers.says(emulator.customers.chat(chat.account, guldan), { text: "u2u" });
    await emulator.customers.says(chat, { text: "u2i" });
    const list = async (query: string) =>
      (await call("GET", `/messenger/v2/accounts/${SHOP.id}/chats?${query}`)).body.chats;
    expect(await list("")).toMatchObject([
      {
        ...{ id: chat.id, context: { type: "item", value: { title: "Mazda 3 2008", price_string: "300 000 ₽" } } },
        ...{ users: [{ name: "Ирина" }, { id: SHOP.id }], last_message: { content: { text: "u2i" }, direction: "in" } },
      },
    ]);
    expect(await list("chat_types=u2i,u2u")).toHaveLength(2);
    expect(await list("chat_types=u2i,u2u&limit=1&offset=1")).toMatchObject([
      { last_message: { content: { text: "u2u" } } },
    ]);
    expect(await list("unread_only=true&chat_types=u2i,u2u")).toHaveLength(2);
    expect(await list("item_ids=5")).toEqual([]);
  });

  it.each(["limit=0", "limit=101", "offset=1001", "offset=-1", "chat_types=x2x", "page=2"])(
    "refuse %s",
    async (query) => {
      const { call } = await shop();
      expect((await call("GET", `/messenger/v2/accounts/${SHOP.id}/chats?${query}`)).status).toBe(400);
    },
  );

  it("have messages, the newest first, with what was read, and mark nothing as read themselves", async () => {
    const { call, at, emulator, chat, text, clock } = await shop();
    await emulator.customers.says(chat, { text: "hello" });
    clock.jump(5_000);
    await text("hi");
    emulator.customers.reads(chat);
    const list = async (query = "") => (await call("GET", at(3, `/messages/${query}`))).body;
    expect(await list()).toMatchObject([
      { direction: "out", read: expect.any(Number) },
      { direction: "in", is_read: false, read: null, content: { text: "hello" } },
    ]);
    await call("POST", at(1, "/read"));
    expect(await list("?limit=1&offset=1")).toMatchObject([{ is_read: true }]);
    emulator.switches.set({ messages: "object" });
    expect(await list("?limit=1")).toMatchObject({ messages: [{}], meta: { has_more: true } });
    expect((await call("GET", at(3, "/messages/?limit=200"))).status).toBe(400);
  });

  it("give a voice message an address that lives for an hour, to its account alone", async () => {
    const { call, emulator, chat, clock } = await shop();
    const { content } = await emulator.customers.says(chat, { voice: Buffer.from("voice") });
    const { voice_id: id } = content.voice as { voice_id: string };
    const path = `/messenger/v1/accounts/${SHOP.id}/getVoiceFiles?voice_ids=`;
    const url = (await call("GET", `${path}${id},none`)).body.voices_urls[id];
    expect((await call("GET", `${path}none`)).body).toEqual({ voices_urls: {} });
    const status = async () => (await emulator.site.request(url.replace(ORIGIN, ""))).status;
    expect(await status()).toBe(200);
    clock.jump(HOUR);
    expect(await status()).toBe(403);
  });
});

it("calls are counted by the minute, which their headers tell", async () => {
  const { call, emulator, clock } = await shop();
  emulator.switches.set({ callsPerMinute: 3 });
  const self = () => call("GET", "/core/v1/accounts/self");
  // One was the subscription.
  expect((await self()).headers.get("x-ratelimit-remaining")).toBe("1");
  expect((await self()).headers.get("x-ratelimit-limit")).toBe("3");
  expect(await self()).toMatchObject({ status: 429, body: error(429, "Too many requests") });
  clock.jump(60_000);
  expect((await self()).status).toBe(200);
});

describe("an answer of the emulated Avito", () => {
  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("can be lost %s the message is written", async (when, written) => {
    const { text, emulator, chat } = await shop();
    emulator.faults.plan({ operation: "postSendMessage", status: 502, body: "html", when });
    expect(await text("hello")).toMatchObject({ status: 502, body: expect.stringContaining("nginx") });
    expect(chat.messages).toHaveLength(written);
    expect((await text("again")).status).toBe(200);
  });

  it("cannot be planned for an operation that there is not, nor set with a switch that there is not", async () => {
    const { call } = await shop();
    expect((await call("POST", "/control/faults", { operation: "sendMessage" })).status).toBe(400);
    expect((await call("PUT", "/control/settings", { withhold: 1 })).status).toBe(400);
    expect((await call("PUT", "/control/settings", { withheld: 0.5 })).body).toMatchObject({ withheld: 0.5 });
    expect((await call("POST", "/messenger/v9/else")).status).toBe(404);
  });
});

it("an address is subscribed once it answers {} with 200 in time", async () => {
  const { call, state, emulator } = await shop();
  const subscribe = (url: string) => call("POST", "/messenger/v3/webhook", { url });
  state.status = 401;
  expect((await subscribe("http://module.test/other")).status).toBe(400);
  expect((await subscribe("not an address")).status).toBe(400);
  emulator.switches.set({ probe: false });
  expect((await subscribe("http://module.test/other")).body).toEqual({ ok: true });
  const list = async () => (await call("POST", "/messenger/v1/subscriptions")).body.subscriptions;
  expect(await list()).toEqual([HOOK, "http://module.test/other"].map((url) => ({ url, version: "3" })));
  await call("POST", "/messenger/v1/webhook/unsubscribe", { url: HOOK });
  expect(await list()).toHaveLength(1);
});
