import { systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { callFrom } from "gangway-messenger/kit/call";
import type { Template } from "gangway-messenger/template";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { GatewayChannelId } from "../../../src/domain/ids.ts";
import { createGateway } from "../../../src/gateway/client.ts";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../src/gateway/sending.ts";
import { difference, toNewTemplate, toTemplateChange } from "../../../src/gateway/webhook.ts";
import { listedTemplate, parseJson } from "../../../src/gateway/wire.ts";

const template: Template = {
  ...{ code: "ready#en", name: "Order ready", language: "en", category: "utility", status: "approved" },
  header: { type: "text", text: "Rope & sails" },
  body: "Hello {{1}}, your order {{2}} is ready, {{first_name}}",
  footer: "The shop",
  buttons: [{ type: "url", title: "Track", url: "https://shop.example/{{1}}" }],
};
/** As a gateway lists what it was given. */
const listed = (change: object = {}) => {
  const json = JSON.stringify({ ...toNewTemplate(template), channel_id: 7, id: 1, enabled: true, ...change });
  return listedTemplate.parse(parseJson(json));
};

describe("a template for the gateway", () => {
  it("has its text as the older client writes it, too: bare texts, named variables, and {} for the others", () => {
    expect(toNewTemplate(template)).toMatchObject({
      ...{ code: "ready#en", type: "text", body: template.body },
      template: ["Hello ", {}, ", your order ", {}, " is ready, ", { var: "first_name" }],
    });
    expect(toNewTemplate({ ...template, header: { type: "video" } })).toMatchObject({ type: "media" });
  });

  it("takes away what it no longer has", () => {
    const bare = { ...template, footer: undefined, buttons: [] };
    expect(toTemplateChange(bare)).toMatchObject({ footer: "", buttons: { items: [] } });
  });
});

describe("a listed template", () => {
  it.each([
    ["as it was given", {}],
    ["trimmed and escaped", { header: { content: { type: "text", body: " Rope &amp; sails" } }, name: "Order ready " }],
    ["with its text in pieces only", { body: null }],
    [
      "with pieces of the newer kind",
      {
        body: null,
        template: [
          { text: "Hello ", var: 0 },
          { var: 0 },
          ", your order ",
          { var: "custom" },
          " is ready, ",
          { var: "first_name" },
        ],
      },
    ],
    ["with a category in capitals", { category: "UTILITY" }],
    ["without the kind of its header", { type: undefined }],
    ["with a quality that the messenger does not tell", { quality: "high" }],
    ["with a value of a later contract", { quality: "sublime" }],
  ])("is the same %s", (_, change) => {
    expect(difference(listed(change), template)).toBe("none");
  });

  it.each([
    ["its text", { body: "Hello" }],
    ["its name", { name: "Ready" }],
    ["its state", { verification_status: "pending" }],
    ["its state, unknown", { verification_status: "considered" }],
    ["its footer", { footer: null }],
    ["a button", { buttons: { items: [] } }],
    ["its language", { lang: "es" }],
  ])("differs in %s", (_, change) => {
    expect(difference(listed(change), template)).toBe("words");
  });

  it("is of another kind when its header is a file, or one that has to go: no change mends that", () => {
    expect(difference(listed({ type: "media" }), template)).toBe("kind");
    expect(difference(listed(), { ...template, header: undefined })).toBe("kind");
  });

  it("differs in the reason only while it is rejected", () => {
    const rejected: Template = { ...template, status: "rejected", rejection: "scam" };
    const change = { verification_status: "rejected", rejection_reason: "invalid_format" };
    expect(difference(listed(change), rejected)).toBe("words");
    expect(difference(listed({ rejection_reason: "scam" }), template)).toBe("none");
  });
});

describe("the gateway's templates", () => {
  const signal = new AbortController().signal;
  const gatewayOn = (site: Hono) =>
    createGateway({
      ...{ call: callFrom(site), clock: systemClock, permits: createPermits(systemClock), account: "one" },
      isDone: emptyAnswers(),
      access: { url: () => "https://gateway.example", token: () => "t", renew: async () => undefined },
    });
  const channel = "9007199254740993" as GatewayChannelId;

  it("are those of one channel that have a code; an odd one hides no other", async () => {
    const own = { ...toNewTemplate(template), channel_id: 1, id: 1, enabled: true };
    const text = JSON.stringify([
      own,
      { ...own, channel_id: 8 },
      { ...own, code: null },
      { ...own, name: 5 },
      "odd",
      { ...own, code: "second", header: null, template: null, buttons: { items: null } },
    ]).replaceAll('"channel_id":1', `"channel_id":${channel}`);
    const site = new Hono().get("/templates", (c) => c.body(text, 200, { "content-type": "application/json" }));
    const codes = (await gatewayOn(site).templates.list(channel, signal)).map(({ code }) => code);
    expect(codes).toEqual(["ready#en", "second"]);
  });

  it("are read although there are thousands", async () => {
    const own = { ...toNewTemplate(template), channel_id: 7, id: 1, enabled: true };
    const site = new Hono().get("/templates", (c) => c.json(Array.from({ length: 6_000 }, () => own)));
    expect(await gatewayOn(site).templates.list("7" as GatewayChannelId, signal)).toHaveLength(6_000);
  });

  it("are addressed by any code; dots alone would name the channel, and are refused before any call", async () => {
    const paths: string[] = [];
    const site = new Hono().all("*", (c) => {
      paths.push(`${c.req.method} ${new URL(c.req.url).pathname}`);
      return c.json({});
    });
    const { templates } = gatewayOn(site);
    await templates.delete(channel, "a/b#c?d", signal);
    expect(paths).toEqual([`DELETE /channels/${channel}/templates/a%2Fb%23c%3Fd`]);
    for (const code of [".", ".."])
      await expect(templates.delete(channel, code, signal)).rejects.toBeInstanceOf(DeliveryError);
    expect(paths).toHaveLength(1);
  });

  it("count as deleted when they are missing", async () => {
    const missing = new Hono().all("*", (c) => c.json({ errors: ["Template not found"] }, 404));
    await gatewayOn(missing).templates.delete(channel, "x", signal);
    await expect(gatewayOn(missing).templates.update(channel, template, signal)).rejects.toThrow("not found");
  });
});
