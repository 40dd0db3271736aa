import type * as Grammy from "@grammyjs/types";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { describe, expect, expectTypeOf, it } from "vitest";
import { listening } from "../../../../test/support/listening.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/telegram.ts";
import type * as Wire from "../../emulator/wire.ts";
import { HARBOUR, OFF, opened, ROBIN, stage, until, WREN } from "./stage.ts";

describe("the Bot API's door", () => {
  it("tells apart a wrong token, an invalid one, and an unknown method", async () => {
    const { origin } = await stage();
    const get = async (path: string) => {
      const answer = await fetch(`${origin}${path}`);
      return [answer.status, ((await answer.json()) as { description: string }).description];
    };
    expect(await get(`/bot7712345601:${"x".repeat(35)}/getMe`)).toEqual([401, "Unauthorized"]);
    expect(await get("/botnonsense/getMe")).toEqual([404, "Not Found"]);
    expect(await get(`/bot${HARBOUR_BOT_TOKEN}/getNothing`)).toEqual([404, "Not Found: method not found"]);
    expect((await get(`/bot${HARBOUR_BOT_TOKEN}/GETme`))[0]).toBe(200);
  });

  it("invalidates a bot's old token at once when it is revoked", async () => {
    const { origin, refusal } = await opened();
    await fetch(`${origin}/phone/api/bots/${HARBOUR}/revoke`, { method: "POST" });
    expect(await refusal("getMe")).toBe("401 Unauthorized");
  });

  it("takes parameters from the query, a form, JSON and a browser's multipart form", async () => {
    const { origin, shown, telegram } = await opened();
    const url = `${origin}/bot${HARBOUR_BOT_TOKEN}`;
    await fetch(`${url}/sendMessage?chat_id=${ROBIN}&text=query`);
    const form = { chat_id: String(ROBIN), text: "form", disable_notification: "true" };
    await fetch(`${url}/sendMessage`, { method: "POST", body: new URLSearchParams(form) });
    const parts = new FormData();
    parts.set("chat_id", String(ROBIN));
    parts.set("reply_parameters", JSON.stringify({ message_id: 1 }));
    parts.set("document", new File(["bytes"], 'a "quoted" имя.txt', { type: "text/plain" }));
    await fetch(`${url}/sendDocument`, { method: "POST", body: parts });
    expect(shown().map(({ text }) => text)).toEqual(["hello", "query", "form", ""]);
    expect(shown().at(-1)).toMatchObject({
      quote: { id: 1 },
      media: { file: { name: 'a "quoted" имя.txt', size: 5 } },
    });
    expect(telegram.calls.list().faults).toBe(0);
  });

  it("answers with objects that fit the published types", () => {
    expectTypeOf<Wire.PhotoSize>().toExtend<Grammy.PhotoSize>();
    expectTypeOf<Wire.Video>().toExtend<Grammy.Video & Grammy.Animation>();
    expectTypeOf<Wire.Audio>().toExtend<Grammy.Audio>();
    expectTypeOf<Wire.Voice>().toExtend<Grammy.Voice>();
    expectTypeOf<Wire.VideoNote>().toExtend<Grammy.VideoNote>();
    expectTypeOf<Wire.Sticker>().toExtend<Grammy.Sticker>();
    expectTypeOf<Omit<Wire.Poll, "question_entities" | "options">>().toExtend<
      Omit<Grammy.Poll, "question_entities" | "options">
    >();
    expectTypeOf<Wire.User>().toExtend<Grammy.User>();
    expectTypeOf<Wire.Chat>().toExtend<Grammy.Chat>();
    expectTypeOf<Wire.Location>().toExtend<Grammy.Location>();
    expectTypeOf<Wire.Venue>().toExtend<Grammy.Venue>();
    expectTypeOf<Extract<Wire.MessageOrigin, { type: "user" }>>().toExtend<Grammy.MessageOriginUser>();
    expectTypeOf<Extract<Wire.MessageOrigin, { type: "hidden_user" }>>().toExtend<Grammy.MessageOriginHiddenUser>();
    expectTypeOf<Omit<Wire.GiftInfo, "entities">>().toExtend<Omit<Grammy.GiftInfo, "entities">>();
    expectTypeOf<Wire.UniqueGiftInfo>().toExtend<Grammy.UniqueGiftInfo>();
    expectTypeOf<Required<Wire.Message>["reply_to_story"]>().toExtend<Grammy.Story>();
  });

  it("logs parameters that Telegram does not list or types otherwise, and still answers", async () => {
    const { text, control } = await opened();
    expect((await text("hi", { colour: "red", reply_parameters: { message_id: 1, loud: true } })).ok).toBe(true);
    expect((await text("hi", { disable_notification: "yes" })).ok).toBe(true);
    const log = (await (await control("calls", "GET")).json()) as { faults: number; entries: { faults: string[] }[] };
    expect(log.faults).toBe(3);
    expect(log.entries[0]?.faults).toContain("colour: not a parameter of sendMessage");
    expect(JSON.stringify(log)).not.toMatch(/AAHarbour|"hi"/);
  });
});

