import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { openChannel } from "../../src/conformance/channels.ts";
import { openChat, say } from "../../src/conformance/messages.ts";
import { setStage } from "../../src/conformance/stage.ts";
import { serveSandbox } from "../../src/serve.ts";
import { account, bot, chatting, module, moduleServer, until } from "./account.ts";

// Requests of third-party clients, byte for byte, without our own client code.

/** A transport module, a bot and a chat; `ask` sends a raw body. */
async function withClients(settings: object = {}, unknowns: object = {}, answer?: Parameters<typeof chatting>[2]) {
  const own = await chatting(settings, unknowns, answer);
  await own.edit(bot());
  const ask = async (
    api: "transport" | "bot",
    method: string,
    path: string,
    body?: RequestInit["body"],
    type?: string,
  ) => {
    const token = own.tokenOf(api === "bot" ? "b" : "m");
    const headers = { [`x-${api}-token`]: token, ...(type !== undefined && { "content-type": type }) };
    const init = { method, headers, body: method === "GET" ? undefined : body };
    const reply = await own.sandbox.fetch(new Request(`http://sandbox/api/${api}/v1${path}`, init), {});
    const text = await reply.text();
    return { status: reply.status, text, body: text ? JSON.parse(text) : undefined };
  };
  const json = (api: "transport" | "bot", method: string, path: string, text: string) =>
    ask(api, method, path, text, "application/json");
  return { ...own, ask, json };
}

describe("null counts as absent", () => {
  it("in a message of the older bot client, which writes each unset pointer and slice", async () => {
    const { json, chat, world } = await withClients();
    const message = `{"type":"","content":"test","product":null,"order":null,"items":null,"scope":"public","chat_id":${chat},"quote_message_id":0,"transport_attachments":null}`;
    expect(await json("bot", "POST", "/messages", message)).toMatchObject({ status: 200 });
    expect(world.messages.at(-1)).toMatchObject({ type: "text", text: "test", suggestions: [] });
  });

  it("in its other requests, with the fields and bodies that it adds", async () => {
    const { json, chat, world } = await withClients();
    const dialog = world.chats.get(chat)?.dialogs[0]?.id;
    const user = world.users.keys().next().value;
    const asked = [
      await json("bot", "PATCH", "/my/info", '{"name":"Helper","roles":null,"avatar_url":null}'),
      await json("bot", "PUT", "/my/commands/go", '{"name":"go","description":"Goes"}'),
      await json(
        "bot",
        "PATCH",
        `/dialogs/${dialog}/tags/add`,
        '{"DialogID":1,"tags":[{"name":"a","color_code":null}]}',
      ),
      await json("bot", "PATCH", `/dialogs/${dialog}/assign`, `{"dialog_id":${dialog},"user_id":${user},"bot_id":0}`),
      await json("bot", "DELETE", `/dialogs/${dialog}/close`, `${dialog}`),
      await json("bot", "GET", "/bots", ""),
    ];
    expect(asked.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual([200, 200, 200, 200, 200, 200]);
    expect(world.bots.values().next().value).toMatchObject({ name: "Helper", roles: [] });
  });

  it("as a list's entry, deep in a card, and instead of a default", async () => {
    const { json, channel, world } = await withClients();
    const order =
      '{"number":"7","date":null,"cost":{"value":1,"currency":"EUR"},"items":[null,{"name":"Rope","quantity":null}]}';
    const customer =
      '{"external_id":"u1","nickname":"Jo","last_name":null,"secondary_external_ids":[null,"u1b"],"utm":{"source":null}}';
    const body = `{"channel":${channel},"external_chat_id":null,"originator":null,"quote":null,"user":null,"customer":${customer},"message":{"type":"order","text":null,"note":null,"items":null,"page_link":null,"product":null,"order":${order}}}`;
    expect(await json("transport", "POST", "/messages", body)).toMatchObject({ status: 200 });
    expect(world.messages.at(-1)?.order).toEqual({
      number: "7",
      cost: { value: 1, currency: "EUR" },
      items: [{ name: "Rope" }],
    });
    expect(world.customers.values().next().value).toMatchObject({ otherIds: ["u1b"], lastName: "" });
  });

  it("so a required field is missing when it is null", async () => {
    const { json, channel, sandbox } = await withClients();
    const refused = await json("transport", "POST", "/messages", `{"channel":${channel},"message":null}`);
    expect([refused.status, refused.body.errors]).toEqual([400, ["(body) must have required property 'message'"]]);
    expect((await json("transport", "POST", "/messages", "null")).body.errors).toEqual(["(body) is missing"]);
    expect(sandbox.calls.entries().at(-1)?.rule).toBe("contract");
  });

  it("in a channel's settings, with the choices that the older client leaves empty", async () => {
    const { json, world } = await withClients();
    const settings =
      '{"spam_allowed":false,"status":{"delivered":"","read":null},"text":{"creating":"both","editing":"","quoting":"","deleting":""},"reactions":{"dictionary":null,"max_count":null},"template":null}';
    const { status, body } = await json("transport", "POST", "/channels", `{"type":"telegram","settings":${settings}}`);
    expect(status).toBe(201);
    expect(world.channels.get(body.id)?.settings).toEqual({
      spam_allowed: false,
      status: {},
      text: { creating: "both" },
      reactions: {},
    });
  });

  it("in what a module answers to a call of the CRM, and in what an agent does", async () => {
    const server = await moduleServer(() => ({ success: true, error: null }));
    const { edit, json, sandbox } = account();
    await edit(module({ baseUrl: server.url, actions: { activity: "/a" } }));
    await json("POST", "/sandbox/activity", { code: "m", active: false, freeze: false });
    expect(sandbox.calls.entries().at(-1)).toMatchObject({ operation: "onActivity", status: 200, faults: [] });
    const { asAgent } = await withClients();
    const me = { is_online: null, available: null, first_name: "Alexis", last_name: null };
    expect((await asAgent("PATCH", "/me", me)).status).toBe(200);
  });

  it("and so does an empty value in a query, as PHP writes false", async () => {
    const { ask } = await withClients();
    const asked = [
      await ask("transport", "GET", "/channels?active=&types=&since=&limit=&id="),
      await ask("bot", "GET", "/channels?active=&types=&until=&until_id="),
      await ask("bot", "GET", "/chats?channel_id=&channel_type=&include_mass_communication="),
    ];
    expect(asked.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 1],
      [200, 1],
      [200, 1],
    ]);
    expect((await ask("bot", "GET", "/channels?active=perhaps")).status).toBe(400);
  });

  it("in what a module answers to a webhook", async () => {
    const answer = () => ({ async: null, external_message_id: "t1", error: null, external_chat_id: null });
    const { say, message } = await withClients({}, {}, answer);
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "received");
    const refusing = () => ({ error: { code: "general", message: "no", external_code: null } });
    const other = await withClients({}, {}, refusing);
    const refused = (await other.say("hi")).body.message_id;
    expect(await until(() => other.message(refused)?.error)).toEqual({ code: "general", message: "no" });
  });
});

