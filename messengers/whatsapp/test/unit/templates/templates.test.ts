import type { ChatId } from "gangway-messenger/ids";
import type { Templates } from "gangway-messenger/port";
import type { TemplateDraft } from "gangway-messenger/template";
import { describe, expect, it } from "vitest";
import { ACCOUNT_ID } from "../../../emulator/seed.ts";
import { rate, review } from "../../../emulator/templates.ts";
import { fresh, refusalOf, staged } from "../stage.ts";

const DRAFT: TemplateDraft = {
  name: "Pedido listo Nº 1",
  language: "es_MX",
  category: "utility",
  header: { type: "text", text: "Pedido {{1}}" },
  body: "Hola {{1}}, su pedido llega el {{2}}.",
  footer: "Quay & Co.",
  buttons: [
    { type: "url", title: "Seguir", url: "https://shop.example/t/{{1}}" },
    { type: "plain", title: "Gracias" },
  ],
  examples: { header: ["7"], body: ["Robin", "lunes"], buttons: [["abc"], []] },
};
const CODE = "pedido_listo_no_1|es_MX";

async function withTemplates() {
  const stage = await staged();
  const account = stage.world.accounts.get(ACCOUNT_ID);
  if (!account || !stage.session.templates) throw new Error("there are no templates");
  const templates: Templates = stage.session.templates;
  const at = (code: string) => [...account.templates.values()].find((each) => `${each.name}|${each.language}` === code);
  return { ...stage, account, templates, at };
}

describe("a template", () => {
  it("is handed in under a name of Meta's form, with an example for each variable, and read as it was written", async () => {
    const { templates, network } = await withTemplates();
    const made = await templates.create(DRAFT, fresh());
    expect(made).toMatchObject({ code: CODE, name: "pedido_listo_no_1", status: "pending" });
    await network.idle();
    const found = (await templates.list(fresh())).find(({ code }) => code === CODE);
    expect(found).toMatchObject({ ...DRAFT, name: "pedido_listo_no_1", code: CODE, status: "approved" });
  });

  it("that has no examples gets some, since Meta wants one for each variable", async () => {
    const { templates, at } = await withTemplates();
    await templates.create({ ...DRAFT, examples: undefined }, fresh());
    expect(JSON.stringify(at(CODE)?.components)).toContain("example 2");
  });

  it("is changed and deleted by its code; one that has gone counts as deleted", async () => {
    const { templates, network, at } = await withTemplates();
    await templates.create(DRAFT, fresh());
    await network.idle();
    const edited = await templates.edit(CODE, { ...DRAFT, body: "Hola {{1}}: {{2}}." }, fresh());
    expect(edited).toMatchObject({ code: CODE, status: "pending" });
    expect(JSON.stringify(at(CODE)?.components)).toContain("Hola {{1}}: {{2}}.");
    await templates.delete(CODE, fresh());
    expect(at(CODE)).toBeUndefined();
    await templates.delete(CODE, fresh());
    expect((await refusalOf(templates.edit(CODE, DRAFT, fresh()))).message).toBe("Meta no longer has this template");
  });

  it("tells how far its review is, why it was rejected, and its quality; each change is told to the channel", async () => {
    const { templates, network, account, at, session, emulator, core } = await withTemplates();
    await session.connect(fresh());
    core.apps.list()[0]?.redirects.clear();
    await templates.create(DRAFT, fresh());
    await network.idle();
    const template = at(CODE);
    if (!template) throw new Error("there is no template");
    const read = async () => (await templates.list(fresh())).find(({ code }) => code === CODE);
    for (const [event, status] of [
      ["PAUSED", "paused"],
      ["DISABLED", "disabled"],
      ["IN_APPEAL", "pending"],
      ["APPROVED", "approved"],
    ] as const) {
      await review(network, account, template, { event });
      expect(await read()).toMatchObject({ status });
    }
    await review(network, account, template, { event: "REJECTED", reason: "SCAM" });
    expect(await read()).toMatchObject({ status: "rejected", rejection: "scam" });
    await rate(network, account, template, "YELLOW");
    expect(await read()).toMatchObject({ quality: "medium" });
    expect(emulator).toBeDefined();
  });

  it("is found on any page of a long list", async () => {
    const { templates, account } = await withTemplates();
    const before = (await templates.list(fresh())).length;
    for (let n = 0; n < 230; n++)
      account.templates.set(`9${n}`, {
        id: `9${n}`,
        name: `many_${n}`,
        language: "en_US",
        category: "MARKETING",
        status: "APPROVED",
        parameterFormat: "POSITIONAL",
        components: [{ type: "BODY", text: "hi" }],
        quality: "GREEN",
        rejectedReason: "NONE",
      });
    const all = await templates.list(fresh());
    expect(all).toHaveLength(before + 230);
    expect(new Set(all.map(({ code }) => code)).size).toBe(before + 230);
  });

  it("reaches a customer after the window, with its values", async () => {
    const { templates, network, session, stepsOf, last, context } = await withTemplates();
    await templates.create(DRAFT, fresh());
    await network.idle();
    const chat = "15550100042" as ChatId;
    await context.notes.set([{ key: `window:${chat}`, value: "1" }]);
    const [step] = stepsOf({ type: "text", text: "Hola Robin, su pedido llega el lunes." });
    if (!step) throw new Error("a text is a step");
    const template = {
      code: CODE,
      header: { type: "text" as const, values: ["7"], files: [] },
      body: ["Robin", "lunes"],
      buttons: [{ type: "url" as const, title: "Seguir", values: ["abc"] }],
    };
    await session.send({ ...step, template }, { chat, key: "t1" }, fresh());
    await network.idle();
    expect(last()).toMatchObject({
      status: "delivered",
      content: { text: { body: expect.stringContaining("Robin") } },
    });
  });
});