describe("the published limits", () => {
  it("hold for texts, captions and entities, in UTF-16 units", async () => {
    const { refusal, text, shown } = await opened();
    const send = (words: string, entities: object[] = []) =>
      refusal("sendMessage", { chat_id: ROBIN, text: words, entities });
    expect(await send("x".repeat(4097))).toBe("400 Bad Request: message is too long");
    expect(await send("🌊".repeat(2049))).toBe("400 Bad Request: message is too long");
    expect(await send("")).toBe("400 Bad Request: message text is empty");
    expect(await send(" \n ")).toBe("400 Bad Request: text must be non-empty");
    expect((await text("🌊".repeat(2048))).ok).toBe(true);
    expect(await send("wave", [{ type: "bold", offset: 2, length: 9 }])).toContain("ends after the end");
    expect(await send("🌊", [{ type: "bold", offset: 1, length: 1 }])).toContain("in a middle of a UTF-16 symbol");
    await text("x".repeat(300), {
      entities: Array.from({ length: 150 }, (_, at) => ({ type: "bold", offset: 2 * at, length: 1 })),
    });
    expect(shown().at(-1)?.marks).toHaveLength(100);
  });

  it("hold for files: 10 MB of a photo, 50 MB of anything else, 20 MB to fetch", async () => {
    const { origin, world, phone, refusal } = await opened();
    const upload = async (method: string, field: string, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.set("chat_id", String(ROBIN));
      form.set("caption", "x".repeat(field === "photo" ? 1025 : 0));
      form.set(field, new Blob([bytes]), "file.bin");
      const answer = await fetch(`${origin}/bot${HARBOUR_BOT_TOKEN}/${method}`, { method: "POST", body: form });
      return ((await answer.json()) as { description: string }).description;
    };
    expect(await upload("sendDocument", "document", new Uint8Array(52 * 2 ** 20))).toBe("Request Entity Too Large");
    expect(await upload("sendPhoto", "photo", new Uint8Array(11 * 2 ** 20))).toBe("Request Entity Too Large");
    expect(await upload("sendPhoto", "photo", new Uint8Array(100))).toBe("Bad Request: IMAGE_PROCESS_FAILED");
    expect(await upload("sendPhoto", "photo", Uint8Array.from(paintPng(9, 9, [1, 1, 1])))).toBe(
      "Bad Request: message caption is too long",
    );
    const big = world.files.add({ name: "b.zip", mediaType: "application/zip", bytes: new Uint8Array(21 * 2 ** 20) });
    phone.send(ROBIN, HARBOUR, { media: [{ kind: "document", file: big.key }] });
    expect(await refusal("getFile", { file_id: `BQACAgIA${big.key}` })).toBe("400 Bad Request: file is too big");
  });

  it("hold for albums and buttons", async () => {
    const { refusal, world } = await opened();
    const { key } = world.files.add({ name: "a.pdf", mediaType: "application/pdf", bytes: Buffer.from("pdf") });
    const photo = world.files.add({ name: "a.png", mediaType: "image/png", bytes: paintPng(5, 5, [0, 0, 0]) });
    const document = { type: "document", media: `BQACAgIA${key}` };
    const album = (...media: object[]) => refusal("sendMediaGroup", { chat_id: ROBIN, media });
    expect(await album()).toBe("400 Bad Request: there are no messages to send");
    expect(await album(...Array(11).fill(document))).toBe("400 Bad Request: too many messages to send as an album");
    expect(await album(document)).toBe("it was carried out");
    expect(await album(document, { type: "photo", media: `AgACAgIA${photo.key}` })).toContain("can't be mixed");
    expect(await album(document, document)).toBe("it was carried out");
    const inline_keyboard = [[{ text: "A", callback_data: "ы".repeat(33) }]];
    expect(await refusal("sendMessage", { chat_id: ROBIN, text: "x", reply_markup: { inline_keyboard } })).toContain(
      "BUTTON_DATA_INVALID",
    );
  });

  it("let URLs be fetched only from this machine and only with a fitting type", async () => {
    const { refusal, text } = await opened();
    const base = await listening((request, response) => {
      if (request.url === "/gone.png") response.statusCode = 404;
      response.setHeader("content-type", request.url === "/page" ? "text/html" : "image/png");
      response.end(paintPng(20, 20, [9, 9, 9]));
    });
    const photo = (address: string) => refusal("sendPhoto", { chat_id: ROBIN, photo: address });
    await text("first");
    expect(await photo(`${base}/good.png`)).toBe("it was carried out");
    expect(await photo(`${base}/page`)).toBe("400 Bad Request: wrong type of the web page content");
    expect(await photo(`${base}/gone.png`)).toBe("400 Bad Request: failed to get HTTP URL content");
    expect(await photo("https://pictures.example/x.png")).toBe("400 Bad Request: failed to get HTTP URL content");
  });
});