/** How clients derive a URL from `endpointUrl`. */
const URL_FORMS: Record<string, (endpointUrl: string, api: string, path: string) => string> = {
  "cuts slashes off and appends the API's path": (url, api, path) => `${url.replace(/\/+$/, "")}/api/${api}/v1${path}`,
  "appends the API's path as it is": (url, api, path) => `${url}/api/${api}/v1${path}`,
  "adds a slash and appends the API's path": (url, api, path) => `${url.replace(/\/?$/, "/")}api/${api}/v1${path}`,
  "appends the call": (url, _, path) => `${url}${path}`,
  "resolves the call below it": (url, _, path) => new URL(`.${path}`, url.replace(/\/?$/, "/")).href,
};

const sample = (name: string) => new Uint8Array(readFileSync(new URL(`../samples/${name}`, import.meta.url)));

describe("an upload", () => {
  const part = (head: string) =>
    Buffer.concat([Buffer.from(`--X\r\n${head}\r\n\r\n`), sample("picture.png"), Buffer.from("\r\n--X--\r\n")]);
  const form = "multipart/form-data; boundary=X";
  const ways: [string, () => Uint8Array<ArrayBuffer>, string | undefined][] = [
    ["raw, called JSON as the older clients do", () => sample("picture.png"), "application/json"],
    ["raw, without a word on its type", () => sample("picture.png"), undefined],
    ["raw, as bytes", () => sample("picture.png"), "application/octet-stream"],
    ["raw, as curl calls it", () => sample("picture.png"), "application/x-www-form-urlencoded"],
    ["in a part without a name", () => part("Content-Type: application/octet-stream"), form],
    ["in a part named by the file", () => part('Content-Disposition: form-data; name="a.png"; filename="a.png"'), form],
  ];
  it.each(
    ways.flatMap(([how, body, type]) => (["transport", "bot"] as const).map((api) => ({ how, api, body, type }))),
  )("$how gets its type from the bytes at the $api API", async ({ api, body, type }) => {
    const { ask, world, sandbox } = await withClients();
    const answer = await ask(api, "POST", "/files/upload", body(), type);
    expect([answer.status, answer.body]).toMatchObject([200, { type: "image", size: sample("picture.png").length }]);
    expect(world.files.get(answer.body.id)).toMatchObject({ mediaType: "image/png", width: 36, height: 20 });
    expect(Buffer.compare(world.files.get(answer.body.id)?.bytes ?? Buffer.of(), sample("picture.png"))).toBe(0);
    expect(sandbox.calls.entries(true)).toEqual([]);
  });

  it("without bytes is refused, raw and in a form", async () => {
    const { ask } = await withClients();
    for (const api of ["transport", "bot"] as const) {
      expect((await ask(api, "POST", "/files/upload", new Uint8Array(), "application/json")).body.errors).toEqual([
        "File is empty",
      ]);
      expect((await ask(api, "POST", "/files/upload", "--X--\r\n", form)).body.errors).toEqual(["File is missing"]);
    }
  });

  it("shows its size in pixels and its duration to bots, on the socket and in the webhook", async () => {
    const stage = await setStage();
    onTestFinished(stage.close);
    const channel = await openChannel(stage);
    const chat = await openChat(stage, channel);
    const upload = async (name: string) => {
      const headers = { "x-bot-token": stage.tokens.user };
      const init = { method: "POST", headers, body: sample(name) };
      const answer = await fetch(`${stage.running.origin}/api/bot/v1/files/upload`, init);
      return { id: ((await answer.json()) as { id: string }).id };
    };
    await say(stage.user, chat, { type: "image", items: [await upload("picture.jpg")] });
    await say(stage.user, chat, { type: "audio", items: [await upload("voice.ogg")] });
    const measures = [{ width: 36, height: 20 }, { duration: 3 }];
    const listed = async (type: string) =>
      ((await stage.bot("GET", `/messages?type=${type}`)).body as unknown as { items: object[] }[])[0]?.items[0];
    expect([await listed("image"), await listed("audio")]).toMatchObject(measures);
    const received = () =>
      (stage.received as { type: string; data: { message: { items?: object[] } } }[]).flatMap(({ type, data }) =>
        type === "message_new" ? (data.message.items ?? []) : [],
      );
    await stage.until("both events", () => received().length === 2);
    expect(received()).toMatchObject(measures);
    await stage.until("the webhook", () => stage.hooks.length === 2);
    expect(stage.hooks[0]?.data).toMatchObject({ items: [measures[0]] });
    expect(stage.seen.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

describe("endpointUrl", () => {
  const announced = [true, false].flatMap((endpointPath) =>
    [true, false].map((endpointSlash) => ({ endpointPath, endpointSlash })),
  );
  it.each(
    announced.flatMap((unknowns) =>
      Object.keys(URL_FORMS).map((form) => [JSON.stringify(unknowns), form, unknowns] as const),
    ),
  )("announced with %s works for a client that %s", async (_, form, unknowns) => {
    const { edit, sandbox } = account(unknowns);
    const infos = [(await edit(module())).body.info, (await edit(bot())).body.info] as Record<
      string,
      { endpointUrl: string; token: string }
    >[];
    const calls = [
      ["transport", infos[0]?.mgTransport, "/channels?limit=1"],
      ["bot", infos[1]?.mgBot, "/chats?limit=1"],
      ["bot", infos[1]?.mgBot, "/my/commands"],
    ] as const;
    for (const [api, info, path] of calls) {
      const address = URL_FORMS[form]?.(info?.endpointUrl ?? "", api, path) ?? "";
      const headers = { [`x-${api}-token`]: info?.token ?? "" };
      const reply = await sandbox.fetch(new Request(address, { headers }), {});
      expect([address, reply.status, await reply.json()]).toEqual([address, 200, []]);
    }
    expect(sandbox.calls.entries(true)).toEqual([]);
  });

  it("works for a socket at the bare host, by header and by subprotocol", async () => {
    const { origin, sandbox, close } = await serveSandbox({ port: 0, settings: { endpointPath: false } });
    onTestFinished(close);
    const form = new URLSearchParams({ integrationModule: JSON.stringify(bot()) });
    const headers = { "x-api-key": "sandbox-key" };
    await fetch(`${origin}//api/v5/integration-modules/b/edit`, { method: "POST", headers, body: form });
    const token = sandbox.world.modules.get("b")?.token ?? "";
    const address = `${origin.replace("http", "ws")}//ws?events=message_new`;
    for (const socket of [
      new WebSocket(address, { headers: { "x-bot-token": token } }),
      new WebSocket(address, ["x-bot-token", token]),
    ])
      await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  });

  it("does not affect files, pages and agents' calls, whatever their headers", async () => {
    const { ask, sandbox, tokenOf, asAgent } = await withClients();
    const { body } = await ask("transport", "POST", "/files/upload", "words", "text/plain");
    const headers = { "x-transport-token": tokenOf("m") };
    const file = await sandbox.fetch(new Request(body.url, { headers }), {});
    expect([file.status, await file.text()]).toEqual([200, "words"]);
    expect((await sandbox.fetch(new Request("http://sandbox/inbox", { headers }), {})).status).toBe(200);
    expect((await asAgent("GET", "/orders")).status).toBe(200);
  });
});
