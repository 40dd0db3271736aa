import type { Call } from "gangway-messenger/call";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { createCrm, transportUrl } from "../../../src/crm/client.ts";
import { rightsOf, supportsVersion5 } from "../../../src/crm/rights.ts";
import { CrmError } from "../../../src/crm/verdict.ts";
import { strictJudge } from "../gateway/strict.ts";

const crmWith = (call: Call) =>
  createCrm({ call, crmUrl: "https://shop.retailcrm.ru", apiKey: "the-key-of-this-account" });
const answering = (status: number, body: string | object): Call =>
  callFrom(new Hono().all("*", (c) => c.body(typeof body === "string" ? body : JSON.stringify(body), status as 200)));
const no = (errorMsg: string, errors?: unknown) => ({ success: false, errorMsg, errors });
const module = {
  code: "gangway",
  integrationCode: "gangway",
  active: true,
  name: "Gangway",
  clientId: "c",
  baseUrl: "https://g.example",
  accountUrl: "https://g.example/account",
  actions: { activity: "/actions/activity", settings: "/actions/settings" },
  integrations: { mgTransport: { webhookUrl: "https://g.example/gateway/x" } },
};

describe("what the CRM answers", () => {
  it.each([
    [403, no('Wrong "apiKey" value.'), "wrong-key"],
    [403, no('Wrong "apiKey" value'), "wrong-key"],
    [400, no('"apiKey" is missing.'), "wrong-key"],
    [403, no("Access denied."), "no-access"],
    [404, no("Account does not exist."), "no-account"],
    [402, no("Not enough money"), "unpaid"],
    [400, no("Failed to activate module"), "gateway-off"],
    [400, no("Errors in the entity format", { name: "too long" }), "refused"],
    [400, no("Errors in the entity format", ["too long"]), "refused"],
    [503, no("busy"), "busy"],
    [429, "slow down", "busy"],
    [500, no("oops"), "unreachable"],
    [502, "<html>bad gateway</html>", "unreachable"],
    [503, "<html>", "busy"],
    [402, "<html>", "not-a-crm"],
    [401, "<html>", "not-a-crm"],
    [403, { message: "Forbidden" }, "not-a-crm"],
    [404, '{"success":false,"errorMsg":"Account does not', "not-a-crm"],
    [403, "", "not-a-crm"],
    [401, {}, "not-a-crm"],
    [400, { errorMsg: "Errors in the entity format" }, "refused"],
    [302, "", "not-a-crm"],
    [200, "<html>a shop</html>", "not-a-crm"],
    [405, "<html>", "not-a-crm"],
    [200, { hello: "world" }, "not-a-crm"],
  ])("%i %j means %s", async (status, body, reason) => {
    const error = await crmWith(answering(status, body))
      .register(module)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CrmError);
    expect((error as CrmError).reason).toBe(reason);
    expect((error as CrmError).message).not.toContain("the-key");
  });

  it("never leaks the key into an error, even when the CRM echoes it", async () => {
    const call = answering(400, no("bad: the-key-of-this-account", { key: "the-key-of-this-account\u0007" }));
    const error: CrmError = await crmWith(call)
      .credentials()
      .catch((e) => e);
    expect(error.detail).toBe("bad: ***; *** ");
    expect(error.message).not.toContain("the-key");
  });

  it.each([
    ["a blocked address", "blocked" as const, "blocked"],
    ["a refused connection", "refused" as const, "unreachable"],
    ["a timeout", "timeout" as const, "unreachable"],
  ])("is nothing: %s", async (_, reason, fault) => {
    const call: Call = async () => ({ type: "failure", sent: "no", reason, detail: "shop.retailcrm.ru" });
    await expect(crmWith(call).versions()).rejects.toMatchObject({ reason: fault });
  });

  it.each([[[]], [{ mgTransport: [] }], [{ mgTransport: null }], [null]])(
    "that names no gateway anywhere means that its integration is off: info %j",
    async (info) => {
      const app = new Hono()
        .post("*", (c) => c.json({ success: true, info }))
        .get("*", (c) => c.json({ success: true, integrationModule: { code: "gangway", integrations: [] } }));
      await expect(crmWith(callFrom(app)).register(module)).rejects.toMatchObject({ reason: "gateway-off" });
    },
  );

  it("may be an empty list instead of a map: then the module is read for its token", async () => {
    const integrations = { mgTransport: { token: "t", endpointUrl: "https://mg.example/" } };
    const app = new Hono()
      .post("*", (c) => c.json({ success: true, info: [] }, 201))
      .get("*", (c) => c.json({ success: true, integrationModule: { code: "gangway", integrations } }));
    expect(await crmWith(callFrom(app)).register(module)).toEqual({
      gatewayUrl: "https://mg.example/api/transport/v1",
      gatewayToken: "t",
    });
  });
});

