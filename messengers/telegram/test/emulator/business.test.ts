import { describe, expect, it } from "vitest";
import { phoned } from "./phones.ts";
import { HARBOUR, kindsOf, ROBIN, WREN } from "./stage.ts";

describe("a deleted message", () => {
  it("of a business chat reaches the bot, whoever deleted it, several at once", async () => {
    const { ask, write, heard, business } = await phoned();
    const connection = await business();
    const [one, two] = [...(await write({ text: "one" }, WREN)), ...(await write({ text: "two" }, WREN))];
    const [hers] = await write({ text: "three" }, ROBIN, WREN);
    await heard();
    await ask("POST", `/${ROBIN}/chats/${WREN}/erase`, { ids: [one, two] });
    await ask("DELETE", `/${WREN}/chats/${ROBIN}/messages/${hers}`);
    const chat = { id: ROBIN, type: "private", first_name: "Robin", last_name: "Field", username: "robin_field" };
    expect((await heard()).map((each) => each.deleted_business_messages)).toEqual([
      { business_connection_id: connection, chat, message_ids: [one, two] },
      { business_connection_id: connection, chat, message_ids: [hers] },
    ]);
  });

  it("of the bot's own chat sends no update", async () => {
    const { ask, write, heard } = await phoned();
    const ids = await write({ text: "one" });
    await heard();
    await ask("POST", `/${ROBIN}/chats/${HARBOUR}/erase`, { ids });
    expect(await heard()).toEqual([]);
    await expect(ask("POST", `/${ROBIN}/chats/${HARBOUR}/erase`, { ids })).rejects.toThrow("404");
  });
});

describe("a business connection", () => {
  async function inBusiness(rights?: object) {
    const set = await phoned();
    const id = await set.business(rights);
    const [hers] = await set.write({ text: "Open?" }, WREN);
    const call = (method: string, more: object = {}) =>
      set.refusal(method, { business_connection_id: id, chat_id: ROBIN, text: "x", ...more });
    return { ...set, call, id, hers };
  }

  it("that does not exist, or is another bot's, is not found", async () => {
    const { call } = await inBusiness();
    expect(await call("sendMessage", { business_connection_id: "nothing" })).toBe(
      "400 Bad Request: business connection not found",
    );
  });

  it("is made, replaced and ended by the person, who has one chatbot at most", async () => {
    const { ask, heard } = await phoned();
    const choose = (bot: number | null) => ask("PUT", `/${WREN}/chatbot`, { bot });
    const lighthouse = HARBOUR + 1;
    expect(await ask("GET", `/${WREN}/chatbot`)).toEqual({ bot: null });
    await choose(HARBOUR);
    await choose(HARBOUR);
    await choose(lighthouse);
    await choose(HARBOUR);
    await choose(null);
    expect((await heard()).map((each) => each.business_connection)).toMatchObject(
      [true, false, true, false].map((is_enabled) => ({ is_enabled })),
    );
    expect(await ask("GET", `/${WREN}/chatbot`)).toEqual({ bot: null });
    await expect(choose(1)).rejects.toThrow("404");
  });

  it("that was disabled is invalid, and sends an update first", async () => {
    const { call, control, heard } = await inBusiness();
    await heard();
    await control("business", "POST", { bot: HARBOUR, owner: WREN, enabled: false });
    expect((await heard()).at(-1)?.business_connection).toMatchObject({ is_enabled: false });
    for (const method of ["sendMessage", "readBusinessMessage", "editMessageText"])
      expect(await call(method, { message_id: 1 })).toBe("400 Bad Request: BUSINESS_CONNECTION_INVALID");
    const erase = { message_ids: [1], chat_id: undefined, text: undefined };
    expect(await call("deleteBusinessMessages", erase)).toBe("400 Bad Request: BUSINESS_CONNECTION_INVALID");
  });

  it("without the right refuses the action", async () => {
    const { call, hers } = await inBusiness({ can_read_messages: false });
    expect(await call("sendMessage")).toBe("400 Bad Request: BOT_ACCESS_FORBIDDEN");
    expect(await call("readBusinessMessage", { message_id: hers })).toBe("400 Bad Request: BOT_ACCESS_FORBIDDEN");
    expect(await call("deleteBusinessMessages", { message_ids: [hers] })).toBe("400 Bad Request: BOT_ACCESS_FORBIDDEN");
  });

  it("lets the bot delete what it may", async () => {
    const { call, hers, id, control, heard } = await inBusiness({ can_reply: true, can_delete_sent_messages: true });
    const erase = () => call("deleteBusinessMessages", { message_ids: [hers] });
    expect(await erase()).toBe("400 Bad Request: BOT_ACCESS_FORBIDDEN");
    await control("business", "POST", { bot: HARBOUR, owner: WREN, rights: { can_delete_all_messages: true } });
    await heard();
    expect(await erase()).toBe("it was carried out");
    expect((await heard())[0]?.deleted_business_messages).toMatchObject({
      business_connection_id: id,
      message_ids: [hers],
    });
  });

  it("reaches only people who wrote within a day", async () => {
    const { call, clock, people } = { ...(await inBusiness()), people: [WREN, HARBOUR, -5] };
    expect(await Promise.all(people.map((chat_id) => call("sendMessage", { chat_id })))).toEqual([
      "400 Bad Request: messages must not be sent to self",
      "400 Bad Request: BUSINESS_PEER_INVALID",
      "400 Bad Request: chat must be a private chat",
    ]);
    clock.jump(24 * 3_600_000 + 1000);
    expect(await call("sendMessage")).toBe("400 Bad Request: BUSINESS_PEER_USAGE_MISSING");
  });

  it("sends an update with its rights", async () => {
    const { heard, business, control } = await phoned();
    const id = await business({ can_reply: true });
    await control("business", "POST", { bot: HARBOUR, owner: WREN, enabled: false });
    const received = await heard();
    expect(kindsOf(received)).toEqual(["business_connection", "business_connection"]);
    expect(received[0]?.business_connection).toMatchObject({
      id,
      user: { id: WREN },
      user_chat_id: WREN,
      rights: { can_reply: true },
      is_enabled: true,
    });
  });
});
