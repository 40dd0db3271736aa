import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FAULT_BODIES, FAULT_STATUSES } from "gangway-messenger/kit/emulator/faults";
import { HARBOUR_BOT_TOKEN } from "gangway-telegram/emulator/telegram";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/support/store.ts";
import { parse as parseJson } from "../../src/exchange.ts";
import { recordTo } from "../../src/record.ts";
import { replay } from "../../src/replay.ts";
import { serveSandbox } from "../../src/serve.ts";
import { account, chatting, module, moduleServer, type Received, until } from "./account.ts";

const parse = (text: string) => parseJson(text) as { data?: { content?: string } } | undefined;

describe("faults on demand", () => {
  it("a status with Retry-After, a number of times; then all works again", async () => {
    const { edit, json, tokenOf, sandbox } = account();
    await edit(module());
    await json("POST", "/sandbox/faults", { operation: "listChannels", times: 2, status: 503, retryAfter: 7 });
    const headers = { "x-transport-token": tokenOf("m") };
    const ask = () => sandbox.fetch(new Request("http://sandbox/api/transport/v1/channels", { headers }), {});
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map((answer) => [answer.status, answer.headers.get("retry-after")])).toEqual([
      [503, "7"],
      [503, "7"],
      [200, null],
    ]);
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ])("a connection that is cut %s the request takes effect", async (drop, channels) => {
    const { origin, sandbox, close } = await serveSandbox({ port: 0 });
    onTestFinished(close);
    const form = new URLSearchParams({ integrationModule: JSON.stringify(module()) });
    const key = { "x-api-key": "sandbox-key" };
    await fetch(`${origin}/api/v5/integration-modules/m/edit`, { method: "POST", body: form, headers: key });
    const json = { "content-type": "application/json" };
    const plan = JSON.stringify({ operation: "activateChannel", times: 1, drop });
    await fetch(`${origin}/sandbox/faults`, { method: "POST", headers: json, body: plan });
    const headers = { ...json, "x-transport-token": sandbox.world.modules.get("m")?.token ?? "" };
    const post = () =>
      fetch(`${origin}/api/transport/v1/channels`, { method: "POST", headers, body: '{"type":"custom"}' });
    await expect(post()).rejects.toThrow();
    expect(sandbox.world.channels.size).toBe(channels);
    expect((await post()).ok).toBe(true);
  });

  it("latency; and a webhook whose answer is lost is sent again", async () => {
    const { say, json, server } = await chatting({}, {}, () => ({ async: true }));
    await json("POST", "/sandbox/faults", { operation: "onMessageSent", times: 1, drop: "after", delayMs: 20 });
    await say("hi");
    await until(() => server.received.filter(({ path }) => path === "/hook").length === 2);
  });

  it("a plan for an operation that does not exist is refused by name", async () => {
    const { json } = account();
    const { body } = await json("POST", "/sandbox/faults", { operation: "activity", times: 1, status: 500 });
    expect(body.errors).toEqual(["Unknown operation activity"]);
  });

  it("an invalid plan is refused by the field's name", async () => {
    const { json } = account();
    const { status, body } = await json("POST", "/sandbox/faults", {
      operation: "x",
      times: 0,
      status: 99,
      body: "song",
    });
    expect(status).toBe(400);
    for (const field of ["times", "status", "body"]) expect(body.errors[0]).toContain(field);
  });

  it("pages of other sites cannot change anything here", async () => {
    const { json, world } = account();
    const headers = { origin: "http://evil.example", host: "sandbox" };
    expect((await json("POST", "/sandbox/switches", { gatewayOn: false }, headers)).status).toBe(403);
    expect(world.gatewayOn).toBe(true);
  });
});

