import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { OWN, runningSite } from "../../support/site.ts";

/** A visitor writes in the first web chat; resolves with the chat's id. */
async function begunChat(site: Awaited<ReturnType<typeof runningSite>>, cookie: string): Promise<string> {
  const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(await site.page(cookie))?.[1] ?? "";
  const opened = await site.ask(`/m/${door}/open`, { method: "POST", body: "{}" });
  const { visitor } = (await opened.json()) as { visitor: string };
  const headers = { authorization: `Bearer ${visitor}` };
  const body = JSON.stringify({ id: randomUUID(), text: "hello" });
  await site.ask(`/m/${door}/messages`, { method: "POST", headers, body });
  return visitor.split(".")[0] ?? "";
}

async function setUp() {
  const site = await runningSite();
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
  const clientId = registration?.clientId ?? "";
  const path = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
  const channel = [...site.sandbox.world.channels.keys()][0] ?? 0;
  const chat = await begunChat(site, cookie);
  const place = { channel_id: channel, external_chat_id: chat, external_user_id: chat };
  const sent = (id = 1) => ({
    type: "message_sent",
    meta: { timestamp: 1 },
    data: { ...place, id, type: "text", content: "hi", quote_content: null, quote_external_id: null },
  });
  const hook = async (body: unknown, at = path, headers: Record<string, string> = { clientid: clientId }) => {
    const response = await site.ask(at, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const jobs = () =>
    site.stored(async (store) => {
      const [account] = await store.accounts.list();
      const lines = account ? await store.ledger(account.id) : [];
      // Includes the visitor's first message.
      return lines.reduce((sum, line) => sum + line.waiting + line.delivered + line.refused, 0) - 1;
    });
  return { ...site, cookie, clientId, path, channel, place, sent, hook, jobs };
}
const activity = (value: object) => JSON.stringify(value);

describe("the gateway's door", () => {
  it("accepts an event with both secrets, once however often it arrives", async () => {
    const site = await setUp();
    const answers = await Promise.all(Array.from({ length: 100 }, () => site.hook(site.sent())));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"status":200,"body":{"async":true}}']),
    );
    expect(await site.jobs()).toBe(1);
  });

  it.each([
    ["a wrong path", "/gateway/wrong", undefined],
    ["no client id", undefined, {}],
    ["a wrong client id", undefined, { clientid: "wrong" }],
    ["the client id in the path", "clientid", undefined],
  ])("answers 404 for %s, and stores nothing", async (_, at, headers) => {
    const site = await setUp();
    const path = at === "clientid" ? `/gateway/${site.clientId}` : at;
    const answer = await site.hook(site.sent(), path, headers);
    expect(answer).toEqual({ status: 404, body: { error: { code: "general", message: "Not found" } } });
    expect(await site.jobs()).toBe(0);
  });

  it("answers 422 to a type it does not know, and logs each such type once", async () => {
    const site = await setUp();
    for (let n = 0; n < 3; n++)
      expect(await site.hook({ ...site.sent(), type: "message_sung" })).toMatchObject({
        status: 422,
        body: { error: { code: "general" } },
      });
    expect(site.lines.filter((line) => line.includes("webhook.unknown-type"))).toHaveLength(1);
  });

  it.each([
    ["no JSON", "{", "(body)"],
    ["no meta", { type: "message_read", data: {} }, "meta"],
    ["a wrong field", { type: "message_sent", meta: { timestamp: 1 }, data: { channel_id: "x" } }, "data.channel_id"],
  ])("answers 400 with the path of the first fault: %s", async (_, body, path) => {
    const site = await setUp();
    const { status, body: answer } = await site.hook(body);
    expect(status).toBe(400);
    expect((answer as { error: { message: string } }).error.message.startsWith(`${path}: `)).toBe(true);
    expect(await site.jobs()).toBe(0);
  });

  it.each([[{ active: false, freeze: false }], [{ active: true, freeze: true }]])(
    "answers an account that is %j with an error, never with nothing",
    async (state) => {
      const site = await setUp();
      Object.assign(site.sandbox.world.modules.get("gangway") ?? {}, state);
      await site.submit("/actions/activity", { clientId: site.clientId, activity: activity(state) });
      expect(await site.hook(site.sent())).toMatchObject({
        status: 403,
        body: { error: { code: "access_restricted" } },
      });
      expect(await site.jobs()).toBe(0);
    },
  );

  it("answers 404 to a channel that is not the account's", async () => {
    const site = await setUp();
    const body = site.sent();
    body.data.channel_id = 999_999;
    expect(await site.hook(body)).toMatchObject({ status: 404, body: { error: { code: "general" } } });
    expect(await site.jobs()).toBe(0);
  });

  it("refuses a body over the limit", async () => {
    const site = await setUp();
    expect((await site.hook("x".repeat(70_000))).status).toBe(413);
    const chunked = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    const init = { method: "POST", headers: { clientid: site.clientId }, body: chunked, duplex: "half" } as RequestInit;
    expect((await site.ask(site.path, init)).status).toBe(413);
  });

  it("refuses templates with a text", async () => {
    const site = await setUp();
    const data = { channel_id: site.channel, name: "n", body: "b", lang: "en", category: "c" };
    expect(await site.hook({ type: "template_create", meta: { timestamp: 1 }, data })).toMatchObject({ status: 422 });
  });
});

