import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { recordTo } from "../../../src/sandbox/record.ts";
import { replay } from "../../../src/sandbox/replay.ts";
import { serveSandbox } from "../../../src/sandbox/serve.ts";
import { temporaryFolder } from "../../support/store.ts";
import { account, chatting, module, moduleServer, type Told, until } from "./account.ts";

describe("faults on demand", () => {
  it("a status, so often, with a Retry-After; then all is well again", async () => {
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

  it("latency, and a webhook whose answer is lost is sent again", async () => {
    const { say, json, server } = await chatting({}, {}, () => ({ async: true }));
    await json("POST", "/sandbox/faults", { operation: "onMessageSent", times: 1, drop: "after", delayMs: 20 });
    await say("hi");
    await until(() => server.told.filter(({ path }) => path === "/hook").length === 2);
  });

  it("a plan for an operation that does not exist is refused by name", async () => {
    const { json } = account();
    const { body } = await json("POST", "/sandbox/faults", { operation: "activity", times: 1, status: 500 });
    expect(body.errors).toEqual(["There is no operation activity"]);
  });

  it("a plan that makes no sense is refused by name", async () => {
    const { json } = account();
    const { status, body } = await json("POST", "/sandbox/faults", { operation: "x", times: 0, status: 200 });
    expect(status).toBe(400);
    expect(body.errors[0]).toMatch(/times[\s\S]*status|status[\s\S]*times/);
  });

  it("no page of another site pulls strings here", async () => {
    const { json, world } = account();
    const headers = { origin: "http://evil.example", host: "sandbox" };
    expect((await json("POST", "/sandbox/switches", { gatewayOn: false }, headers)).status).toBe(403);
    expect(world.gatewayOn).toBe(true);
  });
});

describe("the one-click way of the marketplace", () => {
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
    const given = JSON.parse(new URLSearchParams(server.told[1]?.text).get("register") ?? "{}");
    expect(given).toEqual({
      apiKey: expect.any(String),
      systemUrl: "http://sandbox",
      token: createHmac("sha256", secret).update(given.apiKey).digest("hex"),
    });
    expect(world.keys.get(given.apiKey)?.scopes).toEqual(["integration_read", "integration_write"]);
  });

  it("tells in the module's words why it refused, and leaves no key behind", async () => {
    const server = await moduleServer(() => ({ success: false, errorMsg: "Not today" }));
    const { json, world } = account();
    const { body } = await json("POST", "/sandbox/connect", { configUrl: server.url, secret: "s" });
    expect(body).toMatchObject({ type: "refused", why: expect.stringContaining("Not today") });
    expect(world.keys.size).toBe(1);
  });
});

describe("a trace", () => {
  // Null counts as absent, when it is recorded and when it is played again.
  const answers = ({ text }: Told) => ({ external_message_id: `t${JSON.parse(text).data?.id ?? ""}`, error: null });

  it("holds every call without a secret, and its webhooks can be sent to a module again", async () => {
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
      for (const place of [text, readFileSync(file, "utf8"), log]) expect(place).not.toContain(secret);
    const [head, ...lines] = text.trimEnd().split("\n");
    expect(JSON.parse(head ?? "")).toMatchObject({ trace: 1, settings: { a: 1 } });
    expect(lines.map((line) => JSON.parse(line).operation)).toEqual(
      expect.arrayContaining(["editIntegrationModule", "sendMessage", "onMessageSent"]),
    );
    const again = await moduleServer(answers);
    const options = { lines, clientId: "c2", print: () => {} };
    expect(await replay({ ...options, webhookUrl: again.url })).toBe(0);
    expect(again.told.map(({ headers, text: hook }) => [headers.clientid, JSON.parse(hook).data.content])).toEqual([
      ["c2", "for the record"],
    ]);
    const otherwise = await moduleServer(() => ({ async: "yes" }));
    expect(await replay({ ...options, webhookUrl: otherwise.url })).toBe(1);
  });
});
