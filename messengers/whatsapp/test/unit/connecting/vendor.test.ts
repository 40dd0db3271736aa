import { hasApp } from "gangway-messenger/apps";
import { DEMO_APP, demoAppEnv } from "gangway-meta/emulator/demo-app";
import { granted } from "gangway-meta/emulator/oauth";
import { signedRequest } from "gangway-meta/emulator/signature";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { ACCOUNT_ID, COEXISTENCE_ID, NUMBER_ID } from "../../../emulator/seed.ts";
import { AT, about, change, ofNumber, ROBIN } from "../../../samples/wire.ts";
import whatsapp from "../../../src/index.ts";
import { fresh, refusalOf, staged } from "../stage.ts";

if (!hasApp(whatsapp)) throw new Error("there is no app");
const { app } = whatsapp;
const server = whatsapp.serverSettings?.parse(demoAppEnv()) ?? {};
const REDIRECT = "https://gangway.example/apps/whatsapp/back";

describe("the operator's app", () => {
  it("is set up once its id, secret and verify token are there", () => {
    expect(app.isSetUp(server)).toBe(true);
    for (const name of Object.keys(demoAppEnv())) expect(app.isSetUp({ ...server, [name]: undefined })).toBe(false);
  });

  it("asks at Meta for the rights that a channel needs", () => {
    const url = new URL(app.login.authorizeUrl({ redirectUrl: REDIRECT, state: "s1" }, server));
    expect(url.origin + url.pathname).toBe("https://www.facebook.com/v26.0/dialog/oauth");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: DEMO_APP.id,
      redirect_uri: REDIRECT,
      state: "s1",
      response_type: "code",
      scope: "whatsapp_business_messaging,whatsapp_business_management",
    });
  });

  it("offers each number of the accounts that were shared, ready to be connected", async () => {
    const { core, context } = await staged();
    const nodes = [ACCOUNT_ID, NUMBER_ID, COEXISTENCE_ID];
    const rights = ["whatsapp_business_messaging", "whatsapp_business_management"];
    const code = granted(core, core.apps.check(DEMO_APP.id, DEMO_APP.secret), {
      redirectUri: REDIRECT,
      rights,
      nodes,
      user: "1",
    });
    const back = { query: { code }, redirectUrl: REDIRECT, server, call: context.call, clock: context.clock };
    const choices = await app.login.choices(back, fresh());
    expect(choices).toMatchObject([
      { login: `whatsapp:${NUMBER_ID}`, name: "Quay & Co.", about: "+1 555-010-0142" },
      { login: `whatsapp:${COEXISTENCE_ID}`, name: "Quay workshop" },
    ]);
    const settings = whatsapp.settings.parse(choices[0]?.settings);
    const session = whatsapp.open({ ...context, settings, server: { ...context.server, ...server } });
    expect(await session.identify?.(fresh())).toMatchObject({ id: `whatsapp:${NUMBER_ID}` });
  });

  it("says so if the person has cancelled, or the code is used up", async () => {
    const { context } = await staged();
    const back = { redirectUrl: REDIRECT, server, call: context.call, clock: context.clock };
    const cancelled = app.login.choices({ ...back, query: { error: "access_denied" } }, fresh());
    expect((await refusalOf(cancelled)).message).toBe("the login at Meta was cancelled");
    const used = app.login.choices({ ...back, query: { code: "AQused" } }, fresh());
    expect((await refusalOf(used)).verdict.type).toBe("reject");
  });
});

describe("the app's one webhook", () => {
  const post = (body: object, secret: string = DEMO_APP.secret) => {
    const text = JSON.stringify(body);
    const headers = { [SIGNATURE_HEADER]: signatureOf(secret, text) };
    return app.receive(new Request("https://g.example/apps/whatsapp", { method: "POST", body: text, headers }), server);
  };
  const text = { from: ROBIN.phone, id: "wamid.V1", timestamp: String(AT), type: "text", text: { body: "hi" } };

  it("splits a batch by number, and a channel of the app authenticates its part", async () => {
    const entry = [...about({ messages: [text] }).entry, ...ofNumber(COEXISTENCE_ID, { messages: [text] }).entry];
    const { parts, reply } = await post({ object: "whatsapp_business_account", entry });
    expect(reply.status).toBe(200);
    expect(parts.map(({ login }) => login)).toEqual([`whatsapp:${NUMBER_ID}`, `whatsapp:${COEXISTENCE_ID}`]);
    const { context } = await staged({ appSecret: "" });
    const session = whatsapp.open({ ...context, server: { ...context.server, ...server } });
    const { headers = {}, body = "" } = parts[0]?.request ?? {};
    const receipt = await session.receive(new Request(context.doorUrl, { method: "POST", headers, body }));
    expect(receipt.events.map(({ key }) => key)).toEqual(["wamid.V1"]);
  });

  it("refuses another app's signature", async () => {
    expect(await post(about({ messages: [text] }), "another-secret")).toMatchObject({
      parts: [],
      reply: { status: 401 },
    });
  });

  it("gives a change of a whole account to each of its numbers, which read their lists again", async () => {
    const { parts, shared = [], unknown, reply } = await post(change("message_template_status_update", REVIEW));
    expect([parts, unknown, reply.status]).toEqual([[], undefined, 200]);
    expect(shared.map(({ group }) => group)).toEqual([`whatsapp:account:${ACCOUNT_ID}`]);
    const { context } = await staged({ appSecret: "" });
    const session = whatsapp.open({ ...context, server: { ...context.server, ...server } });
    const { headers = {}, body = "" } = shared[0]?.request ?? {};
    const receipt = await session.receive(new Request(context.doorUrl, { method: "POST", headers, body }));
    expect(receipt.templatesChanged).toBe(true);
    expect(await session.groups?.(fresh())).toContain(`whatsapp:account:${ACCOUNT_ID}`);
  });

  it("stops the channels of whoever removes the app, and those of nobody else's login", async () => {
    const { core, context, token } = await staged({ appSecret: "" });
    const session = whatsapp.open({ ...context, server: { ...context.server, ...server } });
    const groups = await session.groups?.(fresh());
    const removed = async (user: string) => {
      const form = new URLSearchParams({ signed_request: signedRequest(DEMO_APP.secret, { user_id: user }) });
      const request = new Request("https://g.example/apps/whatsapp/deauthorize", { method: "POST", body: form });
      return (await app.receive(request, server)).withdrawn?.groups ?? [];
    };
    expect(groups).toEqual(expect.arrayContaining(await removed(token.user)));
    expect(groups).not.toEqual(expect.arrayContaining(await removed("1")));
    // Nothing that could be told from it stays with the channel.
    expect(JSON.stringify(groups)).not.toContain(core.tokens.list()[0]?.user);
  });

  it("is not that of a shop's own app, whose channels it does not reach", async () => {
    const { session } = await staged();
    expect(await session.groups?.(fresh())).toEqual([expect.stringMatching(/^whatsapp:subscription:/)]);
  });
});

const REVIEW = { event: "APPROVED", message_template_id: 1, message_template_name: "sale", reason: "NONE" };