describe("refusals", () => {
  it("tell why a bot may not write", async () => {
    const { refusal, phone, control } = await opened();
    const write = (chat_id: number) => refusal("sendMessage", { chat_id, text: "hi" });
    expect(await write(99)).toBe("400 Bad Request: chat not found");
    expect(await write(WREN)).toBe("403 Forbidden: bot can't initiate conversation with a user");
    phone.block(ROBIN, HARBOUR, true);
    expect(await write(ROBIN)).toBe("403 Forbidden: bot was blocked by the user");
    phone.block(ROBIN, HARBOUR, false);
    expect(await write(ROBIN)).toBe("it was carried out");
    await control(`people/${ROBIN}`, "POST", { deactivated: true });
    expect(await write(ROBIN)).toBe("403 Forbidden: user is deactivated");
    const group = phone.makeGroup({ title: "Crew", people: [WREN], bot: HARBOUR });
    await control(`groups/${group}`, "POST", { rights: false });
    expect(await write(group)).toBe("400 Bad Request: not enough rights to send text messages to the chat");
    await control(`groups/${group}`, "POST", { kicked: true });
    expect(await write(group)).toBe("403 Forbidden: bot was kicked from the group chat");
  });

  it("tell why a message is not changed, deleted, quoted or reacted to", async () => {
    const { refusal, text, clock } = await opened();
    const { result } = await text("same");
    const about = { chat_id: ROBIN, message_id: result.message_id };
    const unknown = { chat_id: ROBIN, message_id: 999 };
    expect(await refusal("editMessageText", { ...about, text: "same" })).toContain(
      "message is not modified: specified",
    );
    expect(await refusal("editMessageText", { ...unknown, text: "x" })).toContain("message to edit not found");
    expect(await refusal("editMessageText", { ...about, message_id: 1, text: "x" })).toContain(
      "message can't be edited",
    );
    expect(await refusal("deleteMessage", unknown)).toBe("400 Bad Request: message to delete not found");
    expect(await refusal("setMessageReaction", { ...unknown, reaction: [] })).toContain("message to react not found");
    const reaction = [{ type: "emoji", emoji: "🚢" }];
    expect(await refusal("setMessageReaction", { ...about, reaction })).toBe("400 Bad Request: REACTION_INVALID");
    const quoting = { chat_id: ROBIN, text: "x", reply_parameters: { message_id: 999 } };
    expect(await refusal("sendMessage", quoting)).toBe("400 Bad Request: message to be replied not found");
    const either = { message_id: 999, allow_sending_without_reply: true };
    expect((await text("x", { reply_parameters: either })).ok).toBe(true);
    clock.jump(48 * 3600 * 1000 + 1);
    expect(await refusal("deleteMessage", about)).toBe("400 Bad Request: message can't be deleted for everyone");
  });
});

