import { describe, expect, it } from "vitest";
import { account, bot, chatting, module, moduleServer, until } from "./account.ts";

const FULL = module({
  integrationCode: "card",
  active: true,
  logo: "http://m.example/l.svg",
  accountUrl: "http://m.example/account",
  actions: { activity: "/activity" },
  availableCountries: ["MT"],
});
const WEBHOOK = "http://127.0.0.1:9/hook";

/** How a registration's key is judged: each wrong value is refused, and so is a missing one if it is required. */
async function judges(key: string, wrong: unknown[], needed: "yes" | "optional" | "shape only") {
  const { edit, world } = account();
  const refusal = async (value: unknown) => {
    const { status, body } = await edit({ ...FULL, [key]: value } as typeof FULL, "m");
    return [status, body.errorMsg, Object.keys(body.errors ?? {}).map((field) => field.split(".")[0])];
  };
  for (const value of wrong)
    expect([value, await refusal(value)]).toEqual([value, [400, "Errors in the entity format", [key]]]);
  const { [key]: _, ...rest } = FULL as Record<string, unknown>;
  if (needed !== "yes") expect((await edit(rest as typeof FULL)).status).toBe(200);
  else {
    const missing = await edit(rest as typeof FULL, "m");
    expect([missing.status, missing.body.errors]).toEqual([400, { [key]: "This value should not be blank." }]);
    expect(world.modules.size).toBe(0);
  }
}

