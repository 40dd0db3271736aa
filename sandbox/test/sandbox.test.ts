import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../test/support/listening.ts";
import { until as patiently } from "../../test/support/until.ts";
import { SANDBOX_KEY } from "../src/crm/rights.ts";
import { createSandbox } from "../src/sandbox.ts";

type Hook = { type: string; data: { id?: number; content?: string } };

/** A module with scripted answers. */
async function moduleAnswering(answer: (hook: Hook, n: number) => { status?: number; body?: unknown } | undefined) {
  const hooks: Hook[] = [];
  const clientIds = new Set<string | undefined>();
  const url = await listening(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const hook = JSON.parse(Buffer.concat(chunks).toString());
    hooks.push(hook);
    clientIds.add(request.headers.clientid as string);
    const said = answer(hook, hooks.length);
    if (!said) return request.socket.destroy();
    reply.writeHead(said.status ?? 200).end(JSON.stringify(said.body ?? {}));
  });
  return { url, hooks, clientIds };
}

async function setUp(webhookUrl = "http://127.0.0.1:9/none") {
  let time = 1_000_000;
  const wait = (ms: number) => {
    time += ms;
  };
  const sandbox = createSandbox({ origin: () => "http://sandbox", now: () => time });
  onTestFinished(sandbox.stop);
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const response = await sandbox.fetch(new Request(`http://sandbox${path}`, init), {});
    return {
      status: response.status,
      body: (await response.json().catch(() => undefined)) as Record<string, unknown> & unknown[],
    };
  };
  const register = (change: object = {}, key = SANDBOX_KEY) => {
    const module = {
      code: "m",
      name: "M",
      clientId: "c1",
      baseUrl: "http://m",
      integrations: { mgTransport: { webhookUrl } },
      ...change,
    };
    const form = new URLSearchParams({ integrationModule: JSON.stringify(module) });
    return sandbox.fetch(
      new Request("http://sandbox/api/v5/integration-modules/m/edit", {
        method: "POST",
        body: form,
        headers: { "x-api-key": key },
      }),
      {},
    );
  };
  await register();
  const token = () => sandbox.world.modules.get("m")?.token ?? "";
  const gateway = (method: string, path: string, body?: unknown) =>
    ask(method, `/api/transport/v1${path}`, body, { "x-transport-token": token() });
  const settings = {
    text: { creating: "both", editing: "receive", deleting: "receive", max_chars_count: 10 },
    status: { read: "both" },
  };
  const { body } = await gateway("POST", "/channels", { type: "consultant", name: "Chat", settings });
  const channel = Number(body.id);
  const post = (external_id: string, text = "hi", more: object = {}) =>
    gateway("POST", "/messages", {
      channel,
      external_chat_id: "v",
      customer: { external_id: "v", nickname: "V" },
      message: { type: "text", external_id, text },
      ...more,
    });
  const chat = () => [...sandbox.world.chats.keys()][0];
  return { sandbox, ask, register, gateway, post, channel, chat, token, wait };
}
const until = (look: () => boolean) => patiently("the sandbox", look);

describe("the sandbox judges by the contract", () => {
  it("an invalid request: it is refused with the path of the fault, and marked", async () => {
    const { gateway, sandbox, channel } = await setUp();
    const { status, body } = await gateway("POST", "/messages", { channel, message: { type: "song" } });
    expect([status, body.errors]).toEqual([400, [expect.stringContaining("/message/type")]]);
    expect(sandbox.calls.entries(true)).toMatchObject([{ operation: "sendMessage" }]);
  });

  it("an operation that does not exist", async () => {
    const { gateway, sandbox } = await setUp();
    expect((await gateway("GET", "/nothing")).status).toBe(404);
    expect(sandbox.calls.totals().faults).toBe(1);
  });

  it("its own answers, too: a whole conversation has no fault", async () => {
    const { gateway, post, channel, sandbox, ask } = await setUp();
    await post("m1");
    await post("m1");
    await gateway("POST", "/messages/read", { channel_id: channel, message: { external_id: "m1" } });
    await gateway("GET", "/channels");
    await gateway("DELETE", "/messages", { channel, message: { external_id: "m1" } });
    await gateway("PUT", `/channels/${channel}`, { name: "New" });
    await gateway("DELETE", `/channels/${channel}`);
    for (const path of ["/api/api-versions", "/api/credentials", "/api/v5/integration-modules/m"])
      await ask("GET", path, undefined, { "x-api-key": SANDBOX_KEY });
    expect(sandbox.calls.entries(true)).toEqual([]);
  });
});

describe("the sandbox's gateway", () => {
  it("answers 429 to the thirty-first request in any second, and to that token only", async () => {
    const { gateway, wait } = await setUp();
    wait(5_000);
    const answers = [];
    for (let n = 0; n < 31; n++) answers.push((await gateway("GET", "/channels")).status);
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
    expect(answers.at(-1)).toBe(429);
    wait(1_001);
    expect((await gateway("GET", "/channels")).status).toBe(200);
  });

  it("refuses a repeated external_id", async () => {
    const { post, sandbox } = await setUp();
    await post("m1");
    expect(await post("m1")).toMatchObject({
      status: 400,
      body: { errors: ["Message with passed external_id already exists"] },
    });
    expect(sandbox.world.messages).toHaveLength(1);
  });

  it("refuses what the channel's announced settings forbid", async () => {
    const { post, gateway, channel } = await setUp();
    expect((await post("m1", "x".repeat(11))).status).toBe(400);
    const image = {
      channel,
      external_chat_id: "v",
      customer: { external_id: "v", nickname: "V" },
      message: { type: "image", items: [{ id: "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11" }] },
    };
    expect((await gateway("POST", "/messages", image)).status).toBe(400);
    expect((await post("m2", "hi", { quote: { external_id: "gone" } })).status).toBe(400);
  });

  it("refuses a rotated token; the CRM returns the new one", async () => {
    const { ask, token } = await setUp();
    const old = token();
    await ask("POST", "/sandbox/token/rotate");
    expect((await ask("GET", "/api/transport/v1/channels", undefined, { "x-transport-token": old })).status).toBe(401);
    const { body } = await ask("GET", "/api/v5/integration-modules/m", undefined, { "x-api-key": SANDBOX_KEY });
    expect(body).toMatchObject({ integrationModule: { integrations: { mgTransport: { token: token() } } } });
  });
});