describe("a draft that Meta would not take", () => {
  it.each([
    ["no text", { body: " " }, "the template needs a text"],
    [
      "a gap in its variables",
      { body: "{{1}} and {{3}}" },
      "the template's variables are numbered from 1, without a gap",
    ],
    ["a variable with a name", { body: "Hi {{name}}!" }, "a variable of a template is a number in double braces"],
    ["a broken variable", { body: "Hi {{1}!" }, "a variable of a template is a number in double braces"],
    ["a long text", { body: "x".repeat(1_025) }, "the template's text has more than 1024 characters"],
    ["a variable in the footer", { footer: "{{1}}" }, "the template's footer cannot have variables"],
    [
      "two variables in the header",
      { header: { type: "text", text: "{{1}}{{2}}" } },
      "the template's header can have one variable only",
    ],
    ["a name without letters", { name: "¡!" }, "the template's name needs letters a to z or digits"],
    [
      "a button without a title",
      { buttons: [{ type: "plain", title: "" }] },
      "a button's title has 1 to 25 characters",
    ],
    [
      "a link to no page",
      { buttons: [{ type: "url", title: "a", url: "shop" }] },
      "the address of a button begins with https://",
    ],
    ...["https://shop.example/{{1}}/{{2}}", "https://shop.example/{{1}}/rope"].map((url): [string, object, string] => [
      `the address ${url}`,
      { buttons: [{ type: "url", title: "a", url }] },
      "the address of a button can have one variable, at its end",
    ]),
    [
      "no file above its text",
      { header: { type: "image" }, examples: {} },
      /^the template needs a file above its text, which Meta's reviewers see: attach one$/,
    ],
  ])("with %s is refused in words before any call", async (_, more, words) => {
    const { templates, core } = await withTemplates();
    const error = await refusalOf(templates.create({ ...DRAFT, ...(more as object) }, fresh()));
    expect(error.verdict).toEqual({ type: "reject", code: "general" });
    expect(error.message).toMatch(words);
    expect(core.journal.entries().filter(({ operation }) => operation === "createTemplate")).toEqual([]);
  });

  it("for a reason that only Meta knows is refused in Meta's words", async () => {
    const { templates } = await withTemplates();
    await templates.create(DRAFT, fresh());
    const error = await refusalOf(templates.create(DRAFT, fresh()));
    expect(error.verdict.type).toBe("reject");
    expect(error.message).toMatch(/There is already es_MX content for this template/);
  });
});