describe("spec: Integration module, what is sent", () => {
  it('"code … string … yes … Module code. Equals the {code} of the path."', async () => {
    await judges("code", [7, "", ["m"]], "yes");
    const { edit, world } = account();
    const answer = await edit(module(), "other");
    expect(answer).toMatchObject({ status: 400, body: { errors: { code: "This value is not valid." } } });
    expect(world.modules.size).toBe(0);
    expect((await edit(module(), "m")).status).toBe(200);
  });

  it('"integrationCode … string … shape only … Code of the integration."', async () => {
    await judges("integrationCode", [7, ["x"]], "shape only");
    const { edit, crm } = account();
    await edit(module({ integrationCode: "swift", integrations: { delivery: {} } }));
    const { deliveryTypes } = (await crm("GET", "/api/v5/reference/delivery-types")).body;
    expect(deliveryTypes).toMatchObject({ m: { integrationCode: "swift" } });
  });

  it('"active … boolean … shape only … Whether the module is enabled."', async () => {
    await judges("active", ["perhaps", 7], "shape only");
    const { edit, read, asBot } = account();
    for (const active of [true, false, true]) {
      await edit(bot({ active }));
      expect((await read("b")).active).toBe(active);
      expect((await asBot("GET", "/bots")).status).toBe(active ? 200 : 401);
    }
  });

  it('"name … string … yes … For bot modules at most 32 characters." / "Bot module name length … integrationModule[name] of a bot module … at most 32 characters"', async () => {
    await judges("name", [7, ""], "yes");
    const { edit } = account();
    expect((await edit(bot({ name: "é".repeat(33) }))).status).toBe(400);
    expect((await edit(bot({ name: "é".repeat(32) }))).status).toBe(200);
    expect((await edit(module({ name: "é".repeat(33) }))).status).toBe(200);
  });

  it('"logo … string (URL) … optional"', async () => {
    await judges("logo", [7, "no address"], "optional");
  });

  it('"clientId … string … yes … Unique customer code. The gateway later sends it in the header ClientId to identify the system account."', async () => {
    await judges("clientId", [7, "", "two words", "é"], "yes");
    const other = await chatting();
    await other.edit(
      module({ clientId: "client-2", integrations: { mgTransport: { webhookUrl: `${other.server.url}/hook` } } }),
    );
    await other.say("hi");
    const hook = await until(() => other.server.received.find(({ path }) => path === "/hook"));
    expect(hook.headers.clientid).toBe("client-2");
  });

  it('"baseUrl … string (URL) … yes … Base address of the module. Callbacks go here."', async () => {
    await judges("baseUrl", [7, "no address", "ftp://m.example"], "yes");
    const [one, two] = [await moduleServer(), await moduleServer()];
    const { edit, json } = account();
    for (const { url } of [one, two]) {
      await edit(module({ baseUrl: `${url}/base`, actions: { activity: "activity" } }));
      await json("POST", "/sandbox/activity", { code: "m", active: true, freeze: false });
    }
    const paths = [one, two].map(({ received }) => received.map(({ path }) => path));
    expect(paths).toEqual([["/base/activity"], ["/base/activity"]]);
  });

  it('"accountUrl … string (URL) … optional … Address of the account page at the module.": the card opens it', async () => {
    await judges("accountUrl", [7, "no address", "ftp://m.example"], "optional");
    const { edit, sandbox } = account();
    await edit(module({ accountUrl: "http://m.example/account" }));
    const page = await (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    expect(page).toContain('<form method="post" action="http://m.example/account"');
    expect(page).toContain('<input type="hidden" name="clientId" value="client-1"/>');
  });

  it('"actions … object … optional … Map of action name to relative path. Key activity is shown: path called when the module is enabled or disabled by the user."', async () => {
    await judges("actions", ["/activity", ["/activity"], { activity: 7 }], "optional");
    const server = await moduleServer();
    const { edit, json } = account();
    await edit(module({ baseUrl: `${server.url}/base`, actions: { activity: "/on-off", other: "/other" } }));
    for (const active of [false, true]) await json("POST", "/sandbox/activity", { code: "m", active, freeze: false });
    expect(server.received.map(({ path }) => path)).toEqual(["/base/on-off", "/base/on-off"]);
  });

  it('"integrations … object … yes … For a transport module it must contain mgTransport (an object with webhookUrl, a string URL to which the gateway sends requests for the module). For a bot module it must contain mgBot as an empty object." / "For a transport module the key integrations.mgTransport is mandatory. For a bot module the key integrations.mgBot must be an empty object."', async () => {
    await judges("integrations", ["mgTransport", ["mgTransport"]], "yes");
    for (const webhookUrl of [undefined, 7, "no address", "ftp://m.example"])
      await judges("integrations", [{ mgTransport: { webhookUrl } }], "yes");
    const { edit, world } = account();
    for (const integrations of [{}, { mgBot: { token: "x" } }, { mgTransport: WEBHOOK }])
      expect([integrations, (await edit(bot({ integrations }))).status]).toEqual([integrations, 400]);
    expect(world.modules.size).toBe(0);
    expect([(await edit(module())).body.info, (await edit(bot())).body.info]).toEqual([
      { mgTransport: expect.anything() },
      { mgBot: expect.anything() },
    ]);
  });
});

describe("spec: Integration module, what is returned", () => {
  it('"Returned by GET /api/v5/integration-modules/{code} inside integrationModule:" / "code, integrationCode, name, clientId, baseUrl, accountUrl, logo … string … As sent." / "actions … object … As sent." / "availableCountries … array"', async () => {
    const { edit, read } = account();
    await edit(FULL);
    const { integrations: _, ...fields } = FULL as Record<string, unknown>;
    expect(await read("m")).toMatchObject(fields);
    await edit(bot());
    expect(await read("b")).toMatchObject({ actions: {}, availableCountries: [] });
  });

  it('"active … boolean" / "freeze … boolean" / "native … boolean" / "The integration module has the boolean flags active and freeze."', async () => {
    const { edit, read, json } = account();
    await edit(FULL);
    for (const [active, freeze] of [
      [true, false],
      [true, true],
      [false, true],
      [false, false],
    ]) {
      await json("POST", "/sandbox/activity", { code: "m", active, freeze });
      expect(await read("m")).toMatchObject({ active, freeze, native: false });
    }
  });

  it('"integrations.mgTransport.webhookUrl … string … Transport module."', async () => {
    const { edit, read } = account();
    await edit(FULL);
    await edit(bot());
    expect((await read("m")).integrations.mgTransport?.webhookUrl).toBe(WEBHOOK);
    expect((await read("b")).integrations).not.toHaveProperty("mgTransport");
  });

  it('"integrations.mgBot.token … string … Bot module. The access token for the Bot API." / "integrations.mgBot.isActive … boolean … Bot module."', async () => {
    const { edit, read, asBot, switches } = account();
    await edit(module());
    await edit(bot());
    expect((await read("m")).integrations).not.toHaveProperty("mgBot");
    const { mgBot } = (await read("b")).integrations;
    expect(mgBot?.isActive).toBe(true);
    expect((await asBot("GET", "/bots", undefined, String(mgBot?.token))).status).toBe(200);
    await switches({ chatsOn: false });
    expect((await read("b")).integrations.mgBot?.isActive).toBe(false);
  });

  it('"The edit response carries success (boolean) and info." / "For a transport module info.mgTransport has endpointUrl (string, address of the gateway\'s Transport API) and token (string, access token)."', async () => {
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

  it.each([
    ["m", module()],
    ["b", bot()],
  ])(
    '"The get response carries success (boolean) and integrationModule." / "Successful module registration and module get responses carry success set to true.": of %s',
    async (code, registration) => {
      const { edit, crm } = account();
      const path = `/api/v5/integration-modules/${code}`;
      expect((await crm("GET", path)).body).toMatchObject({ success: false });
      expect((await edit(registration)).body.success).toBe(true);
      expect((await crm("GET", path)).body).toEqual({
        success: true,
        integrationModule: expect.objectContaining({ code }),
      });
    },
  );
});

describe("spec: registration", () => {
  it('"POST … /api/v5/integration-modules/{code}/edit … Creates the module when no module has this code, otherwise changes its settings."', async () => {
    const { edit, read, world, tokenOf } = account();
    await edit(module());
    const token = tokenOf("m");
    await edit(module({ name: "New name" }));
    expect([world.modules.size, (await read("m")).name, tokenOf("m")]).toEqual([1, "New name", token]);
    await edit(module({ code: "m2", name: "Other" }));
    expect([world.modules.size, (await read("m")).name, (await read("m2")).name]).toEqual([2, "New name", "Other"]);
  });

  it('"GET … /api/v5/integration-modules/{code} … Returns the module parameters. Also returns the access token when it was not saved at registration." / "A lost token is obtained again with GET /api/v5/integration-modules/{code}."', async () => {
    const { edit, read, transport, asBot } = account();
    await edit(module());
    await edit(bot());
    expect([await read("m"), await read("b")]).toMatchObject([{ name: "M" }, { name: "B" }]);
    const { token } = (await read("m")).integrations.mgTransport as { token: string };
    expect((await transport("GET", "/channels", undefined, token)).status).toBe(200);
    const { token: lost } = (await read("b")).integrations.mgBot as { token: string };
    expect((await asBot("GET", "/bots", undefined, lost)).status).toBe(200);
  });

  it('rule 1: "A transport module registration requires the messaging gateway integration to be active in the account." / "Registration of a transport module while the gateway integration is inactive … Registration does not succeed."', async () => {
    const { edit, switches, world } = account();
    await switches({ gatewayOn: false });
    expect(await edit(module())).toMatchObject({ status: 400, body: { success: false } });
    expect(world.modules.size).toBe(0);
    expect((await edit(bot())).status).toBe(200);
  });

  it('rule 2: "A bot module registration requires chat functionality to be enabled in the account." / "Registration of a bot module while chats are disabled … Registration does not succeed."', async () => {
    const { edit, switches, world } = account();
    await switches({ chatsOn: false });
    expect(await edit(bot())).toMatchObject({ status: 400, body: { success: false } });
    expect(world.bots.size).toBe(0);
    expect((await edit(module())).status).toBe(200);
  });

  it('rule 3: "On success the response carries the gateway address and access token (see Integration module)." / "The service registers a module and hands the module a gateway address and an access token."', async () => {
    const { edit, json } = account();
    const handed = async (one: { code: string }, of: string) =>
      ((await edit(one)).body.info as Record<string, { endpointUrl: string; token: string }>)[of];
    const [transport, chats] = [await handed(module(), "mgTransport"), await handed(bot(), "mgBot")];
    expect([transport, chats]).toEqual(
      ["transport", "bot"].map((api) => ({
        endpointUrl: `http://sandbox/api/${api}/v1/`,
        token: expect.stringMatching(/^\w{32,}$/),
      })),
    );
    expect(transport?.token).not.toBe(chats?.token);
    expect(
      (await json("GET", "/api/transport/v1/channels", undefined, { "x-transport-token": transport?.token ?? "" }))
        .status,
    ).toBe(200);
  });

  it('rule 4: "All later configuration of transport channels or bots is done in the gateway through its own API, not in this service."', async () => {
    const { edit, transport, crm, asBot } = account();
    await edit(module());
    await edit(bot());
    expect((await transport("POST", "/channels", { type: "custom" })).status).toBe(201);
    expect((await asBot("PATCH", "/my/info", { name: "Renamed" })).status).toBe(200);
    expect((await crm("GET", "/api/v5/integration-modules/m/channels")).status).toBe(404);
  });
});

describe("spec: States and transitions", () => {
  it('"transport module enabled … integration with the gateway is disabled in the account … none … disabled … All transport modules are disabled in the gateway automatically."', async () => {
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
    const open = await chatting();
    await open.switches({ gatewayOn: false });
    expect((await open.say("hello?")).body.errors).toEqual(["Channel is not active"]);
  });

  it('"bot module enabled … chat functionality is disabled in the account … none … disabled … All bot modules are disabled automatically."', async () => {
    const { edit, read, switches, asBot, tokenOf } = account();
    await edit(bot());
    await edit(bot({ code: "b2" }));
    await edit(module());
    await switches({ chatsOn: false });
    const active = await Promise.all(["b", "b2", "m"].map(async (code) => (await read(code)).active));
    expect(active).toEqual([false, false, true]);
    for (const code of ["b", "b2"]) expect((await asBot("GET", "/bots", undefined, tokenOf(code))).status).toBe(401);
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

  it('"Sent to POST /api/v5/integration-modules/{code}/edit (body keys shown as JSON keys; the form-style equivalent is integrationModule[key]):": bracketed fields mean the same as JSON', async () => {
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

  it('"bot module disabled by chat shutdown … chat functionality is enabled again … none … stays disabled … Modules are not re-enabled automatically."', async () => {
    const { edit, read, switches, asBot } = account();
    await edit(bot());
    await switches({ chatsOn: false });
    await switches({ chatsOn: true });
    expect((await read("b")).active).toBe(false);
    expect((await asBot("GET", "/bots")).status).toBe(401);
  });

  it('"module enabled or disabled … user enables or disables the module in the system … none … enabled or disabled as chosen … The service calls the module\'s activity action at {baseUrl}/{actions.activity}."', async () => {
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

describe("spec: Authentication of the main API, and version 4", () => {
  it('"Main API … An API key, created by the user in the system, is used."', async () => {
    const { json, crm, sandbox } = account();
    const form = new URLSearchParams({ scope: "integration_read" });
    const made = await sandbox.fetch(new Request("http://sandbox/account/keys", { method: "POST", body: form }), {});
    const [, key = ""] = /key (\w{32,}) was/.exec(decodeURIComponent(made.headers.get("location") ?? "")) ?? [];
    expect((await crm("GET", "/api/credentials", undefined, key)).body.scopes).toEqual(["integration_read"]);
    await json("POST", "/sandbox/keys", { key: "k2", scopes: ["integration_read"] });
    expect((await crm("GET", "/api/credentials", undefined, "k2")).body.scopes).toEqual(["integration_read"]);
    expect(await crm("GET", "/api/credentials", undefined, "")).toMatchObject({ status: 403 });
    expect((await crm("GET", "/api/credentials", undefined, "no")).body.errorMsg).toBe('Wrong "apiKey" value.');
  });

  it('"Main API … The module checks the key, its rights and the API version before registering.": it can, and a key without the right is refused', async () => {
    const { json, edit, crm } = account();
    expect((await crm("GET", "/api/api-versions")).body.versions).toContain("5.0");
    expect((await crm("GET", "/api/credentials")).body.scopes).toContain("integration_write");
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
    ["/api/v4/store/setting/{code}/edit and /api/v4/store/setting/{code}"],
    ["/api/v4/delivery/generic/setting/{subcode}/edit and /api/v4/delivery/generic/setting/{subcode}"],
    ["/api/v4/marketplace/external/setting/{code}/edit"],
    ["/api/v4/telephony/setting/{code}/edit and /api/v4/telephony/setting/{code}"],
  ])(
    '"Removed (v4 methods), replaced by the two integration-module methods:" / "Replaces the removed v4 registration methods.": %s',
    async (paths) => {
      for (const path of paths.split(" and ")) {
        const [method, end] = path.endsWith("/edit") ? ["POST", "/edit"] : ["GET", ""];
        const form = method === "POST" ? { integrationModule: JSON.stringify(module()) } : undefined;
        const { crm, world } = account();
        const { status, body } = await crm(method, path.replace(/\{\w+\}/, "m"), form);
        expect([path, status, body.success, body.errorMsg]).toEqual([path, 404, false, "API method not found"]);
        expect(body.errors[0]).toContain(`${method} /api/v5/integration-modules/{code}${end}`);
        expect(world.modules.size).toBe(0);
      }
    },
  );

  it('"Gateway to module … The gateway sends the header ClientId, holding the clientId given at registration, to identify the account."', async () => {
    const { say, server } = await chatting();
    await say("hi");
    const hook = await until(() => server.received.find(({ path }) => path === "/hook"));
    expect(hook.headers.clientid).toBe("client-1");
  });
});
