import { createExplain } from "gangway-messenger/explanations";
import type { ChatId } from "gangway-messenger/ids";
import type { TemplateUse } from "gangway-messenger/message";
import type { TemplateDraft } from "gangway-messenger/template";
import { describe, expect, it } from "vitest";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import { ACCOUNT_ID, TOKEN } from "../../emulator/seed.ts";
import whatsapp from "../../src/index.ts";
import { shapeOf } from "../../src/templates/shapes.ts";
import { wireTemplate } from "../../src/templates/wire.ts";
import { fresh, refusalOf, staged } from "../unit/stage.ts";

const CHAT = "15550100042" as ChatId;
const BODY = { type: "BODY", text: "A spring offer for you" };

/** A merchant makes the template in WhatsApp Manager, then the list is read. */
async function madeAtMeta(template: object) {
  const stage = await staged();
  const { emulator, session, network, core, world } = stage;
  const { templates } = session;
  if (!templates) throw new Error("there are no templates");
  const whole = { name: "spring", language: "en_US", category: "MARKETING", components: [BODY], ...template };
  const made = await emulator.site.request(`/v23.0/${ACCOUNT_ID}/message_templates`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(whole),
  });
  expect(await made.json()).toHaveProperty("id");
  await network.idle();
  const read = async () => {
    const found = (await templates.list(fresh())).find(({ name }) => name === whole.name);
    if (!found) throw new Error("it is not listed");
    return found;
  };
  const send = async (use: Partial<TemplateUse>) => {
    const [step] = stage.stepsOf({ type: "text", text: "for readers" });
    if (!step) throw new Error("a text is a step");
    const template = { code: "spring|en_US", body: [], buttons: [], ...use };
    return session.send({ ...step, template }, { chat: CHAT, key: crypto.randomUUID() }, fresh());
  };
  /** Components of the last message, as Meta gets them. */
  const sent = () => {
    const calls = core.journal.entries().filter(({ operation }) => operation === "sendMessage");
    return (calls.at(-1)?.request as { template?: { components?: object[] } } | undefined)?.template?.components;
  };
  const stored = () => {
    const account = world.accounts.get(ACCOUNT_ID);
    return [...(account?.templates.values() ?? [])].find(({ name }) => name === whole.name)?.components;
  };
  const calls = (operation: string) => core.journal.entries().filter((each) => each.operation === operation).length;
  return { ...stage, templates, listed: await read(), read, send, sent, stored, calls };
}

const NAMED = {
  parameter_format: "NAMED",
  components: [
    {
      type: "HEADER",
      format: "TEXT",
      text: "Order {{order_no}}",
      example: { header_text_named_params: [{ param_name: "order_no", example: "7" }] },
    },
    {
      type: "BODY",
      text: "Hello {{first_name}}, come on {{day}}, {{first_name}}!",
      example: {
        body_text_named_params: [
          { param_name: "day", example: "Monday" },
          { param_name: "first_name", example: "Ann" },
        ],
      },
    },
    {
      type: "BUTTONS",
      buttons: [{ type: "URL", text: "Track", url: "https://shop.example/{{1}}", example: ["https://shop.example/a"] }],
    },
  ],
};
const USE: Partial<TemplateUse> = {
  header: { type: "text", values: ["8"], files: [] },
  body: ["Robin", "Friday"],
  buttons: [{ type: "url", title: "Track", values: ["abc"] }],
};

describe("a template whose variables have names", () => {
  it("has numbers at the gateway, and its names at Meta", async () => {
    const { listed, send, sent, last, network } = await madeAtMeta(NAMED);
    expect(listed).toMatchObject({
      status: "approved",
      header: { type: "text", text: "Order {{1}}" },
      body: "Hello {{1}}, come on {{2}}, {{1}}!",
      examples: { header: ["7"], body: ["Ann", "Monday"], buttons: [["a"]] },
    });
    expect(listed.unusable).toBeUndefined();
    await send(USE);
    await network.idle();
    expect(last()).toMatchObject({
      status: "delivered",
      content: { text: { body: "Order 8\nHello Robin, come on Friday, Robin!" } },
    });
    expect(sent()).toEqual([
      { type: "header", parameters: [{ type: "text", parameter_name: "order_no", text: "8" }] },
      {
        type: "body",
        parameters: [
          { type: "text", parameter_name: "first_name", text: "Robin" },
          { type: "text", parameter_name: "day", text: "Friday" },
        ],
      },
      { type: "button", sub_type: "url", index: "0", parameters: [{ type: "text", text: "abc" }] },
    ]);
  });

  it("keeps them when an agent changes its words; a variable of the agent's gets a name of its own", async () => {
    const { templates, listed, stored, read } = await madeAtMeta(NAMED);
    const draft: TemplateDraft = {
      ...listed,
      body: "On {{2}}, {{1}}, bring {{3}} along.",
      examples: { ...listed.examples, body: ["Ann", "Monday", "rope"] },
    };
    await templates.edit(listed.code, draft, fresh());
    expect(stored()).toMatchObject([
      { type: "HEADER", text: "Order {{order_no}}" },
      {
        text: "On {{day}}, {{first_name}}, bring {{variable_1}} along.",
        example: {
          body_text_named_params: [
            { param_name: "first_name", example: "Ann" },
            { param_name: "day", example: "Monday" },
            { param_name: "variable_1", example: "rope" },
          ],
        },
      },
      { type: "BUTTONS" },
    ]);
    expect(await read()).toMatchObject({
      body: "On {{1}}, {{2}}, bring {{3}} along.",
      examples: { body: ["Monday", "Ann", "rope"] },
    });
  });

  it("is told by its variables where the list says nothing of the format, as 360dialog's may", () => {
    const { parameter_format: _, ...silent } = NAMED;
    const listed = wireTemplate.parse({ ...silent, id: 1, name: "spring", language: "en_US" });
    expect(shapeOf(listed)).toEqual({ header: ["order_no"], body: ["first_name", "day"] });
  });
});

