import { describe, expect, it } from "vitest";
import { loadSpec } from "../../src/spec.ts";
import { account, bot, chatting, module, type Received, until } from "./account.ts";

const later = () => ({ async: true });
const taken = ({ path, text }: Received) =>
  path === "/hook" ? { external_message_id: `t${JSON.parse(text).data.id ?? ""}` } : {};

/** Every call of an API. */
const callsOf = (contract: string) =>
  Object.entries(loadSpec(contract).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1")] as const),
  );

describe("spec: Messaging gateway APIs", () => {
  it('"Transport API … {transport_api_url}, path ending /api/transport/v1/ … Header X-Transport-Token." / "Transport API … The token returned at transport module registration (info.mgTransport.token) must be sent in the header X-Transport-Token on every request."', async () => {
    const { edit, json, tokenOf } = account();
    await edit(module());
    const ask = (headers: Record<string, string>) => json("GET", "/api/transport/v1/channels", undefined, headers);
    expect((await ask({ "x-transport-token": tokenOf("m") })).status).toBe(200);
    const wrong: Record<string, string>[] = [{}, { "x-transport-token": "wrong" }, { "x-bot-token": tokenOf("m") }];
    for (const headers of wrong)
      expect(await ask(headers)).toMatchObject({ status: 401, body: { errors: ["Unauthorized"] } });
    for (const [method, path] of callsOf("transport-api.openapi.json"))
      expect([method, path, (await json(method, `/api/transport/v1${path}`)).status]).toEqual([method, path, 401]);
  });

  it('"Bot API … {bot_api_url} … Header X-Bot-Token." / "Bot API … The token returned at bot registration (info.mgBot.token) must be sent in the header X-Bot-Token on every request."', async () => {
    const { edit, json, tokenOf } = account();
    await edit(bot());
    await edit(module());
    const ask = (headers: Record<string, string>) => json("GET", "/api/bot/v1/bots", undefined, headers);
    expect((await ask({ "x-bot-token": tokenOf("b") })).status).toBe(200);
    const wrong: Record<string, string>[] = [{}, { "x-bot-token": "wrong" }, { "x-bot-token": tokenOf("m") }];
    for (const headers of wrong) expect((await ask(headers)).status).toBe(401);
    for (const [method, path] of callsOf("bot-api.openapi.json"))
      expect([method, path, (await json(method, `/api/bot/v1${path}`)).status]).toEqual([method, path, 401]);
  });

  it.each(["transport", "bot"] as const)(
    '"More than 30 requests per second from one token on the Transport API or the Bot API … HTTP status 429 Too Many Requests." / "Request rate … Each token, on the Transport API and on the Bot API … 30 requests per second": the %s API',
    async (api) => {
      const { edit, json, tokenOf, wait } = account();
      for (const each of [module(), module({ code: "m2" }), bot(), bot({ code: "b2" })]) await edit(each);
      const [code, other] = api === "bot" ? ["b", "b2"] : ["m", "m2"];
      const ask = (of: string) =>
        json("GET", `/api/${api}/v1/channels`, undefined, { [`x-${api}-token`]: tokenOf(of) }).then((a) => a.status);
      const answers = [];
      for (let n = 0; n < 31; n++) answers.push(await ask(code));
      expect([answers.lastIndexOf(200), answers.indexOf(429)]).toEqual([29, 30]);
      expect(await ask(other)).toBe(200);
      wait(1_001);
      expect(await ask(code)).toBe(200);
    },
  );

  it("agents are the CRM's own: they are not limited, and use up no bot's limit", async () => {
    const { edit, asUser, asBot } = account();
    await edit(bot());
    const statuses = async (ask: typeof asBot, times: number) => {
      const answers = [];
      for (let n = 0; n < times; n++) answers.push((await ask("GET", "/channels")).status);
      return answers.filter((status) => status === 200).length;
    };
    expect([await statuses(asUser, 45), await statuses(asBot, 31), await statuses(asUser, 1)]).toEqual([45, 30, 1]);
  });

  it('"The gateway sends requests to the transport module at integrationModule[integrations][mgTransport][webhookUrl]."', async () => {
    const { say, server } = await chatting();
    await say("hi");
    const hook = await until(() => server.received.find(({ path }) => path === "/hook"));
    expect(JSON.parse(hook.text)).toMatchObject({
      type: "message_sent",
      meta: { timestamp: expect.any(Number) },
      data: { content: "hi", external_chat_id: "chat-1", external_user_id: "u1" },
    });
  });
});

