import { describe, expect, it } from "vitest";
import { parseWebhook } from "../../../src/gateway/webhook.ts";

const place = { channel_id: 7, external_chat_id: "chat", external_user_id: "user" };
const target = { ...place, external_message_id: "m1" };
const hook = (type: string, data: unknown, timestamp = 1) => JSON.stringify({ type, meta: { timestamp }, data });
const sent = {
  ...place,
  id: 5,
  type: "text",
  content: "hi",
  quote_content: null,
  quote_external_id: null,
};
const parse = (raw: string) => {
  const parsed = parseWebhook(raw);
  return parsed.type === "act" ? { channel: parsed.gatewayChannelId, key: parsed.key, act: parsed.act } : parsed;
};

describe("a webhook of the gateway", () => {
  it("message_sent becomes a message, its id kept digit by digit", () => {
    const raw = hook("message_sent", sent).replace(/"id":\d+/, '"id":900719925474099313');
    expect(parse(raw)).toMatchObject({
      channel: "7",
      key: "sent:900719925474099313",
      act: {
        type: "message",
        gatewayMessageId: "900719925474099313",
        chat: "chat",
        content: { type: "text", text: "hi" },
      },
    });
  });

  it("may have its data as a text of JSON, and is the same event then", () => {
    const long = JSON.stringify(sent).replace(/"id":\d+/, '"id":900719925474099313');
    const raw = hook("message_sent", long);
    expect(parse(raw)).toMatchObject({
      key: "sent:900719925474099313",
      act: { content: { type: "text", text: "hi" } },
    });
    expect(parse(raw)).toEqual(parse(`{"type":"message_sent","meta":{"timestamp":1},"data":${long}}`));
    for (const data of ["no JSON", "[".repeat(100)])
      expect(parse(hook("message_sent", data))).toMatchObject({ type: "malformed", path: "data" });
  });

  it("carries files, quote, suggestions and author", () => {
    const items = [{ id: "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11", caption: "a", size: 3 }];
    const attachments = { suggestions: [{ type: "text", title: "Yes" }] };
    const user = { id: 1, first_name: "Ann", last_name: "Lee", avatar: "" };
    const data = { ...sent, type: "image", items, attachments, user, quote_external_id: "q", quote_content: "old" };
    expect(parse(hook("message_sent", data))).toMatchObject({
      act: {
        content: { type: "image", note: "hi", files: [{ file: { at: "gateway", id: items[0]?.id }, caption: "a" }] },
        quote: { messengerMessageId: "q", text: "old" },
        suggestions: [{ type: "text", title: "Yes" }],
        author: { name: "Ann Lee", bot: false },
      },
    });
  });

  it.each([
    [
      "message_updated",
      { ...target, content: "new", type: "text" },
      { type: "edited", content: { type: "text", text: "new" } },
    ],
    ["message_deleted", target, { type: "deleted", messengerMessageId: "m1" }],
    ["message_read", target, { type: "read", messengerMessageId: "m1" }],
    ["reaction_add", { ...target, all_reactions: [], new_reaction: "👍" }, { type: "reaction", reaction: "👍" }],
    ["reaction_delete", { ...target, all_reactions: [] }, { type: "reaction", reaction: null }],
  ])("%s becomes an act on that message", (type, data, act) => {
    expect(parse(hook(type, data))).toMatchObject({ channel: "7", act });
  });

  it("has the same key exactly when the gateway repeats it", () => {
    const key = (content: string, timestamp: number) =>
      (parse(hook("message_updated", { ...target, content, type: "text" }, timestamp)) as { key: string }).key;
    expect(key("a", 1)).toBe(key("a", 1));
    expect(new Set([key("a", 1), key("b", 1), key("a", 2)]).size).toBe(3);
  });

  it.each(["message_deleted", "message_read", "reaction_delete"])(
    "%s has another key in another chat, where the messenger may count from one again",
    (type) => {
      const key = (chat: string) => (parse(hook(type, { ...target, external_chat_id: chat })) as { key: string }).key;
      expect(key("a")).not.toBe(key("b"));
    },
  );

  it.each(["1763683200", "1763683200000", "1763683200000000", "1763683200000000000"])(
    "may tell its time in any unit: %s",
    (timestamp) => {
      const raw = hook("message_deleted", target).replace('"timestamp":1', `"timestamp":${timestamp}`);
      expect(parseWebhook(raw).type).toBe("act");
    },
  );

  it("may have buttons without a type, and numbers as long as an id", () => {
    const attachments = { suggestions: [{ title: "Yes" }, { type: null, title: "No" }] };
    const product = { id: 5, name: "Lamp", cost: { value: 5, currency: "EUR" } };
    const raw = hook("message_sent", { ...sent, type: "product", attachments, product });
    expect(parse(raw.replace('"product":{"id":5', '"product":{"id":1234567890123456'))).toMatchObject({
      act: {
        content: { type: "product", product: { id: 1234567890123456, cost: { value: 5, currency: "EUR" } } },
        suggestions: [
          { type: "text", title: "Yes" },
          { type: "text", title: "No" },
        ],
      },
    });
  });

  it.each(["system", "command"])(
    "of the type %s carries its text, and without one nothing can be delivered",
    (type) => {
      expect(parse(hook("message_sent", { ...sent, type }))).toMatchObject({ act: { content: { type: "text" } } });
      expect(parseWebhook(hook("message_sent", { ...sent, type, content: null })).type).toBe("unsupported");
    },
  );

  const words = { channel_id: 7, name: "Order ready", body: "Hello {{1}}", lang: "en", category: "utility" };

  it.each([
    ["template_create", words, { do: "create", draft: { name: "Order ready", language: "en", body: "Hello {{1}}" } }],
    ["template_update", { ...words, code: "a#en" }, { do: "edit", code: "a#en", draft: { body: "Hello {{1}}" } }],
    ["template_delete", { ...words, code: "a#en" }, { do: "delete", code: "a#en" }],
    ["template_delete", { channel_id: 7, code: "a#en", lang: "en" }, { do: "delete", code: "a#en" }],
  ])("%s becomes an act on a template, known again when it is repeated", (type, data, act) => {
    const [first, again] = [parse(hook(type, data)), parse(hook(type, data))];
    expect(first).toMatchObject({ type: "template", gatewayChannelId: "7", act });
    expect(again).toEqual(first);
    expect(parse(hook(type, data, 2))).not.toEqual(first);
  });

  it("template_create carries header, footer, buttons and examples", () => {
    const id = "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11";
    const data = {
      ...{ ...words, header: { content: { type: "image" } }, footer: "The shop" },
      buttons: { items: [{ type: "url", label: "Track", url: "https://shop.example/{{1}}" }, { label: "Thanks" }] },
      example: { body: ["Ann"], buttons: [["7"]], attachments: [{ id, caption: "rope" }], header: null },
    };
    expect(parse(hook("template_create", data))).toMatchObject({
      act: {
        draft: {
          ...{ header: { type: "image" }, footer: "The shop" },
          buttons: [
            { type: "url", title: "Track", url: "https://shop.example/{{1}}" },
            { type: "plain", title: "Thanks" },
          ],
          examples: { body: ["Ann"], buttons: [["7"]], files: [{ file: { at: "gateway", id }, caption: "rope" }] },
        },
      },
    });
  });

  it("carries a template with its values, by which a message without a text can be delivered", () => {
    const id = "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11";
    const variables = {
      header: { type: "document", args: [], attachments: [{ id }] },
      body: { args: ["Ann"] },
      buttons: [{ type: "url", title: "Track", args: ["7"] }, { type: "plain" }],
    };
    const template = { code: "a#en", category: "utility", args: ["old"], variables };
    expect(parse(hook("message_sent", { ...sent, content: null, template }))).toMatchObject({
      act: {
        content: { type: "text", text: "" },
        template: {
          ...{ code: "a#en", category: "utility", body: ["Ann"] },
          header: { type: "document", values: [], files: [{ file: { at: "gateway", id } }] },
          buttons: [
            { type: "url", title: "Track", values: ["7"] },
            { type: "plain", title: "", values: [] },
          ],
        },
      },
    });
    const older = parse(hook("message_sent", { ...sent, template: { code: "a", args: ["Ann"] } }));
    expect(older).toMatchObject({ act: { template: { code: "a", body: ["Ann"], buttons: [] } } });
    const unnamed = parse(hook("message_sent", { ...sent, template: { args: ["Ann"] } }));
    expect(unnamed).not.toHaveProperty("act.template");
  });

  it("of an unknown type differs from a malformed one", () => {
    expect(parse(hook("message_sung", {}))).toEqual({ type: "unknown-type", name: "message_sung" });
    expect(parse("{")).toMatchObject({ type: "malformed", path: "(body)" });
    expect(parse("[]")).toMatchObject({ type: "malformed" });
    expect(parse(hook("message_sent", { ...sent, channel_id: "x" }))).toMatchObject({
      type: "malformed",
      path: "data.channel_id",
    });
    expect(parse(JSON.stringify({ type: "message_read", data: target }))).toMatchObject({
      type: "malformed",
      path: "meta",
    });
  });

  it.each([
    ["a chat without a name", { external_chat_id: "" }, "external_chat_id"],
    ["a chat of half a character", { external_chat_id: "\ud800" }, "external_chat_id"],
    ["a message id that was never ours", { external_message_id: "x".repeat(256) }, "external_message_id"],
    ["a channel beyond 64 bits", { channel_id: "9".repeat(20) }, "channel_id"],
  ])("that names %s is refused, and names the field", (_, change, field) => {
    expect(parse(hook("message_read", { ...target, ...change }))).toMatchObject({
      type: "malformed",
      path: `data.${field}`,
    });
  });

  it("with keys that would pollute prototypes changes nothing", () => {
    parse(
      hook("message_sent", sent).replace(
        "{",
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
      ),
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
