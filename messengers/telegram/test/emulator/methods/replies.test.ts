import { describe, expect, it } from "vitest";
import { HARBOUR, opened, ROBIN, WREN } from "../stage.ts";

describe("a reply", () => {
  it("uses the older parameter if the newer one is absent", async () => {
    const { text, telegram } = await opened();
    expect((await text("a", { reply_to_message_id: 1 })).result.reply_to_message).toMatchObject({ text: "hello" });
    const both = { reply_to_message_id: 999, reply_parameters: { message_id: 1 } };
    expect((await text("a", both)).result.reply_to_message?.message_id).toBe(1);
    expect((await text("a", { reply_to_message_id: 999 })).description).toBe(
      "Bad Request: message to be replied not found",
    );
    const anyway = { reply_to_message_id: 999, allow_sending_without_reply: true };
    expect((await text("a", anyway)).result.reply_to_message).toBeUndefined();
    expect(telegram.calls.list().faults).toBe(0);
  });

  it("is refused when it cannot be read", async () => {
    const { refusal } = await opened();
    const send = async (reply_parameters: unknown) =>
      (await refusal("sendMessage", { chat_id: ROBIN, text: "x", reply_parameters })).replace("400 Bad Request: ", "");
    expect(await send("{")).toBe("can't parse reply parameters JSON object");
    expect(await send([])).toBe("object expected as reply parameters");
    expect(await send({ message_id: [] })).toBe('field "message_id" must be of type Number');
    expect(await send({ message_id: 1, quote: "<b>", quote_parse_mode: "HTML" })).toBe(
      "can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    );
  });

  it("quotes a part with its formatting, nearest to the given position", async () => {
    const { text, phone } = await opened();
    const marks = [{ type: "bold", offset: 4, length: 3 }];
    const [id = 0] = phone.send(ROBIN, HARBOUR, { text: "one two one two", marks });
    const reply = (parameters: object) => text("x", { reply_parameters: { message_id: id, ...parameters } });
    expect((await reply({ quote: "one", quote_position: 7 })).result.quote).toEqual({
      text: "one",
      position: 8,
      is_manual: true,
    });
    expect((await reply({ quote: "*two*", quote_parse_mode: "MarkdownV2" })).result.quote).toMatchObject({
      position: 4,
      entities: [{ type: "bold", offset: 0, length: 3 }],
    });
    expect((await reply({ quote: "two" })).result.quote?.position).toBe(12);
    expect((await reply({ quote: "three" })).description).toBe("Bad Request: QUOTE_TEXT_INVALID");
    expect((await reply({ quote: "*one*", quote_parse_mode: "MarkdownV2" })).description).toBe(
      "Bad Request: QUOTE_TEXT_INVALID",
    );
  });

  it("to a message of another chat shows its origin", async () => {
    const { text, phone, control } = await opened();
    const [id = 0] = phone.send(WREN, HARBOUR, { text: "from Wren" });
    const elsewhere = { reply_parameters: { message_id: id, chat_id: WREN } };
    expect((await text("x", elsewhere)).result).toMatchObject({
      external_reply: { origin: { type: "user", sender_user: { id: WREN } } },
    });
    await control(`people/${WREN}`, "POST", { hidesForwards: true });
    expect((await text("x", elsewhere)).result.external_reply?.origin).toMatchObject({
      type: "hidden_user",
      sender_user_name: "Wren",
    });
    expect((await text("x", { reply_parameters: { message_id: 1, chat_id: 5 } })).description).toBe(
      "Bad Request: chat not found",
    );
  });

  it("is checked after the text and before the chat's own refusals", async () => {
    const { refusal } = await opened();
    const send = (more: object) => refusal("sendMessage", { chat_id: 5, ...more });
    expect(await send({ text: "*", parse_mode: "Markdown" })).toContain("can't parse entities");
    expect(await send({ text: "x", reply_markup: 5 })).toContain("object expected as reply markup");
    expect(await send({ text: "x" })).toBe("400 Bad Request: chat not found");
  });
});