describe("floods", () => {
  // Time stands still: otherwise a slow machine takes the calls in more than a second.
  const began = Date.now();
  it("of a chat are refused with a wait, and counted again while it runs", async () => {
    const { text, control, clock } = await opened({ ...OFF, perChat: 1 }, () => began);
    expect((await text("1")).ok).toBe(true);
    expect(await text("2")).toMatchObject({
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    });
    expect((await text("3")).ok).toBe(false);
    clock.jump(1000);
    expect((await text("4")).ok).toBe(true);
    expect(await (await control("floods", "GET")).json()).toEqual({
      perChat: 1,
      perBot: 0,
      perGroup: 0,
      duringWait: 1,
    });
  });

  it("of a group and of a bot are refused, too", async () => {
    const limits = { perChat: Infinity, perGroupMinute: 20, perSecond: 30 };
    const { call, phone, telegram, clock } = await opened(limits, () => began);
    const group = phone.makeGroup({ title: "Crew", people: [ROBIN], bot: HARBOUR });
    const write = (chat_id: number) => call("sendMessage", { chat_id, text: "hi" });
    for (let sent = 0; sent < 20; sent += 1) expect((await write(group)).ok).toBe(true);
    expect((await write(group)).parameters?.retry_after).toBeGreaterThan(50);
    clock.jump(2000);
    const answers = await Promise.all(Array.from({ length: 31 }, () => write(ROBIN)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(30);
    expect(telegram.floods.counts()).toEqual({ perChat: 0, perBot: 1, perGroup: 1, duringWait: 0 });
  });
});

describe("faults on demand", () => {
  const failing = (fault: object) =>
    opened().then(async (set) => {
      await set.control("faults", "POST", { method: "sendMessage", ...fault });
      return set;
    });

  it("answer with a status or a flood, so many times", async () => {
    const status = await failing({ type: "status", status: 503, times: 2 });
    expect((await status.text("a")).error_code).toBe(503);
    expect((await status.text("a")).error_code).toBe(503);
    expect((await status.text("a")).ok).toBe(true);
    const flood = await failing({ type: "flood", retryAfter: 7 });
    expect((await flood.text("a")).parameters?.retry_after).toBe(7);
    expect(await flood.text("a")).toMatchObject({ error_code: 429 });
    expect(flood.telegram.floods.counts().duringWait).toBe(1);
  });

  it("cut the connection before the call or after it, or never answer", async () => {
    const reset = await failing({ type: "reset" });
    await expect(reset.text("a")).rejects.toThrow();
    expect(reset.shown()).toHaveLength(1);
    const lost = await failing({ type: "lost" });
    await expect(lost.text("a")).rejects.toThrow();
    expect(lost.shown()).toHaveLength(2);
    const hung = await failing({ type: "hang" });
    const url = `${hung.origin}/bot${HARBOUR_BOT_TOKEN}/sendMessage?chat_id=${ROBIN}&text=a`;
    const stop = new AbortController();
    const asked = fetch(url, { signal: stop.signal }).catch((error: unknown) => error);
    await until(() => hung.shown().length === 2);
    stop.abort();
    expect(await asked).toBeInstanceOf(Error);
    const html = await failing({ type: "html" });
    await expect(html.text("a")).rejects.toThrow(/JSON/);
  });

  it("in the shared fields: before and after the call, for one bot only, with Telegram's own refusals", async () => {
    const refused = await failing({ status: 429, retryAfter: 3, description: "Too Many Requests", bot: HARBOUR });
    expect(await refused.text("a")).toEqual({
      ok: false,
      error_code: 429,
      description: "Too Many Requests",
      parameters: { retry_after: 3 },
    });
    expect(refused.shown()).toHaveLength(1);
    const after = await failing({ status: 404, body: "html", when: "after" });
    await expect(after.text("a")).rejects.toThrow(/JSON/);
    expect(after.shown()).toHaveLength(2);
    const other = await failing({ status: 500, bot: HARBOUR + 1 });
    expect((await other.text("a")).ok).toBe(true);
  });

  it("end when they are cleared", async () => {
    const { control, text } = await failing({ type: "status", probability: 1 });
    expect((await text("a")).ok).toBe(false);
    await control("faults", "DELETE");
    expect((await text("a")).ok).toBe(true);
  });
});