describe("a request to the CRM", () => {
  it("carries the key in its header only, and the module as JSON in one form field", async () => {
    let seen: Request | undefined;
    const app = new Hono().all("*", async (c) => {
      seen = c.req.raw.clone();
      return c.json({ success: true, info: { mgTransport: { endpointUrl: "https://mg.example", token: "t" } } });
    });
    await crmWith(callFrom(app)).register(module);
    expect(seen?.url).toBe("https://shop.retailcrm.ru/api/v5/integration-modules/gangway/edit");
    expect(seen?.headers.get("x-api-key")).toBe("the-key-of-this-account");
    const form = new URLSearchParams(await seen?.text());
    expect([...form.keys()]).toEqual(["integrationModule"]);
    const integrationModule = JSON.parse(form.get("integrationModule") ?? "");
    expect(integrationModule).toEqual(module);
    expect(strictJudge("crm-modules")("editIntegrationModule", { integrationModule })).toEqual([]);
  });
});

describe("the rights of a key", () => {
  it.each([
    [{ scopes: ["integration_read", "integration_write"] }, []],
    [{ scopes: ["integration_read"] }, ["integration_write"]],
    [
      {
        scopes: ["order_read"],
        credentials: ["/api/integration-modules/gangway", "/api/integration-modules/gangway/edit"],
      },
      ["integration_read", "integration_write"],
    ],
    [{ scopes: [], credentials: ["/api/integration-modules/{code}", "/api/integration-modules/{code}/edit"] }, []],
    [{ credentials: ["/api/integration-modules/gangway", "/api/integration-modules/gangway/edit"] }, []],
    [{}, ["integration_read", "integration_write"]],
    [{ credentials: ["/api/integration-modules/gangway"] }, ["integration_write"]],
  ])("%j lack %j", (given, missing) => {
    const rights = rightsOf({ success: true, ...given }, "gangway");
    expect(rights.filter((right) => right.required && !right.given).map(({ scope }) => scope)).toEqual(missing);
  });

  it("are those that the module uses; two of them it can do without", () => {
    const rights = rightsOf({ success: true, scopes: ["integration_read", "settings_read", "order_write"] }, "gangway");
    expect(rights).toEqual([
      { scope: "integration_read", required: true, given: true },
      { scope: "integration_write", required: true, given: false },
      { scope: "settings_read", required: false, given: true },
      { scope: "notification_write", required: false, given: false },
    ]);
  });
});

it.each([
  [["5.0"], true],
  [["3.0", "4.0", "5"], true],
  [["3.0", "4.0"], false],
  [["15.0"], false],
  [[], false],
])("versions %j offer version 5: %s", (versions, offered) => {
  expect(supportsVersion5(versions)).toBe(offered);
});

it.each([
  "https://mg.example",
  "https://mg.example/",
  "https://mg.example/api/transport/v1",
  "https://mg.example/api/transport/v1/",
  "mg.example",
])("the gateway's address %s is normalized", (address) =>
  expect(transportUrl(address)).toBe("https://mg.example/api/transport/v1"),
);
