import { describe, expect, it } from "vitest";
import { account, bot, chatting, module, moduleServer, until } from "./account.ts";

describe("spec: Integration module, what is sent", () => {
  it('"Module code. Equals the {code} of the path."', async () => {
    const { edit } = account();
    expect(await edit(module(), "other")).toMatchObject({
      status: 400,
      body: { success: false, errorMsg: "Errors in the entity format" },
    });
  });

  it.each(["code", "name", "clientId", "baseUrl", "integrations"])('"required: yes" of %s', async (key) => {
    const { edit, world } = account();
    const { [key]: _, ...rest } = module() as Record<string, unknown>;
    const { status, body } = await edit(rest as { code: string }, "m");
    expect([status, body.success, body.errorMsg]).toEqual([400, false, "Errors in the entity format"]);
    expect(body.errors).toEqual({ [key]: "This value should not be blank." });
    expect(world.modules.size).toBe(0);
  });

  it.each(["logo", "accountUrl", "actions"])('"optional": %s may be left out', async (key) => {
    const full = module({ logo: "http://m/l.svg", accountUrl: "http://m/a", actions: { activity: "/x" } });
    const { [key]: _, ...rest } = full as Record<string, unknown>;
    expect((await account().edit(rest as { code: string })).status).toBe(200);
  });

  it('"shape only" of integrationCode and active: of a wrong shape they are refused', async () => {
    const { edit } = account();
    for (const change of [{ integrationCode: 7 }, { active: "perhaps" }])
      expect((await edit(module(change))).status).toBe(400);
  });

  it('"Base address of the module. Callbacks go here." and "Address of the account page at the module.": the card opens it', async () => {
    const { edit, sandbox } = account();
    await edit(module({ accountUrl: "http://m.example/account" }));
    const page = await (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    expect(page).toContain('<form method="post" action="http://m.example/account"');
    expect(page).toContain('<input type="hidden" name="clientId" value="client-1"/>');
  });

  it('"For bot modules at most 32 characters."', async () => {
    const { edit } = account();
    expect((await edit(bot({ name: "é".repeat(33) }))).status).toBe(400);
    expect((await edit(bot({ name: "é".repeat(32) }))).status).toBe(200);
    expect((await edit(module({ name: "é".repeat(33) }))).status).toBe(200);
  });

  it('"For a transport module it must contain mgTransport (an object with webhookUrl …)"', async () => {
    const { edit } = account();
    for (const integrations of [{}, { mgTransport: {} }, { mgTransport: { webhookUrl: 7 } }])
      expect((await edit(module({ integrations }))).status).toBe(400);
  });

  it('"For a bot module it must contain mgBot as an empty object."', async () => {
    const { edit } = account();
    expect((await edit(bot({ integrations: { mgBot: { token: "x" } } }))).status).toBe(400);
    expect((await edit(bot())).status).toBe(200);
  });

  it('"Map of action name to relative path. Key activity is shown: path called when the module is enabled or disabled by the user."', async () => {
    const server = await moduleServer();
    const { edit, json } = account();
    await edit(module({ baseUrl: `${server.url}/base`, actions: { activity: "/on-off" } }));
    await json("POST", "/sandbox/activity", { code: "m", active: false, freeze: false });
    expect(server.received.map(({ path }) => path)).toEqual(["/base/on-off"]);
  });
});

describe("spec: Integration module, what is returned", () => {
  const sent = module({
    integrationCode: "card",
    logo: "http://m.example/l.svg",
    accountUrl: "http://m.example/account",
    actions: { activity: "/activity" },
    availableCountries: ["MT"],
  });

  it('"code, integrationCode, name, clientId, baseUrl, accountUrl, logo: As sent." and "actions: As sent."', async () => {
    const { edit, read } = account();
    await edit(sent);
    const { integrations: _, ...fields } = sent as Record<string, unknown>;
    expect(await read("m")).toMatchObject(fields);
  });

  it('"active, freeze, native: boolean; availableCountries: array"', async () => {
    const { edit, read, json } = account();
    await edit({ ...sent, active: true } as never);
    expect(await read("m")).toMatchObject({ active: true, freeze: false, native: false, availableCountries: ["MT"] });
    await json("POST", "/sandbox/activity", { code: "m", active: true, freeze: true });
    expect(await read("m")).toMatchObject({ active: true, freeze: true });
  });

  it('"integrations.mgTransport.webhookUrl: Transport module."', async () => {
    const { edit, read } = account();
    await edit(sent);
    expect((await read("m")).integrations.mgTransport?.webhookUrl).toBe("http://127.0.0.1:9/hook");
  });

  it('"integrations.mgBot.token: Bot module. The access token for the Bot API. isActive"', async () => {
    const { edit, read, asBot, switches } = account();
    await edit(bot());
    const { mgBot } = (await read("b")).integrations;
    expect(mgBot?.isActive).toBe(true);
    expect((await asBot("GET", "/bots", undefined, String(mgBot?.token))).status).toBe(200);
    await switches({ chatsOn: false });
    expect((await read("b")).integrations.mgBot?.isActive).toBe(false);
  });

  it('"The edit response carries success (boolean) and info. For a transport module info.mgTransport has endpointUrl … and token …"', async () => {
    const { edit, json } = account();
    const { body } = await edit(module());
    const { endpointUrl, token } = (body.info as { mgTransport: { endpointUrl: string; token: string } }).mgTransport;
    expect(body.success).toBe(true);
    const path = `${new URL(endpointUrl).pathname}channels`;
    expect((await json("GET", path, undefined, { "x-transport-token": token })).status).toBe(200);
  });

  it('"For a bot module info.mgBot has endpointUrl (address of the Bot API) and token."', async () => {
    const { edit, json } = account();
    const { body } = await edit(bot());
    const { endpointUrl, token } = (body.info as { mgBot: { endpointUrl: string; token: string } }).mgBot;
    const path = `${new URL(endpointUrl).pathname}bots`;
    expect((await json("GET", path, undefined, { "x-bot-token": token })).status).toBe(200);
  });

  it('"The get response carries success (boolean) and integrationModule."', async () => {
    const { edit, crm } = account();
    await edit(module());
    const { body } = await crm("GET", "/api/v5/integration-modules/m");
    expect(body).toMatchObject({ success: true, integrationModule: { code: "m" } });
  });
});

describe("spec: registration", () => {
  it('"Creates the module when no module has this code, otherwise changes its settings."', async () => {
    const { edit, read, world, tokenOf } = account();
    await edit(module());
    const token = tokenOf("m");
    await edit(module({ name: "New name" }));
    expect([world.modules.size, (await read("m")).name, tokenOf("m")]).toEqual([1, "New name", token]);
  });

  it('"Returns the module parameters. Also returns the access token when it was not saved at registration." / "A lost token is obtained again with GET /api/v5/integration-modules/{code}."', async () => {
    const { edit, read, transport } = account();
    await edit(module());
    const { token } = (await read("m")).integrations.mgTransport as { token: string };
    expect((await transport("GET", "/channels", undefined, token)).status).toBe(200);
  });

  it('rule 1: "A transport module registration requires the messaging gateway integration to be active in the account." / "Registration of a transport module while the gateway integration is inactive"', async () => {
    const { edit, switches, world } = account();
    await switches({ gatewayOn: false });
    expect(await edit(module())).toMatchObject({ status: 400, body: { success: false } });
    expect(world.modules.size).toBe(0);
    expect((await edit(bot())).status).toBe(200);
  });

  it('rule 2: "A bot module registration requires chat functionality to be enabled in the account." / "Registration of a bot module while chats are disabled"', async () => {
    const { edit, switches, world } = account();
    await switches({ chatsOn: false });
    expect(await edit(bot())).toMatchObject({ status: 400, body: { success: false } });
    expect(world.bots.size).toBe(0);
    expect((await edit(module())).status).toBe(200);
  });

  it('rule 3: "On success the response carries the gateway address and access token"', async () => {
    const { body } = await account().edit(module());
    const { mgTransport } = body.info as { mgTransport: { endpointUrl: string; token: string } };
    expect(mgTransport).toEqual({
      endpointUrl: "http://sandbox/api/transport/v1/",
      token: expect.stringMatching(/^\w{32,}$/),
    });
  });

  it('rule 4: "All later configuration of transport channels or bots is done in the gateway through its own API, not in this service."', async () => {
    const { edit, transport, crm, asBot } = account();
    await edit(module());
    await edit(bot());
    expect((await transport("POST", "/channels", { type: "custom" })).status).toBe(201);
    expect((await asBot("PATCH", "/my/info", { name: "Renamed" })).status).toBe(200);
    expect((await crm("GET", "/api/v5/integration-modules/m/channels")).status).toBe(404);
  });

  it('"Registration flow (transport module and bot module are alike)": from the key to the chat', async () => {
    const { json, crm, edit, transport, sandbox } = account({}, "http://module.example");
    const scopes = ["integration_read", "integration_write"];
    await json("POST", "/sandbox/keys", { key: "made-by-the-user", scopes });
    const card = await (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    expect(card).toContain('href="http://module.example/?account=http%3A%2F%2Fsandbox"');
    const ask = async (path: string) => (await crm("GET", path, undefined, "made-by-the-user")).body;
    expect((await ask("/api/api-versions")).versions).toContain("5.0");
    expect((await ask("/api/credentials")).scopes).toEqual(scopes);
    const { info } = (await edit(module(), "m", "made-by-the-user")).body as { info?: unknown };
    const { token } = (info as { mgTransport: { token: string } }).mgTransport;
    const channel = await transport("POST", "/channels", { type: "telegram", name: "Shop" }, token);
    expect((await transport("GET", "/channels", undefined, token)).body).toMatchObject([{ id: channel.body.id }]);
  });
});

describe("spec: States and transitions", () => {
  it('"All transport modules are disabled in the gateway automatically."', async () => {
    const { edit, read, switches } = account();
    await edit(module());
    await edit(module({ code: "m2" }));
    await edit(bot());
    await switches({ gatewayOn: false });
    expect([(await read("m")).active, (await read("m2")).active, (await read("b")).active]).toEqual([
      false,
      false,
      true,
    ]);
    await switches({ gatewayOn: true });
    expect([(await read("m")).active, (await read("m2")).active]).toEqual([false, false]);
  });

  it('"All bot modules are disabled automatically."', async () => {
    const { edit, read, switches, asBot } = account();
    await edit(bot());
    await edit(module());
    await switches({ chatsOn: false });
    expect([(await read("b")).active, (await read("m")).active]).toEqual([false, true]);
    expect((await asBot("GET", "/bots")).status).toBe(401);
  });

  it("a disabled or frozen module is not called: no message, edit, mark or template leaves for it", async () => {
    const { say, asAgent, asUser, json, message, server, switches, chat, read } = await chatting(
      {},
      {},
      ({ text }) => ({
        external_message_id: `t${JSON.parse(text).data.id}`,
      }),
    );
    const { body } = await say("hi");
    await until(() => message(body.message_id)?.status === "received");
    const before = server.received.length;
    for (const turn of ["freeze", "off"]) {
      if (turn === "off") await switches({ gatewayOn: false });
      else await json("POST", "/sandbox/activity", { code: "m", active: true, freeze: true });
      expect((await say("hello?")).body.errors).toEqual(["Channel is not active"]);
      expect((await asUser("PATCH", `/messages/${body.message_id}`, { content: "x" })).status).toBe(400);
      expect((await asAgent("POST", `/chats/${chat}/read`)).status).toBe(200);
      expect((await read("m")).integrations.mgTransport?.isActive).toBe(false);
    }
    expect(server.received).toHaveLength(before);
    const on = await json("POST", "/sandbox/activity", { code: "m", active: true, freeze: false });
    expect([on.body.status, (await read("m")).active]).toEqual([409, false]);
  });

  it("a frozen bot is refused, too", async () => {
    const { edit, asBot, json } = account();
    await edit(bot());
    await json("POST", "/sandbox/activity", { code: "b", active: true, freeze: true });
    expect((await asBot("GET", "/bots")).status).toBe(401);
  });

  it("bracketed fields, as PHP writes them, mean the same as JSON", async () => {
    const { crm, read, edit } = account();
    await edit(module());
    const fields = {
      "integrationModule[code]": "m",
      "integrationModule[name]": "By brackets",
      "integrationModule[active]": "0",
      "integrationModule[clientId]": "client-1",
      "integrationModule[baseUrl]": "http://127.0.0.1:9",
      "integrationModule[availableCountries][]": "MT",
      "integrationModule[actions][activity]": "/a",
      "integrationModule[integrations][mgTransport][webhookUrl]": "http://127.0.0.1:9/hook",
      apiKey: "sandbox-key",
    };
    expect((await crm("POST", "/api/v5/integration-modules/m/edit", fields, "")).status).toBe(200);
    const expected = { name: "By brackets", active: false, availableCountries: ["MT"], actions: { activity: "/a" } };
    expect(await read("m")).toMatchObject(expected);
    const hostile = { "integrationModule[__proto__][polluted]": "1", "integrationModule[code]": "m" };
    expect((await crm("POST", "/api/v5/integration-modules/m/edit", hostile)).status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("a bot that registers as a transport module is no longer a bot", async () => {
    const { edit, tokenOf, asBot } = account();
    await edit(bot());
    const old = tokenOf("b");
    await edit(module({ code: "b" }));
    expect(tokenOf("b")).not.toBe(old);
    for (const token of [old, tokenOf("b")]) expect((await asBot("GET", "/bots", undefined, token)).status).toBe(401);
  });

  it("an edit that omits active and the rest changes neither", async () => {
    const { edit, read, json } = account();
    await edit(module({ actions: { activity: "/a" }, active: true }));
    await json("POST", "/sandbox/activity", { code: "m", active: false, freeze: false });
    await edit(module({ name: "Renamed" }));
    expect(await read("m")).toMatchObject({ active: false, name: "Renamed", actions: { activity: "/a" } });
  });

  it('"Modules are not re-enabled automatically."', async () => {
    const { edit, read, switches } = account();
    await edit(bot());
    await switches({ chatsOn: false });
    await switches({ chatsOn: true });
    expect((await read("b")).active).toBe(false);
  });

  it('"The service calls the module\'s activity action at {baseUrl}/{actions.activity}."', async () => {
    const server = await moduleServer();
    const { edit, json, read } = account();
    await edit(module({ baseUrl: server.url, actions: { activity: "activity" } }));
    for (const active of [false, true]) {
      await json("POST", "/sandbox/activity", { code: "m", active, freeze: false });
      expect((await read("m")).active).toBe(active);
    }
    expect(server.received.map(({ path }) => path)).toEqual(["/activity", "/activity"]);
    const form = new URLSearchParams(server.received[0]?.text);
    expect([form.get("clientId"), form.get("activity"), form.get("systemUrl")]).toEqual([
      "client-1",
      '{"active":false,"freeze":false}',
      "http://sandbox",
    ]);
  });
});

describe("spec: Authentication of the main API, versions and users", () => {
  it('"An API key, created by the user in the system, is used."', async () => {
    const { json, crm } = account();
    await json("POST", "/sandbox/keys", { key: "k2", scopes: ["integration_read"] });
    expect((await crm("GET", "/api/credentials", undefined, "k2")).body.scopes).toEqual(["integration_read"]);
    expect(await crm("GET", "/api/credentials", undefined, "")).toMatchObject({ status: 403 });
    expect((await crm("GET", "/api/credentials", undefined, "no")).body.errorMsg).toBe('Wrong "apiKey" value.');
  });

  it('"The module checks the API key, its rights and the API version": a key without the right is refused', async () => {
    const { json, edit, crm } = account();
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["integration_read"] });
    expect(await edit(module(), "m", "reader")).toMatchObject({ status: 403, body: { errorMsg: "Access denied." } });
    for (const each of ["customers", "orders", "users", "settings", "store/products"])
      expect((await crm("GET", `/api/v5/${each}`, undefined, "reader")).body.errorMsg).toBe("Access denied.");
    const path = "/api/integration-modules/{code}/edit";
    await json("POST", "/sandbox/keys", { key: "old", credentials: [path] });
    expect((await edit(module(), "m", "old")).status).toBe(200);
    expect((await crm("GET", "/api/v5/integration-modules/m", undefined, "old")).status).toBe(403);
  });

  it.each([
    ["POST", "/api/v4/store/setting/m/edit"],
    ["GET", "/api/v4/store/setting/m"],
    ["POST", "/api/v4/delivery/generic/setting/m/edit"],
    ["GET", "/api/v4/delivery/generic/setting/m"],
    ["POST", "/api/v4/marketplace/external/setting/m/edit"],
    ["POST", "/api/v4/telephony/setting/m/edit"],
    ["GET", "/api/v4/telephony/setting/m"],
  ])('"Removed (v4 methods), replaced by the two integration-module methods": %s %s', async (method, path) => {
    const { status, body } = await account().crm(method, path, method === "POST" ? {} : undefined);
    expect([status, body.success, body.errorMsg]).toEqual([404, false, "API method not found"]);
    expect(body.errors[0]).toContain(`${method} /api/v5/integration-modules/{code}${method === "POST" ? "/edit" : ""}`);
  });

  it('"Version 5 is current and must be used."', async () => {
    const { body } = await account().crm("GET", "/api/v4/orders");
    expect([body.errorMsg, body.errors]).toEqual(["API method not found", ["use version 5"]]);
  });

  it('"Changes the status of a user, to synchronise with an external system such as telephony."', async () => {
    const { crm, world } = account();
    expect((await crm("POST", "/api/v5/users/1/status", { status: "busy" })).body.success).toBe(true);
    expect([...world.users.values()][0]).toMatchObject({ status: "busy", available: false });
    expect((await crm("POST", "/api/v5/users/1/status", { status: "asleep" })).status).toBe(400);
    expect((await crm("POST", "/api/v5/users/99/status", { status: "busy" })).status).toBe(404);
  });

  it('"Successful module registration and module get responses carry success set to true."', async () => {
    const { edit, crm } = account();
    expect((await edit(module())).body.success).toBe(true);
    expect((await crm("GET", "/api/v5/integration-modules/m")).body.success).toBe(true);
  });

  it('"The gateway sends the header ClientId, holding the clientId given at registration, to identify the account." / "Unique customer code. The gateway later sends it in the header ClientId to identify the system account."', async () => {
    const { say, server } = await chatting();
    await say("hi");
    const hook = await until(() => server.received.find(({ path }) => path === "/hook"));
    expect(hook.headers.clientid).toBe("client-1");
  });
});