describe("contract: a message to the messenger", () => {
  it("is received at once with an id, or waits for the ack", async () => {
    const { say, message, transport, channel } = await chatting({}, {}, later);
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "sent");
    const ack = { channel, message: { id: body.message_id }, transport_message_id: "t1" };
    await transport("POST", "/messages/ack", ack);
    expect(message(body.message_id)).toMatchObject({ status: "received", externalId: "t1" });
    const quick = await chatting({}, {}, taken);
    const said = (await quick.say("hi")).body.message_id;
    await until(() => quick.message(said)?.status === "received");
  });

  it("that has an id at once and promises an ack still waits for it", async () => {
    const { say, message } = await chatting({}, {}, () => ({ async: true, external_message_id: "early" }));
    const id = (await say("hi")).body.message_id;
    await until(() => message(id)?.externalId === "early");
    expect(message(id)?.status).toBe("sent");
  });

  it("fails with async_send_timeout when no ack comes in time", async () => {
    const { say, message, jump } = await chatting({}, { ackDeadlineMs: 60_000 }, later);
    const id = (await say("hi")).body.message_id;
    await until(() => message(id)?.status === "sent");
    await jump(59_000);
    expect(message(id)?.status).toBe("sent");
    await jump(1_001);
    expect(message(id)).toMatchObject({ status: "failed", error: { code: "async_send_timeout" } });
  });

  it("fails with network_error when nobody answers, and with malformed_response when the answer breaks the contract", async () => {
    const { say, message, edit, server } = await chatting({}, { webhookRetryForMs: 0 }, () => ({ async: "yes" }));
    const bad = (await say("hi")).body.message_id;
    await until(() => message(bad)?.error?.code === "malformed_response");
    const integrations = { mgTransport: { webhookUrl: "http://127.0.0.1:9/none" } };
    await edit(module({ baseUrl: server.url, integrations }));
    const lost = (await say("hi")).body.message_id;
    await until(() => message(lost)?.error?.code === "network_error");
  });

  it.each(["customer_not_exists", "reply_timed_out", "spam_suspicion", "access_restricted", "general"])(
    "fails with %s when the module says so",
    async (code) => {
      const { say, message } = await chatting({}, {}, () => ({ error: { code, message: "no" } }));
      const id = (await say("hi")).body.message_id;
      expect((await until(() => message(id)?.error)).code).toBe(code);
    },
  );

  it("updates the gateway's ids of chat and customer", async () => {
    const { say, world, chat, post } = await chatting({}, {}, () => ({
      external_message_id: "t1",
      external_chat_id: "better",
      external_customer_id: "u-better",
    }));
    await say("hi");
    await until(() => world.chats.get(chat)?.externalId === "better");
    await post("known by the old id");
    expect(world.chats.size).toBe(1);
  });
});