const FLOW = { type: "FLOW", text: "Book", flow_id: "1" };
const CALL = { type: "VOICE_CALL", text: "Call us" };
const REPLY = { type: "QUICK_REPLY", text: "Thanks" };
const LINK = { type: "URL", text: "Shop", url: "https://shop.example/{{1}}", example: ["https://shop.example/a"] };

describe("a template with buttons that the gateway does not know", () => {
  it("is sent with each value at its button, and with its flow", async () => {
    const { listed, send, sent, last, network } = await madeAtMeta({
      components: [BODY, { type: "BUTTONS", buttons: [FLOW, REPLY, CALL, LINK] }],
    });
    expect(listed.unusable).toBeUndefined();
    expect(listed.buttons.map(({ title }) => title)).toEqual(["Thanks", "Shop"]);
    await send({
      buttons: [
        { type: "plain", title: "Thanks", values: ["thanks"] },
        { type: "url", title: "Shop", values: ["ropes"] },
      ],
    });
    await network.idle();
    expect(last().status).toBe("delivered");
    expect(sent()).toEqual([
      { type: "button", sub_type: "flow", index: "0" },
      { type: "button", sub_type: "quick_reply", index: "1", parameters: [{ type: "payload", payload: "thanks" }] },
      { type: "button", sub_type: "url", index: "3", parameters: [{ type: "text", text: "ropes" }] },
    ]);
  });

  it("does not lose them by an agent's change", async () => {
    const { templates, listed, calls } = await madeAtMeta({
      components: [BODY, { type: "BUTTONS", buttons: [CALL, REPLY] }],
    });
    const error = await refusalOf(templates.edit(listed.code, { ...listed, body: "Another text" }, fresh()));
    expect(error.message).toBe("the CRM does not know all parts of this template: change it in WhatsApp Manager");
    expect(calls("editTemplate")).toBe(0);
  });
});

describe("a template that needs what the CRM's chats cannot give", () => {
  const explain = createExplain([...(whatsapp.explanations ?? []), ...COMMON_EXPLANATIONS]);
  const buttons = (...list: object[]) => [BODY, { type: "BUTTONS", buttons: list }];

  it.each([
    ["a code to copy", buttons({ type: "COPY_CODE", example: "25OFF" }), /cannot fill in the code/],
    ["a catalogue", buttons({ type: "CATALOG", text: "View" }), /cannot name products/],
    ["an order", buttons({ type: "ORDER_DETAILS", text: "Pay" }), /kind of button \(ORDER_DETAILS\)/],
    ["a place", [{ type: "HEADER", format: "LOCATION" }, BODY], /cannot give the place/],
    ["a product", [{ type: "HEADER", format: "PRODUCT" }, BODY], /what stands above its text \(PRODUCT\)/],
    ["a carousel", [BODY, { type: "CAROUSEL", cards: [{ components: [] }] }], /cards of its carousel/],
    [
      "an offer that ends",
      [BODY, { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Now", has_expiration: true } }],
      /when its offer ends/,
    ],
  ])("(%s) says so in each language, and is refused before any call", async (_, components, words) => {
    const { listed, send, templates, calls } = await madeAtMeta({ components });
    const { unusable = "" } = listed;
    expect(unusable).toMatch(words);
    const told = ["en", "es", "ru"].map((language) => explain(unusable, language as "en"));
    expect(new Set(told).size).toBe(3);
    const error = await refusalOf(send({}));
    expect(error.verdict).toEqual({ type: "reject", code: "general" });
    expect(error.message).toBe(`this template cannot be sent from the CRM: ${unusable}`);
    expect(explain(error.message, "ru")).toContain(told[2]);
    await refusalOf(templates.edit(listed.code, listed, fresh()));
    expect([calls("sendMessage"), calls("editTemplate")]).toEqual([0, 0]);
  });

  it("(parts of tomorrow) is none that an agent could send by mistake", async () => {
    const { world, read } = await madeAtMeta({});
    const stored = [...(world.accounts.get(ACCOUNT_ID)?.templates.values() ?? [])].find(
      ({ name }) => name === "spring",
    );
    if (!stored) throw new Error("there is no template");
    stored.components.push({ type: "HOLOGRAM" } as never);
    expect((await read()).unusable).toBe("the CRM's chats do not know its part HOLOGRAM");
    stored.components.push({ type: 7 } as never);
    expect((await read()).unusable).toBe("the CRM's chats do not know its parts");
  });
});

describe("an authentication template", () => {
  const CODE = {
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 10 },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ],
  };

  it("goes with its code in the text and in the button", async () => {
    const { listed, send, network, last } = await madeAtMeta(CODE);
    expect(listed).toMatchObject({ category: "authentication", buttons: [{ type: "url", title: "Copy code" }] });
    await send({ body: ["482913"], buttons: [{ type: "url", title: "Copy code", values: ["482913"] }] });
    await network.idle();
    expect(last()).toMatchObject({ status: "delivered", content: { text: { body: /^\*482913\* is your/ } } });
    expect(JSON.stringify(last().content)).toContain("code=otp482913");
  });

  it("is made and changed at Meta only, which writes its words", async () => {
    const { templates, listed, calls } = await madeAtMeta(CODE);
    const before = calls("createTemplate");
    for (const act of [templates.create(listed, fresh()), templates.edit(listed.code, listed, fresh())])
      expect((await refusalOf(act)).message).toMatch(/^WhatsApp writes the text of authentication templates itself/);
    expect([calls("createTemplate") - before, calls("editTemplate")]).toEqual([0, 0]);
  });
});