describe("the activity action", () => {
  it.each([
    ["as JSON", (state: object) => ({ activity: activity(state) })],
    [
      "in brackets",
      (state: object) =>
        Object.fromEntries(Object.entries(state).map(([key, value]) => [`activity[${key}]`, value ? "1" : "0"])),
    ],
  ])("switches the module off and on, %s", async (_, form) => {
    const site = await setUp();
    const module = site.sandbox.world.modules.get("gangway");
    for (const active of [false, true]) {
      if (module) module.active = active;
      const answer = await site.submit("/actions/activity", {
        clientId: site.clientId,
        ...form({ active, freeze: false }),
      });
      expect(await answer.json()).toEqual({ success: true });
      expect(await site.page(site.cookie)).toContain(active ? ">Working<" : ">Switched off in the CRM<");
    }
  });

  it("reveals nothing to a stranger", async () => {
    const site = await setUp();
    const ask = async (fields: Record<string, string>) => (await site.submit("/actions/activity", fields)).json();
    expect(await ask({ clientId: "guess", activity: activity({ active: false, freeze: false }) })).toEqual({
      success: false,
    });
    expect(await ask({ clientId: site.clientId, activity: "{" })).toEqual({ success: false });
    expect(await ask({})).toEqual({ success: false });
  });

  it("believes the CRM and not the form: neither a forged state nor a new address changes anything", async () => {
    const site = await setUp();
    const forged = {
      clientId: site.clientId,
      activity: activity({ active: false, freeze: true }),
      systemUrl: "https://evil.example",
      mgUrl: "https://evil.example",
    };
    await site.submit("/actions/activity", forged);
    const page = await (await site.ask("/account/settings", { headers: { cookie: site.cookie } })).text();
    expect(page).toContain('<span class="badge success">Working</span>');
    expect(page).not.toContain("evil.example");
    expect(site.lines.join()).not.toContain("evil.example");
  });
});

describe("the messenger's door", () => {
  it("is not there for an unknown channel", async () => {
    const { ask } = await runningSite();
    for (const path of ["/m/unknown", "/m/unknown/open", "/m/"])
      expect((await ask(path, { method: "POST" })).status).toBe(404);
  });
});

describe("health", () => {
  it("is ready with a database that syncs, and not while stopping", async () => {
    const { ask, app } = await runningSite();
    expect([(await ask("/health/live")).status, (await ask("/health/ready")).status]).toEqual([200, 200]);
    await app.drain();
    expect([(await ask("/health/live")).status, (await ask("/health/ready")).status]).toEqual([200, 503]);
  });
});