describe("contract: what the announced settings forbid is refused, and the call log names the rule", () => {
  const image = { creating: "receive", max_items_count: 1 };
  it.each([
    ["settings.text.max_chars_count", { text: { creating: "both", max_chars_count: 5 } }, { text: "123456" }],
    ["settings.image.creating", { image }, { type: "image", items: [{ id: crypto.randomUUID() }] }],
    ["settings.audio.creating", {}, { type: "audio", items: [{ id: crypto.randomUUID() }] }],
    ["settings.product.creating", { product: {} }, { type: "product", product: { id: 1, name: "P" } }],
  ])("%s, from the module", async (rule, settings, message) => {
    const { post, sandbox } = await chatting(settings);
    const { status, body } = await post("x", {}, message);
    expect([status, body.errors]).toEqual([400, [expect.any(String)]]);
    expect(sandbox.calls.entries().at(-1)?.rule).toBe(rule);
  });

  it.each([
    ["settings.text.creating", { text: { creating: "send" } }, {}],
    ["settings.text.max_chars_count", { text: { creating: "both", max_chars_count: 1 } }, {}],
    [
      "settings.suggestions.url",
      { text: { creating: "both" }, suggestions: { text: "receive" } },
      { transport_attachments: { suggestions: [{ type: "url", title: "a" }] } },
    ],
  ])("%s, from the agent", async (rule, settings, more) => {
    const { channel, transport, say, sandbox } = await chatting();
    await transport("PUT", `/channels/${channel}`, { settings });
    expect((await say("too long", more)).status).toBe(400);
    expect(sandbox.calls.entries().findLast((call) => call.side === "bot")?.rule).toBe(rule);
  });

  it("a missing setting, by name: each that an action needs, in a channel without settings", async () => {
    const { transport, asUser, world } = await chatting();
    const { body } = await transport("POST", "/channels", { type: "custom" });
    const channel = body.id;
    const customer = { external_id: "u9", nickname: "Kim" };
    const refused = async (message: object) =>
      (await transport("POST", "/messages", { channel, customer, message })).body.errors[0];
    expect(await refused({ type: "text", text: "hi" })).toBe(
      "Channel does not accept messages of type text: settings.text.creating is missing",
    );
    expect(await refused({ type: "audio", items: [{ id: crypto.randomUUID() }] })).toContain("settings.audio.creating");
    expect(await refused({ type: "command", text: "/go" })).toContain("settings.text.creating is missing");
    await transport("PUT", `/channels/${channel}`, { settings: { text: { creating: "send" } } });
    const message = { external_id: "n1" };
    await transport("POST", "/messages", { channel, customer, message: { type: "text", text: "hi", ...message } });
    const acts = [
      await transport("PUT", "/messages", { channel, message: { ...message, text: "x" } }),
      await transport("DELETE", "/messages", { channel, message }),
      await transport("POST", "/messages/reaction", { channel, message, reaction: "👍" }),
      await transport("POST", "/messages/read", { channel_id: channel, message }),
      await transport("POST", "/messages", { channel, customer, quote: message, message: { type: "text", text: "x" } }),
    ];
    const named = acts.map((act) => /: settings\.([\w.]+) is missing$/.exec(act.body.errors[0] ?? "")?.[1]);
    expect(named).toEqual(["text.editing", "text.deleting", "text.reaction", "status.read", "text.quoting"]);
    const chat = [...world.chats.values()].at(-1)?.id;
    const said = await asUser("POST", "/messages", { chat_id: chat, scope: "public", content: "hi" });
    expect(said.body.errors).toEqual([
      'Channel does not accept messages of type text: settings.text.creating is "send"',
    ]);
  });

  it("reactions outside the channel's dictionary or beyond its count", async () => {
    const reactions = { dictionary: ["👍", "🔥"], max_count: 1 };
    const { transport, channel, world } = await chatting({ reactions });
    const react = (reaction: string) =>
      transport("POST", "/messages/reaction", { channel, message: { external_id: "m1" }, reaction });
    expect((await react("💩")).status).toBe(400);
    for (const reaction of ["👍", "🔥"]) expect((await react(reaction)).status).toBe(200);
    expect(world.messages[0]?.reactions.map(({ content }) => content)).toEqual(["🔥"]);
  });

  it("sending policies and the deadline of a reply", async () => {
    const policy = { sending_policy: { after_reply_timeout: "template", new_customer: "no", outgoing: "restricted" } };
    const { post, say, asAgent, channel, jump, world } = await chatting(policy);
    const deadline = "2026-05-01T11:00:00Z";
    await post("answer me", { reply_deadline: deadline });
    expect((await say("in time")).status).toBe(200);
    await jump(3_601_000);
    expect((await say("too late")).body.errors).toEqual([
      'Time to reply is over, only a template can be sent: settings.sending_policy.after_reply_timeout is "template"',
    ]);
    const customer = { external_id: "new", nickname: "New" };
    expect((await asAgent("POST", "/chats", { channel_id: channel, customer })).status).toBe(400);
    expect(world.chats.size).toBe(1);
  });
});