/** The four endpoints that faults can hit, each with a call and its real answer. */
const TARGETS = {
  "the gateway's API": ["listChannels", "/api/transport/v1/channels", /^\[/],
  "its files": ["downloadFile", "/files/f/a.txt", /^bytes of the file$/],
  "the CRM": ["apiCredentials", "/api/credentials", /"success":true/],
  "a messenger's API": ["telegram:getMe", `/telegram/bot${HARBOUR_BOT_TOKEN}/getMe`, /"ok":true/],
} as const;
type Target = keyof typeof TARGETS;

/** A sandbox with a fault planned at this endpoint; `ask` calls it. */
async function faulty(target: Target, fault: object) {
  const own = account();
  await own.edit(module());
  own.world.files.set("f", {
    id: "f",
    name: "a.txt",
    mediaType: "text/plain",
    bytes: new TextEncoder().encode("bytes of the file"),
  });
  const [operation, path, right] = TARGETS[target];
  const planned = await own.json("POST", "/sandbox/faults", { operation, ...fault });
  expect(planned.status, planned.body.errors?.[0]).toBe(200);
  const headers = { "x-transport-token": own.tokenOf("m"), "x-api-key": "sandbox-key" };
  const ask = () => own.sandbox.fetch(new Request(`http://sandbox${path}`, { headers }), {});
  return { ...own, ask, right };
}

describe.each(Object.keys(TARGETS) as Target[])("faults at %s", (target) => {
  it("takes every status with every body, before and after the call takes effect, and then end", async () => {
    const { json, ask, right, wait } = await faulty(target, { status: 500 });
    expect((await ask()).status).toBe(500);
    for (const status of FAULT_STATUSES) {
      for (const body of FAULT_BODIES)
        for (const when of ["before", "after"]) {
          await json("POST", "/sandbox/faults", { operation: TARGETS[target][0], status, body, when });
          const answer = await ask();
          expect([answer.status, body, when]).toEqual([status, body, when]);
          await answer.body?.cancel();
        }
      wait(1_000);
      expect(await (await ask()).text()).toMatch(right);
    }
  });

  it.each([
    ["contract", /Planned fault|Bad Gateway/],
    ["json", /"service":"proxy"/],
    ["html", /<h1>502 Bad Gateway<\/h1>[\s\S]*nginx/],
    ["empty", /^$/],
    ["half", /^\{"[^}]*$/],
    ["garbage", /\ufffd/],
    ["redirect", /502/],
  ])("answers with %s where the call does not take effect", async (body, words) => {
    const { ask } = await faulty(target, { status: 502, body });
    const answer = await ask();
    expect(await answer.text()).toMatch(words);
    expect(answer.headers.get("location")).toBe(body === "redirect" ? "/login" : null);
  });

  it("answers with ten mebibytes", async () => {
    const { ask } = await faulty(target, { body: "large" });
    expect((await (await ask()).arrayBuffer()).byteLength).toBeGreaterThan(10 * 1024 * 1024);
  });

  it("answers in full, by half or byte by byte, where the call took effect", async () => {
    const { json, ask, right } = await faulty(target, { status: 200, when: "after" });
    const whole = await (await ask()).text();
    expect(whole).toMatch(right);
    await json("POST", "/sandbox/faults", { operation: TARGETS[target][0], body: "half", when: "after" });
    const half = await (await ask()).text();
    expect(half).toBe(whole.slice(0, whole.length >> 1));
    await json("POST", "/sandbox/faults", { operation: TARGETS[target][0], body: "drip", when: "after" });
    const reader = (await ask()).body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(1);
    await reader?.cancel();
  });

  it("redirects, and sends Retry-After", async () => {
    const { ask } = await faulty(target, { status: 307, location: "http://elsewhere.test/", retryAfter: 3 });
    const { headers } = await ask();
    expect([headers.get("location"), headers.get("retry-after")]).toEqual(["http://elsewhere.test/", "3"]);
  });

  it("plays a burst and an outage", async () => {
    const { json, ask, wait } = await faulty(target, { status: 503, times: 2 });
    expect([await ask(), await ask(), await ask()].map(({ status }) => status)).toEqual([503, 503, 200]);
    await json("POST", "/sandbox/faults", { operation: TARGETS[target][0], status: 502, body: "html", forMs: 5_000 });
    expect((await ask()).status).toBe(502);
    wait(4_999);
    expect((await ask()).status).toBe(502);
    wait(1);
    expect((await ask()).status).toBe(200);
  });
});

describe("the page of faults", () => {
  const submit = (own: ReturnType<typeof account>, form: Record<string, string>) =>
    own.sandbox.fetch(
      new Request("http://sandbox/account/faults", { method: "POST", body: new URLSearchParams(form) }),
      {},
    );
  const planned = async (own: ReturnType<typeof account>) => (await own.json("GET", "/sandbox/faults")).body;

  it("plans faults of both sides with the same fields, and clears them", async () => {
    const own = account();
    const empty = { times: "", forMs: "", delayMs: "", body: "", when: "", drop: "", retryAfter: "", location: "" };
    await submit(own, { ...empty, operation: "ackMessage", status: "404", body: "html", when: "after", times: "3" });
    await submit(own, {
      ...empty,
      operation: "telegram:file",
      status: "503",
      forMs: "5000",
      retryAfter: "2",
      hang: "1",
    });
    expect(await planned(own)).toEqual([
      { operation: "ackMessage", status: 404, body: "html", when: "after", times: 3 },
      { operation: "telegram:file", status: 503, forMs: 5000, retryAfter: 2, hang: true },
    ]);
    const page = await (await own.sandbox.fetch(new Request("http://sandbox/faults"), {})).text();
    expect(page).toContain("The next 3 × ackMessage: takes effect, is answered 404 with a proxy&#39;s HTML page");
    await own.sandbox.fetch(new Request("http://sandbox/account/faults/clear", { method: "POST" }), {});
    expect(await planned(own)).toEqual([]);
  });

  it("says what is wrong with a plan", async () => {
    const own = account();
    const answer = await submit(own, { operation: "telegram:sendSong", status: "500" });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("Unknown operation telegram:sendSong"),
    ]);
  });
});

describe("faults in the sandbox's own requests", () => {
  const whole = (server: { received: Received[] }) =>
    server.received.filter(({ path, text }) => path === "/hook" && parse(text)?.data?.content === "hi");

  it.each(["half", "empty", "json", "html", "garbage", "large"])(
    "%s goes out, and then the webhook itself",
    async (body) => {
      const { say, json, server } = await chatting({}, {}, () => ({ async: true }));
      await json("POST", "/sandbox/faults", { operation: "onMessageSent", body });
      await say("hi");
      await until(() => whole(server).length === 1);
    },
  );

  it("a dripping webhook is valid, and a hanging one is sent again", async () => {
    const { say, json, server } = await chatting({}, { webhookTimeoutMs: 4_000 }, () => ({ async: true }));
    await json("POST", "/sandbox/faults", { operation: "onMessageSent", body: "drip" });
    await say("hi");
    await until(() => whole(server).length === 1);
    await json("PUT", "/sandbox/settings", { webhookTimeoutMs: 50 });
    await json("POST", "/sandbox/faults", { operation: "onMessageSent", hang: true });
    await say("hi");
    await until(() => whole(server).length === 2);
  });

  it("the activity callback, too", async () => {
    const server = await moduleServer();
    const own = account();
    await own.edit(module({ baseUrl: server.url, actions: { activity: "/activity" } }));
    await own.json("POST", "/sandbox/faults", { operation: "onActivity", body: "garbage" });
    await own.json("POST", "/sandbox/activity", { code: "m", active: false, freeze: false });
    await own.json("POST", "/sandbox/activity", { code: "m", active: false, freeze: false });
    expect(server.received.map(({ text }) => text.includes("clientId=client-1"))).toEqual([false, true]);
  });

  it("a replaced answer makes it go again", async () => {
    const { say, json, server } = await chatting({}, {}, () => ({ async: true }));
    await json("POST", "/sandbox/faults", { operation: "onMessageSent", status: 404, body: "html", when: "after" });
    await say("hi");
    await until(() => server.received.filter(({ path }) => path === "/hook").length > 1);
  });
});

describe("the marketplace's one-click connection", () => {
  it("asks the module for its rights, makes a key and registers it with a proof", async () => {
    const secret = "shared";
    let url = "";
    const server = await moduleServer(({ path }) =>
      path === "/config"
        ? { success: true, scopes: ["integration_read", "integration_write"], registerUrl: `${url}/register` }
        : { success: true, accountUrl: `${url}/account` },
    );
    url = server.url;
    const { json, world } = account();
    const { body } = await json("POST", "/sandbox/connect", { configUrl: `${url}/config`, secret });
    expect(body).toEqual({ type: "connected", accountUrl: `${url}/account` });
    const given = JSON.parse(new URLSearchParams(server.received[1]?.text).get("register") ?? "{}");
    expect(given).toEqual({
      apiKey: expect.any(String),
      systemUrl: "http://sandbox",
      token: createHmac("sha256", secret).update(given.apiKey).digest("hex"),
    });
    expect(world.keys.get(given.apiKey)?.scopes).toEqual(["integration_read", "integration_write"]);
  });

  it("shows why the module refused, and leaves no key behind", async () => {
    const server = await moduleServer(() => ({ success: false, errorMsg: "Not today" }));
    const { json, world } = account();
    const { body } = await json("POST", "/sandbox/connect", { configUrl: server.url, secret: "s" });
    expect(body).toMatchObject({ type: "refused", why: expect.stringContaining("Not today") });
    expect(world.keys.size).toBe(1);
  });
});

describe("a trace", () => {
  // Null counts as absent, when recorded and when replayed.
  const answers = ({ text }: Received) => ({ external_message_id: `t${JSON.parse(text).data?.id ?? ""}`, error: null });

  it("holds every call without secrets, and its webhooks can be replayed", async () => {
    const file = join(temporaryFolder(), "trace.jsonl");
    const { sandbox, say, server, tokenOf, edit, message } = await chatting({}, {}, answers);
    sandbox.observe(recordTo(file, { a: 1 }, Date.now()));
    await edit(module({ baseUrl: server.url, integrations: { mgTransport: { webhookUrl: `${server.url}/hook` } } }));
    const { body } = await say("for the record");
    await until(() => message(body.message_id)?.status === "received");
    const text = readFileSync(file, "utf8");
    await sandbox.fetch(new Request("http://sandbox/api/credentials?apiKey=sandbox-key"), {});
    const log = JSON.stringify(sandbox.calls.entries());
    for (const secret of [tokenOf("m"), "client-1", "sandbox-key"])
      for (const output of [text, readFileSync(file, "utf8"), log]) expect(output).not.toContain(secret);
    const [head, ...lines] = text.trimEnd().split("\n");
    expect(JSON.parse(head ?? "")).toMatchObject({ trace: 1, settings: { a: 1 } });
    expect(lines.map((line) => JSON.parse(line).operation)).toEqual(
      expect.arrayContaining(["editIntegrationModule", "sendMessage", "onMessageSent"]),
    );
    const again = await moduleServer(answers);
    const options = { lines, clientId: "c2", print: () => {} };
    expect(await replay({ ...options, webhookUrl: again.url })).toBe(0);
    expect(again.received.map(({ headers, text: hook }) => [headers.clientid, JSON.parse(hook).data.content])).toEqual([
      ["c2", "for the record"],
    ]);
    const otherwise = await moduleServer(() => ({ async: "yes" }));
    expect(await replay({ ...options, webhookUrl: otherwise.url })).toBe(1);
  });
});