describe("the sandbox's files", () => {
  it("come as bytes or from a URL, and are served unchanged", async () => {
    const source = await listening((_, answer) => answer.setHeader("content-type", "image/png").end("picture"));
    const { gateway, sandbox } = await setUp();
    const url = `${source}/a/knot.png`;
    const { body } = await gateway("POST", "/files/upload_by_url", { url });
    expect(body).toMatchObject({ type: "image", size: 7 });
    const record = (await gateway("GET", `/files/${body.id}`)).body;
    const served = await sandbox.fetch(new Request(String(record.url)), {});
    expect([await served.text(), served.headers.get("content-type")]).toEqual(["picture", "image/png"]);
    expect((await gateway("POST", "/files/upload_by_url", { url: "http://127.0.0.1:1/none" })).status).toBe(400);
  });
});

describe("the sandbox's CRM", () => {
  it.each([
    ["without a key", "", 403],
    ["with a wrong key", "wrong", 403],
  ])("refuses %s", async (_, key, status) => {
    const { ask } = await setUp();
    expect((await ask("GET", "/api/credentials", undefined, key ? { "x-api-key": key } : {})).status).toBe(status);
  });

  it("refuses a code that is not the path's, and a module without an integration of the contract", async () => {
    const { register } = await setUp();
    expect((await register({ code: "other" })).status).toBe(400);
    expect((await register({ integrations: {} })).status).toBe(400);
    expect((await register({ integrations: { radio: {} } })).status).toBe(400);
  });

  it("gives the same token when a module registers again", async () => {
    const { register, token } = await setUp();
    const before = token();
    await register();
    expect(token()).toBe(before);
  });

  it("disables every transport module with the gateway integration, and re-enables none (spec)", async () => {
    const { ask, sandbox } = await setUp();
    await ask("POST", "/sandbox/switches", { gatewayOn: false });
    await ask("POST", "/sandbox/switches", { gatewayOn: true });
    expect(sandbox.world.modules.get("m")?.active).toBe(false);
  });
});

describe("the sandbox's webhooks", () => {
  async function talking(answer: Parameters<typeof moduleAnswering>[0]) {
    const module = await moduleAnswering(answer);
    const sandbox = await setUp(`${module.url}/hook`);
    await sandbox.post("m1");
    const agent = [...sandbox.sandbox.world.users.values()][0];
    const speech = { chat_id: sandbox.chat(), scope: "public" };
    const say = (content: string) =>
      sandbox.ask("POST", "/api/bot/v1/messages", { ...speech, content }, { "x-bot-token": agent?.token ?? "" });
    const last = () => sandbox.sandbox.world.messages.at(-1);
    return { ...sandbox, ...module, say, last };
  }

  it("carry the client id, come in order, and are retried until accepted", async () => {
    const { say, hooks, clientIds } = await talking((_, n) =>
      n === 1 ? undefined : n === 2 ? { status: 503 } : { body: { async: true } },
    );
    for (const text of ["a", "b", "c"]) await say(text);
    await until(() => hooks.length === 5);
    expect(hooks.map((hook) => hook.data.content)).toEqual(["a", "a", "a", "b", "c"]);
    expect([...clientIds]).toEqual(["c1"]);
  });

  it("that are accepted asynchronously wait for the ack", async () => {
    const { say, last, gateway, channel } = await talking(() => ({ body: { async: true } }));
    await say("a");
    await until(() => last()?.status === "sent");
    await gateway("POST", "/messages/ack", { channel, message: { id: last()?.id }, transport_message_id: "t1" });
    expect(last()).toMatchObject({ status: "received", externalId: "t1" });
    await gateway("POST", "/messages/ack", {
      channel,
      message: { id: last()?.id },
      error: { code: "general", message: "no" },
    });
    expect(last()).toMatchObject({ status: "failed", error: { code: "general" } });
  });

  it.each([
    ["an error", { status: 403, body: { error: { code: "access_restricted", message: "off" } } }, "access_restricted"],
    ["neither an id nor async", { body: {} }, "malformed_response"],
    ["a body against the contract", { body: { async: "yes" } }, "malformed_response"],
  ])("answered with %s fail", async (_, answer, code) => {
    const { say, last } = await talking(() => answer);
    await say("a");
    await until(() => last()?.status === "failed");
    expect(last()?.error?.code).toBe(code);
  });
});

describe("the sandbox's controls", () => {
  it("refuse an unknown right by its name", async () => {
    const { ask, sandbox } = await setUp();
    const { status, body } = await ask("POST", "/sandbox/keys", { key: "k", scopes: ["order_read", "bogus"] });
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [expect.stringMatching(/^scopes\[1\]: bogus is not a right; known rights: .*order_read/)],
    });
    expect(sandbox.world.keys.has("k")).toBe(false);
  });

  it("say what is wrong with a body in one line", async () => {
    const { ask } = await setUp();
    const { status, body } = await ask("POST", "/sandbox/activity", { code: 7, active: true });
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: [expect.stringMatching(/^code: Invalid input: expected string.*; freeze: Invalid input: [^\n]*$/)],
    });
  });
});