describe("contract: messages from the messenger", () => {
  it("are refused by a known external_id, in the gateway's own words", async () => {
    const { post, world } = await chatting();
    expect((await post("again", {}, { external_id: "m1" })).body.errors).toEqual([
      "Message with passed external_id already exists",
    ]);
    expect(world.messages).toHaveLength(1);
  });

  it("from the past are imported without an event and without a dialog", async () => {
    const { transport, channel, world, chat } = await chatting();
    const before = [world.everything.length, world.chats.get(chat)?.dialogs.length];
    const message = { type: "text", text: "old", external_id: "h1", created_at: "2020-01-01T00:00:00Z" };
    const customer = { external_id: "u1", nickname: "Jo" };
    const past = { channel_id: channel, external_chat_id: "chat-1", customer, message };
    expect((await transport("POST", "/messages/history", past)).status).toBe(200);
    expect([world.everything.length - 1, world.chats.get(chat)?.dialogs.length]).toEqual(before);
    expect(world.messages.at(-1)).toMatchObject({ time: Date.parse("2020-01-01T00:00:00Z"), text: "old" });
  });

  it("from the past leave deadline, unread count and waiting level unchanged", async () => {
    const { transport, channel, world, chat, asUser, post } = await chatting();
    await post("now", { reply_deadline: "2026-05-01T12:00:00Z" });
    const shown = async () => {
      const [{ last_message, not_read_messages, reply_deadline, waiting_level_transition_time }] = (
        await asUser("GET", "/chats")
      ).body as unknown as [Record<string, unknown>];
      const last = (last_message as { content: string }).content;
      return { last, not_read_messages, reply_deadline, waiting_level_transition_time };
    };
    const before = await shown();
    const customer = { external_id: "u1", nickname: "Jo" };
    const message = { type: "text", text: "old", external_id: "h1", created_at: "2020-01-01T00:00:00Z" };
    await transport("POST", "/messages/history", {
      channel_id: channel,
      external_chat_id: "chat-1",
      customer,
      message,
    });
    expect(await shown()).toEqual(before);
    expect(world.messagesOf(chat)).toHaveLength(4);
  });

  it("with invalid times or names are refused, and nothing is stored", async () => {
    const { post, world } = await chatting();
    for (const message of [{ created_at: "2016-12-31T23:59:60Z" }, { created_at: "2020-01-01T00:00:00+01" }])
      expect((await post("x", {}, message)).status).toBe(400);
    expect((await post("x", { customer: { external_id: "u9", nickname: "   " } })).status).toBe(400);
    expect([world.messages.length, world.customers.size]).toEqual([1, 1]);
  });

  it("come from the customer, the channel or staff in the messenger", async () => {
    const { post, world } = await chatting();
    for (const originator of ["channel", "user"]) await post("x", { originator });
    expect(world.messages.map(({ from }) => from.type)).toEqual(["customer", "channel", "user"]);
  });

  it("find chat and customer by secondary ids", async () => {
    const { post, world } = await chatting();
    const customer = { external_id: "u2", nickname: "Jo", secondary_external_ids: ["u1"] };
    await post("x", { external_chat_id: "chat-2", secondary_external_chat_ids: ["chat-1"], customer });
    expect([world.chats.size, world.customers.size]).toEqual([1, 1]);
  });

  it("are edited, deleted and restored", async () => {
    const { transport, channel, world } = await chatting();
    const message = { external_id: "m1" };
    await transport("PUT", "/messages", { channel, message: { ...message, text: "edited" } });
    expect(world.messages[0]).toMatchObject({ text: "edited", edited: true });
    expect((await transport("DELETE", "/messages", { channel, message })).body.content).toBe("edited");
    expect(world.messages[0]?.deleted).toBe(true);
    const again = await transport("DELETE", "/messages", { channel, message });
    expect(again.status).toBe(400);
    await transport("POST", "/messages/restore", { channel_id: channel, message });
    expect(world.messages[0]?.deleted).toBe(false);
  });

  it("of agents are read one by one and up to a time", async () => {
    const { say, transport, channel, message, wait } = await chatting({}, {}, taken);
    const ids = [];
    for (const text of ["a", "b", "c"]) {
      const { body } = await say(text);
      ids.push(body.message_id);
      await until(() => message(body.message_id)?.status === "received");
      wait(1_000);
    }
    await transport("POST", "/messages/read", { channel_id: channel, message: { id: ids[0] } });
    const until1 = { channel_id: channel, customer_external_id: "u1", until: "2026-05-01T10:00:01Z" };
    expect((await transport("POST", "/messages/read_until", until1)).body).toEqual({ ids: [ids[1]] });
    expect(ids.map((id) => message(id)?.status)).toEqual(["seen", "seen", "received"]);
  });
});

