import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import { postOffice, templateOf } from "../../../support/post-office.ts";
import { until } from "../../../support/until.ts";

const WORDS = { name: "Order ready", lang: "en", category: "utility", body: "Hello {{1}}", example: { body: ["Ann"] } };
const unsure = () => new DeliveryError({ type: "unsure" }, "the office hung up");
const away = () => new DeliveryError({ type: "retry" }, "the office is closed");
const answer = async (response: Response) => ({ status: response.status, body: await response.json() });

describe("a template that an agent creates", () => {
  it("is made once, however often the gateway repeats its call: at the same time, later, and for another act again", async () => {
    const { hook, office } = await postOffice();
    const made = { status: 200, body: { code: "order_ready#en", verification_status: "pending" } };
    const [first, second] = await Promise.all([hook("template_create", WORDS), hook("template_create", WORDS)]);
    expect([await answer(first), await answer(second)]).toEqual([made, made]);
    expect(await answer(await hook("template_create", WORDS))).toEqual(made);
    expect(office.calls.filter((call) => call === "create")).toHaveLength(1);
    // Another act with the same words is the messenger's to judge.
    const again = await answer(await hook("template_create", WORDS, 2));
    expect(again).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining("already") } } });
  });

  it("is found again after a lost answer, and not made a second time", async () => {
    const { hook, office } = await postOffice({ templates: [templateOf("older", { body: "Hello {{1}}" })] });
    office.after = async (verb) => {
      if (verb === "create") throw unsure();
    };
    const lost = await answer(await hook("template_create", WORDS));
    expect(lost).toMatchObject({ status: 422, body: { error: { message: /did not answer in time.*look there/s } } });
    office.after = undefined;
    expect(await answer(await hook("template_create", WORDS))).toMatchObject({ body: { code: "order_ready#en" } });
    expect(office.calls.filter((call) => call === "create")).toHaveLength(1);
  });

  it("is made by a repeat when the messenger surely did not take it", async () => {
    const { hook, office } = await postOffice();
    office.before = async (verb) => {
      if (verb === "create") throw away();
    };
    const refused = await answer(await hook("template_create", WORDS));
    expect(refused).toMatchObject({
      ...{
        status: 422,
        body: { error: { message: /did not take the template \(the office is closed\)\. Try again/ } },
      },
    });
    office.before = undefined;
    expect(await answer(await hook("template_create", WORDS))).toMatchObject({ status: 200 });
  });

  it("is answered in time although the messenger is silent, also one that cannot be interrupted", async () => {
    const { hook, office } = await postOffice();
    for (const endsBySignal of [true, false]) {
      office.before = (verb, signal) =>
        verb !== "create"
          ? Promise.resolve()
          : new Promise((_, reject) => {
              if (endsBySignal) signal.addEventListener("abort", () => reject(signal.reason));
            });
      const late = await answer(await hook("template_create", WORDS, endsBySignal ? 1 : 2));
      expect(late).toMatchObject({ status: 422, body: { error: { message: /did not answer in time/ } } });
    }
  });

  it("reaches the gateway by itself where our answer did not", async () => {
    const { hook, atGateway } = await postOffice();
    // The gateway did not ask, so it knows of no draft.
    await hook("template_create", WORDS);
    await until("the template in the CRM", () => atGateway()["order_ready#en"]);
  });

  it("is refused in words that say what to do, in the agents' language", async () => {
    const { hook, agent, channel, sandbox } = await postOffice();
    const broken = { ...WORDS, body: "Hello {{3}}" };
    const refused = await answer(await hook("template_create", broken));
    expect(refused).toMatchObject({ body: { error: { message: "number the variables from 1, without gaps." } } });
    const inInbox = await agent("POST", `/channels/${channel}/templates`, broken);
    expect(inInbox).toMatchObject({ status: 400, body: { errors: ["number the variables from 1, without gaps."] } });
    expect(sandbox.world.templates).toEqual([]);
  });
});

describe("a template that an agent changes", () => {
  it("is changed and deleted at the messenger, once for each call of the gateway", async () => {
    const { hook, office } = await postOffice({ templates: [templateOf("a#en")] });
    for (const n of [1, 1]) {
      const changed = await hook("template_update", { ...WORDS, code: "a#en", body: "Hi {{1}}" }, n);
      expect(await answer(changed)).toEqual({ status: 200, body: {} });
    }
    expect(office.templates.get("a#en")).toMatchObject({ body: "Hi {{1}}", status: "pending" });
    for (const n of [2, 2])
      expect(await answer(await hook("template_delete", { code: "a#en", lang: "en" }, n))).toEqual({
        ...{ status: 200, body: {} },
      });
    expect(office.templates.size).toBe(0);
    expect(office.calls.filter((call) => call === "edit" || call === "delete")).toEqual(["edit", "delete"]);
  });

  it("is asked for again while the messenger is away, and refused for good when it says no", async () => {
    const { hook, office } = await postOffice({ templates: [templateOf("a#en")] });
    office.before = async (verb) => {
      if (verb === "edit") throw away();
    };
    expect((await hook("template_update", { ...WORDS, code: "a#en" })).status).toBe(503);
    office.before = undefined;
    expect((await hook("template_update", { ...WORDS, code: "a#en" })).status).toBe(200);
    expect((await hook("template_update", { ...WORDS, code: "gone" })).status).toBe(422);
  });

  it("goes back to what the messenger has, when the messenger refuses the change", async () => {
    const { agent, channel, atGateway, office } = await postOffice({ templates: [templateOf("a#en")] });
    await until("the template in the CRM", () => atGateway()["a#en"]);
    office.before = async (verb) => {
      if (verb === "edit") throw new DeliveryError({ type: "reject", code: "general" }, "once a day only");
    };
    await agent("PUT", `/channels/${channel}/templates/${encodeURIComponent("a#en")}`, { body: "Hi {{1}}" });
    await until("the messenger's words", () => {
      const { body } = atGateway()["a#en"] ?? {};
      return office.calls.filter((call) => call === "list").length > 1 && body?.body === templateOf("a#en").body;
    });
    expect(atGateway()["a#en"]).toMatchObject({ enabled: true });
  });
});

describe("a message by template", () => {
  it("may be the first of a chat, where a text may not", async () => {
    const { hook, office } = await postOffice({ templates: [templateOf("a#en")] });
    const first = { external_chat_id: "Ann", external_user_id: "Ann", type: "text", quote_content: null };
    const said = { ...first, id: 1, content: "Hello", quote_external_id: null };
    expect(await answer(await hook("message_sent", said))).toMatchObject({
      ...{ status: 422, body: { error: { code: "reply_timed_out" } } },
    });
    const template = { code: "a#en", args: ["Ann", "7"] };
    expect(await answer(await hook("message_sent", { ...said, id: 2, template }))).toEqual({
      ...{ status: 200, body: { async: true } },
    });
    await until("the letter", () => office.letters.length === 1);
    expect(office.letters).toMatchObject([{ to: "Ann", text: "Hello Ann, order 7 is ready." }]);
  });
});
