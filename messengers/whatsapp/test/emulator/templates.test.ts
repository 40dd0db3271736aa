import { describe, expect, it } from "vitest";
import { ACCOUNT_ID } from "../../emulator/seed.ts";
import { TEMPLATE } from "./scene.ts";
import { opened } from "./stage.ts";

const PATH = `${ACCOUNT_ID}/message_templates`;
const body = (text: string, example?: string[]) => [
  { type: "BODY", text, ...(example && { example: { body_text: [example] } }) },
];

const buttons = (...list: object[]) => ({ type: "BUTTONS", buttons: list });
const LINK = { type: "URL", text: "Shop", url: "https://shop.example/{{1}}", example: ["https://shop.example/a"] };

describe("a template", () => {
  it("waits for its review, by hand or at once, and may be rejected with reason and advice", async () => {
    const { network, ask, control, values, idle } = await opened();
    network.switches.set({ review: "hand" });
    const { id, status } = (await ask("POST", PATH, TEMPLATE)).body;
    expect(status).toBe("PENDING");
    await idle();
    expect(values("message_template_status_update")).toEqual([]);
    await control("POST", `templates/${id}/review`, {
      event: "REJECTED",
      reason: "ABUSIVE_CONTENT",
      recommendation: "Be kind",
    });
    expect(values("message_template_status_update")).toMatchObject([
      {
        event: "REJECTED",
        reason: "ABUSIVE_CONTENT",
        rejection_info: { recommendation: "Be kind" },
        message_template_id: Number(id),
      },
    ]);
    expect((await ask("GET", `${id}?fields=status,rejected_reason`)).body).toEqual({
      id,
      status: "REJECTED",
      rejected_reason: "ABUSIVE_CONTENT",
    });
    network.switches.set({ review: "now" });
    expect((await ask("POST", id, { components: TEMPLATE.components })).body).toEqual({ success: true });
    await idle();
    expect(values("message_template_status_update").at(-1)).toMatchObject({ event: "APPROVED", reason: "NONE" });
  });

  it.each([
    ["a bad name", { name: "Order Ready" }, 2388019],
    ["no body", { components: [{ type: "FOOTER", text: "x" }] }, 2388072],
    ["a variable without example", { components: body("Hello {{1}}, bye") }, 2388043],
    ["a variable at the end", { components: body("Hello {{1}}", ["Robin"]) }, 2388299],
    ["variables out of order", { components: body("Hello {{2}} and {{1}} there", ["a", "b"]) }, 2388049],
    ["a broken variable", { components: body("Hello {{first name}} there") }, 2388049],
    [
      "a footer with a variable",
      { components: [...body("Hello"), { type: "FOOTER", text: "by {{1}} today" }] },
      2388073,
    ],
    [
      "a button's address with two variables",
      { components: [...body("Hello"), buttons({ ...LINK, url: "https://shop.example/{{1}}/{{2}}" })] },
      2388072,
    ],
    ["a code to copy without example", { components: [...body("Hello"), buttons({ type: "copy_code" })] }, 2388043],
    ["words of one's own for a code", { category: "AUTHENTICATION" }, 2388072],
    ["a picture without sample", { components: [{ type: "HEADER", format: "IMAGE" }, ...body("Hello")] }, 2388273],
  ])("with %s is refused, with words for people", async (_, change, subcode) => {
    const { ask } = await opened();
    const { status, body: answer } = await ask("POST", PATH, { ...TEMPLATE, ...change });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: 100, error_subcode: subcode, error_user_msg: expect.any(String) });
  });

  it("is one a name and language; all languages of a name go together, or one by id", async () => {
    const { ask } = await opened();
    await ask("POST", PATH, TEMPLATE);
    expect((await ask("POST", PATH, TEMPLATE)).body.error.error_subcode).toBe(2388024);
    const es = (await ask("POST", PATH, { ...TEMPLATE, language: "es" })).body.id;
    await ask("DELETE", `${PATH}?name=${TEMPLATE.name}&hsm_id=${es}`);
    expect((await ask("GET", PATH)).body.data).toHaveLength(1);
    await ask("DELETE", `${PATH}?name=${TEMPLATE.name}`);
    expect((await ask("GET", PATH)).body.data).toEqual([]);
    expect((await ask("DELETE", `${PATH}?name=${TEMPLATE.name}`)).body.error.error_subcode).toBe(2593002);
  });

  it("is listed by pages", async () => {
    const { ask } = await opened();
    for (const n of [1, 2, 3, 4, 5]) await ask("POST", PATH, { ...TEMPLATE, name: `t_${n}` });
    const names: string[] = [];
    let query = "limit=2&fields=name";
    for (let n = 0; n < 3; n++) {
      const { data, paging } = (await ask("GET", `${PATH}?${query}`)).body;
      names.push(...data.map(({ name }: { name: string }) => name));
      query = paging.next ? new URL(paging.next).search.slice(1) : "";
      expect(query === "").toBe(n === 2);
    }
    expect(names).toEqual(["t_1", "t_2", "t_3", "t_4", "t_5"]);
    expect((await ask("GET", `${PATH}?status=REJECTED`)).body.data).toEqual([]);
    expect((await ask("GET", `${PATH}?fields=mood`)).body.error.code).toBe(100);
  });

  it("cannot be sent while it is paused or disabled, or with other values than it has", async () => {
    const { ask, control, send, idle } = await opened();
    const { id } = (await ask("POST", PATH, TEMPLATE)).body;
    await idle();
    const sent = (components: object[] = [{ type: "body", parameters: [{ type: "text", text: "Robin" }] }]) =>
      send({ type: "template", template: { name: TEMPLATE.name, language: { code: TEMPLATE.language }, components } });
    expect((await sent()).body.messages[0].message_status).toBe("accepted");
    expect((await sent([])).body.error).toMatchObject({ code: 132000 });
    expect((await sent([{ type: "body", parameters: [{ type: "text", text: "a\nb" }] }])).body.error.code).toBe(132018);
    for (const [event, code] of [
      ["PAUSED", 132015],
      ["DISABLED", 132016],
      ["REJECTED", 132001],
    ] as const) {
      await control("POST", `templates/${id}/review`, { event });
      expect((await sent()).body.error.code).toBe(code);
    }
  });

  it("whose variables have names is sent with each name", async () => {
    const { ask, send, idle } = await opened();
    const [text, first, day] = ["Hello {{first}}, come on {{day}}, please", "first", "day"];
    const example = { body_text_named_params: [first, day].map((param_name) => ({ param_name, example: "x" })) };
    const components = [{ type: "BODY", text, example }];
    await ask("POST", PATH, { ...TEMPLATE, parameter_format: "named", components });
    await idle();
    const sent = (...names: (string | undefined)[]) => {
      const parameters = names.map((parameter_name) => ({ type: "text", parameter_name, text: "x" }));
      const template = { name: TEMPLATE.name, language: { code: TEMPLATE.language } };
      return send({ type: "template", template: { ...template, components: [{ type: "body", parameters }] } });
    };
    expect((await sent(day, first)).body.messages[0].message_status).toBe("accepted");
    expect((await sent(first)).body.error.code).toBe(132000);
    for (const names of [
      [undefined, undefined],
      [first, "night"],
      [first, first],
    ])
      expect((await sent(...names)).body.error).toMatchObject({
        code: 100,
        error_data: { details: "Parameter name is missing or empty" },
      });
  });

  it.each([
    [
      "a code to copy",
      [{ type: "COPY_CODE", example: "25OFF" }],
      131008,
      /index 0 of type copy_code requires a non-empty/,
    ],
    ["a link with a variable", [LINK], 131008, /^buttons: Button at index 0 of type Url requires a parameter$/],
    ["a form", [{ type: "FLOW", text: "Book" }], 131009, /./],
    ["a catalogue", [{ type: "CATALOG", text: "View" }], 131008, /Catalog requires a parameter/],
  ])("with a button (%s) is refused without what it needs", async (_, list, code, details) => {
    const { ask, send, idle } = await opened();
    await ask("POST", PATH, { ...TEMPLATE, components: [...body("Hello"), buttons(...list)] });
    await idle();
    const template = { name: TEMPLATE.name, language: { code: TEMPLATE.language } };
    const { error } = (await send({ type: "template", template })).body;
    expect(error).toMatchObject({ code, error_data: { details: expect.stringMatching(details) } });
    const wrong = { type: "button", sub_type: "quick_reply", index: 0, parameters: [] };
    const other = await send({ type: "template", template: { ...template, components: [wrong] } });
    expect(other.body.error.code).toBe(132018);
  });

  it("of cards, or of an offer that ends, is refused without them", async () => {
    const { ask, send, idle } = await opened();
    const offer = { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Now", has_expiration: true } };
    const cards = { type: "CAROUSEL", cards: [{ components: [] }] };
    for (const [n, part] of [offer, cards].entries())
      await ask("POST", PATH, { ...TEMPLATE, name: `t_${n}`, components: [...body("Hello"), part] });
    await idle();
    const sent = async (name: string, components: object[]) =>
      (await send({ type: "template", template: { name, language: { code: TEMPLATE.language }, components } })).body;
    const until = { type: "limited_time_offer", limited_time_offer: { expiration_time_ms: 1 } };
    for (const [name, given] of [
      ["t_0", { type: "limited_time_offer", parameters: [until] }],
      ["t_1", { type: "carousel", cards: [{ card_index: 0 }] }],
    ] as const) {
      expect((await sent(name, [])).error.code).toBe(132012);
      expect((await sent(name, [given])).messages).toHaveLength(1);
    }
  });

  it("for codes gets Meta's words, and a link in place of its button", async () => {
    const { ask } = await opened();
    const components = [
      { type: "body", add_security_recommendation: true },
      { type: "footer", code_expiration_minutes: 5 },
      buttons({ type: "otp", otp_type: "copy_code" }),
    ];
    await ask("POST", PATH, { ...TEMPLATE, category: "authentication", components });
    expect((await ask("GET", PATH)).body.data[0].components).toMatchObject([
      { text: "*{{1}}* is your verification code. For your security, do not share this code." },
      { text: "This code expires in 5 minutes." },
      { buttons: [{ type: "URL", text: "Copy code", url: expect.stringMatching(/code=otp\{\{1\}\}$/) }] },
    ]);
  });

  it("changes its quality and category with a webhook", async () => {
    const { ask, control, values, idle } = await opened();
    const { id } = (await ask("POST", PATH, TEMPLATE)).body;
    await idle();
    await control("POST", `templates/${id}/quality`, { quality: "RED" });
    await control("POST", `templates/${id}/category`, { category: "MARKETING" });
    expect(values("message_template_quality_update")).toMatchObject([
      { previous_quality_score: "UNKNOWN", new_quality_score: "RED" },
    ]);
    expect(values("template_category_update")).toMatchObject([
      { previous_category: "UTILITY", new_category: "MARKETING" },
    ]);
  });
});