describe("contract: what a transport module cannot reach", () => {
  it("private notes and system messages are unknown to it", async () => {
    const { asUser, transport, channel, chat, world } = await chatting();
    const note = await asUser("POST", "/messages", { chat_id: chat, scope: "private", content: "our secret" });
    const system = world.everything.find(({ type }) => type === "system");
    for (const id of [note.body.message_id, system?.id]) {
      const message = { id };
      const answers = [
        await transport("DELETE", "/messages", { channel, message }),
        await transport("POST", "/messages/read", { channel_id: channel, message }),
        await transport("POST", "/messages/ack", { channel, message, transport_message_id: "t" }),
        await transport("POST", "/messages/reaction", { channel, message, reaction: "👍" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      expect(JSON.stringify(answers)).not.toContain("our secret");
    }
    expect(world.messageById(Number(note.body.message_id))).toMatchObject({ deleted: false, status: "sent" });
  });

  it("another module's channels are not found, nor those that were closed", async () => {
    const { edit, tokenOf, transport, channel } = await chatting();
    await edit(module({ code: "m2" }));
    const update = (token: string) => transport("PUT", `/channels/${channel}`, { name: "Mine" }, token);
    expect((await update(tokenOf("m2"))).body.errors).toEqual(["Channel not found"]);
    await transport("DELETE", `/channels/${channel}`);
    expect((await update(tokenOf("m"))).body.errors).toEqual(["Channel not found"]);
  });

  it("an id in the messenger belongs to one message", async () => {
    const { say, transport, channel, message } = await chatting({}, {}, later);
    const ids = [(await say("a")).body.message_id, (await say("b")).body.message_id];
    await until(() => ids.every((id) => message(id)?.status === "sent"));
    const ack = (id: unknown) =>
      transport("POST", "/messages/ack", { channel, message: { id }, transport_message_id: "t1" });
    expect([(await ack(ids[0])).status, (await ack(ids[1])).status]).toEqual([200, 400]);
    expect(message(ids[1])?.status).toBe("sent");
  });

  it("a request beyond the largest file is refused in the gateway's own shape, and logged", async () => {
    const { sandbox, tokenOf } = await chatting();
    const token = { "x-transport-token": tokenOf("m") };
    const [MIB, url] = [1024 * 1024, "http://sandbox/api/transport/v1/files/upload"];
    const declared = { method: "POST", headers: { ...token, "content-length": String(22 * MIB) }, body: "x" };
    // As a module sends a file whose size it does not know.
    const body = ReadableStream.from(Array.from({ length: 22 }, () => new Uint8Array(MIB)));
    const streamed = { method: "POST", headers: token, body, duplex: "half" };
    for (const init of [declared, streamed]) {
      const answer = await sandbox.fetch(new Request(url, init as RequestInit), {});
      expect([answer.status, await answer.json()]).toEqual([413, { errors: ["Request is too large"] }]);
    }
    const refused = { operation: "uploadFile", status: 413, rule: expect.any(String) };
    expect(sandbox.calls.entries().slice(-2)).toMatchObject([refused, refused]);
  });
});

describe("contract: an agent's edit", () => {
  it("follows the rules of a new message, and may change the quote", async () => {
    const { say, asUser, message, first } = await chatting({}, {}, taken);
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "received");
    const edit = (change: object) => asUser("PATCH", `/messages/${body.message_id}`, change);
    for (const change of [{}, { content: " " }, { quote_message_id: 7 }]) expect((await edit(change)).status).toBe(400);
    expect((await edit({ content: "hello", quote_message_id: first.body.message_id })).status).toBe(200);
    expect(message(body.message_id)).toMatchObject({ text: "hello", quoteId: first.body.message_id, edited: true });
  });
});

describe("contract: templates", () => {
  it("are sent once they are approved, with their arguments", async () => {
    const { transport, asAgent, channel, chat, server } = await chatting();
    const template = { code: "t#1", name: "T", type: "text", body: "Hello {{1}}", category: "utility" };
    const path = `/channels/${channel}/templates`;
    await transport("POST", path, { ...template, verification_status: "pending" });
    const send = (body: string[]) => asAgent("POST", `/chats/${chat}/template`, { code: "t#1", body });
    expect((await send(["Jo"])).body.errors).toEqual(["Template is not approved"]);
    await transport("PUT", `${path}/t%231`, { name: "T", verification_status: "approved" });
    expect((await send([])).body.errors).toEqual(["Template needs 1 arguments"]);
    expect((await send(["Jo"])).status).toBe(200);
    const hook = await until(() => server.received.find(({ path: at }) => at === "/hook"));
    expect(JSON.parse(hook.text).data).toMatchObject({
      content: "Hello Jo",
      template: { code: "t#1", category: "utility", variables: { body: { args: ["Jo"] } } },
    });
  });

  it("are sent only with every value: of the header and the buttons, too", async () => {
    const { transport, asAgent, channel, chat } = await chatting();
    const header = { content: { type: "text", body: "Order {{1}}" } };
    const buttons = { items: [{ type: "url", label: "Track", url: "https://shop.example/{{1}}" }] };
    const template = { code: "t", name: "T", type: "text", body: "Hello", header, buttons };
    await transport("POST", `/channels/${channel}/templates`, template);
    const send = (given: object) => asAgent("POST", `/chats/${chat}/template`, { code: "t", ...given });
    expect((await send({})).body.errors).toEqual(["Header needs 1 arguments"]);
    expect((await send({ header: ["7"] })).body.errors).toEqual(["Button Track needs 1 arguments"]);
    expect((await send({ header: ["7"], buttons: [["7"]] })).status).toBe(200);
  });

  it("that the module activates before answering are one template, not two", async () => {
    let activate = async (): Promise<unknown> => undefined;
    const answer = async ({ text }: Received) => {
      if (JSON.parse(text).type !== "template_create") return {};
      await activate();
      return { code: "T" };
    };
    const { asAgent, transport, channel, world } = await chatting({ template: { creation: true } }, {}, answer);
    const body = { code: "T", name: "D", type: "text", body: "x", verification_status: "approved" };
    activate = () => transport("POST", `/channels/${channel}/templates`, body);
    await asAgent("POST", `/channels/${channel}/templates`, { name: "D", body: "x", lang: "en", category: "utility" });
    expect(world.templates).toMatchObject([{ code: "T", enabled: true }]);
  });

  it("written by an agent get the code that the module answers", async () => {
    const answer = ({ text }: Received) =>
      JSON.parse(text).type === "template_create" ? { code: "made", verification_status: "new" } : {};
    const { asAgent, channel, world } = await chatting({ template: { creation: true } }, {}, answer);
    const draft = { name: "D", body: "x", lang: "en", category: "marketing" };
    expect((await asAgent("POST", `/channels/${channel}/templates`, draft)).body).toEqual({ code: "made" });
    expect(world.templates).toMatchObject([{ code: "made", enabled: false, body: { verification_status: "pending" } }]);
  });
});
