import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nulledBodies } from "../../src/conformance/nulls.ts";
import { CRM_EXTRAS } from "../../src/crm/extras.ts";
import { contractJudge } from "../../src/judge.ts";
import type { Json, Spec } from "../../src/spec.ts";
import { account, bot, module } from "./account.ts";
import { FORMS, MODULE, NOTIFICATION } from "./crm-samples.ts";

const MODULES: Spec = JSON.parse(
  readFileSync(new URL("../../contract/crm-modules.openapi.json", import.meta.url), "utf8"),
);
/** Fields as `http_build_query` writes them. */
function bracketed(form: Record<string, unknown>): [string, string][] {
  const walk = (name: string, value: unknown): [string, string][] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, entry]) => walk(`${name}[${key}]`, entry))
      : [[name, typeof value === "boolean" ? String(Number(value)) : String(value)]];
  return Object.entries(form).flatMap(([name, value]) => walk(name, value));
}
const json = (form: Record<string, unknown>): [string, string][] =>
  Object.entries(form).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
const multipart = (fields: [string, string][]) => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};

/** An account with the module; `ask` sends a raw body. */
async function withModule(unknowns: object = {}) {
  const own = account(unknowns);
  await own.edit(module());
  const post = async (
    path: string,
    body: RequestInit["body"],
    headers: Record<string, string> = { "x-api-key": "sandbox-key" },
  ) => {
    const reply = await own.sandbox.fetch(new Request(`http://sandbox${path}`, { method: "POST", headers, body }), {});
    return { status: reply.status, body: (await reply.json()) as Json & { errors?: Record<string, string> } };
  };
  const read = async (path: string, key = "sandbox-key") =>
    (await own.crm("GET", path, undefined, key)) as { status: number; body: Json };
  return { ...own, post, get: read };
}

describe("a form", () => {
  it("is sampled for every operation that takes one", () => {
    const taking = [MODULES, CRM_EXTRAS].flatMap(({ paths }) =>
      Object.values(paths).flatMap((methods) => Object.values(methods).filter(({ requestBody }) => requestBody)),
    );
    expect(taking.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(FORMS).sort());
  });

  const ways: [string, (form: Record<string, unknown>) => RequestInit["body"]][] = [
    ["urlencoded with JSON", (form) => new URLSearchParams(json(form))],
    ["urlencoded with brackets", (form) => new URLSearchParams(bracketed(form))],
    ["multipart with JSON", (form) => multipart(json(form))],
    ["multipart with brackets", (form) => multipart(bracketed(form))],
  ];
  it.each(Object.keys(FORMS).flatMap((operation) => ways.map(([way, body]) => ({ operation, way, body }))))(
    "$way is the same to $operation",
    async ({ operation, body }) => {
      const { post, sandbox, world } = await withModule();
      const [path, form] = FORMS[operation] ?? ["", {}];
      const before = sandbox.calls.totals().total;
      expect((await post(path, body(form))).body).toMatchObject({ success: true });
      expect(sandbox.calls.totals()).toEqual({ total: before + 1, faults: 0 });
      const effect = {
        editIntegrationModule: () => expect(world.modules.get("m")?.registration).toEqual(MODULE),
        updateScopes: () => expect([...world.keys.values()].at(-1)?.scopes).toEqual(["integration_read"]),
        sendNotification: () =>
          expect(world.notifications).toMatchObject([{ message: "Hello", to: "superadmins, 1, 2" }]),
        storeProductsBatchCreate: () =>
          expect([...world.tables.products.rows.values()].at(-1)).toMatchObject({ name: "Ash oar", active: false }),
        storeProductsBatchEdit: () => expect(world.tables.products.rows.get(101)).toMatchObject({ name: "Ash oar" }),
      }[operation];
      effect?.();
    },
  );

  it.each(Object.keys(FORMS))(
    "of %s counts null, and an empty text where none can stand, as absent",
    async (operation) => {
      const { post, sandbox } = await withModule();
      const [path, form] = FORMS[operation] ?? ["", {}];
      const judge = contractJudge();
      const known = judge.operation("crm", "POST", path);
      const resolve = (ref: string) =>
        ref
          .slice(ref.indexOf("#/") + 2)
          .split("/")
          .reduce<Json>((at, key) => (at[key] ?? {}) as Json, MODULES as unknown as Json);
      const bodies = nulledBodies(known?.schema, form, resolve).filter(
        ({ absent }) => known && judge.request(known, absent).length === 0,
      );
      for (const { how, body } of bodies)
        for (const text of [JSON.stringify(body), JSON.stringify(body).replace(/:null(?=[,}])/, ':""')]) {
          const fields = Object.entries(JSON.parse(text) as object).filter(([, value]) => value !== null);
          await post(path, new URLSearchParams(json(Object.fromEntries(fields))));
          const { rule, faults } = sandbox.calls.entries().at(-1) ?? {};
          expect([how, text, rule, faults]).not.toEqual([how, text, "contract", expect.anything()]);
        }
      expect(bodies.length).toBeGreaterThan({ updateScopes: 0 }[operation] ?? 3);
    },
  );

  it("carries the key in a field, and names what is missing", async () => {
    const { post } = await withModule();
    const [path, form] = FORMS.sendNotification ?? ["", {}];
    const keyed = (fields: [string, string][]) => multipart([["apiKey", "sandbox-key"], ...fields]);
    expect((await post(path, keyed(json(form)), {})).status).toBe(200);
    expect((await post(path, multipart(json(form)), {})).body.errorMsg).toBe('"apiKey" is missing.');
    expect((await post(path, keyed([]), {})).body.errorMsg).toBe("Parameter 'notification' is missing");
    const headers = { "x-api-key": "sandbox-key", "content-type": "multipart/form-data; boundary=X" };
    expect((await post(path, "not a form", headers)).body.errorMsg).toBe("Parameter 'notification' is missing");
    const blank = { notification: { ...NOTIFICATION, message: "" } };
    expect((await post(path, new URLSearchParams(json(blank)))).body.errors).toEqual({
      message: "This value should not be blank.",
    });
  });

  it("names users by strings and by numbers", async () => {
    const { post, world } = await withModule();
    for (const userIds of [[1], ["1"], ["1", 2]])
      await post(
        "/api/v5/notifications/send",
        new URLSearchParams(json({ notification: { ...NOTIFICATION, userIds } })),
      );
    expect(world.notifications.map(({ to }) => to)).toEqual(["superadmins, 1", "superadmins, 1", "superadmins, 1, 2"]);
    const words = { notification: { ...NOTIFICATION, userIds: ["one"] } };
    expect((await post("/api/v5/notifications/send", new URLSearchParams(json(words)))).status).toBe(400);
  });

  it("may hold an empty object as PHP writes it, in JSON and in brackets", async () => {
    const { post, world } = await withModule();
    const path = "/api/v5/integration-modules/b/edit";
    for (const mgBot of [[], {}, ""]) {
      const fields = json({ integrationModule: { ...bot(), actions: [], integrations: { mgBot } } });
      expect((await post(path, new URLSearchParams(fields))).status).toBe(200);
      expect(world.modules.get("b")?.registration).toMatchObject({ actions: {}, integrations: { mgBot: {} } });
    }
    const fields = bracketed({ integrationModule: bot({ integrations: { mgBot: "" } }) });
    expect((await post(path, multipart(fields))).status).toBe(200);
    const full = bracketed({ integrationModule: bot({ integrations: { mgBot: { token: "x" } } }) });
    expect((await post(path, multipart(full))).status).toBe(400);
  });
});

describe("a key", () => {
  it("may have legacy rights beside scopes, and the first one has both", async () => {
    const { get, edit, json: control } = await withModule();
    expect((await get("/api/credentials")).body).toMatchObject({
      scopes: expect.arrayContaining(["integration_read", "integration_write"]),
      credentials: ["/api/integration-modules/{code}", "/api/integration-modules/{code}/edit"],
    });
    await control("POST", "/sandbox/keys", {
      key: "both",
      scopes: ["customer_read"],
      credentials: ["/api/integration-modules/{code}/edit"],
    });
    const statuses = [
      (await edit(module(), "m", "both")).status,
      (await get("/api/v5/customers", "both")).status,
      (await get("/api/v5/integration-modules/m", "both")).status,
    ];
    expect(statuses).toEqual([200, 200, 403]);
  });

  it("gets a successor with other rights when the module asks for them", async () => {
    const { crm, get, world } = await withModule();
    const path = "/api/v5/integration-modules/m/update-scopes";
    const scopes = ["integration_read", "customer_read"];
    const { status, body } = await crm("POST", path, { requires: JSON.stringify({ scopes }) });
    expect([status, body]).toEqual([200, { success: true, apiKey: expect.stringMatching(/^\w{32,}$/) }]);
    const key = String(body.apiKey);
    expect((await get("/api/credentials", key)).body).toMatchObject({ scopes, credentials: [] });
    expect([(await get("/api/v5/customers", key)).status, (await get("/api/v5/orders", key)).status]).toEqual([
      200, 403,
    ]);
    // The old key stays valid: no source says otherwise.
    expect((await get("/api/v5/orders")).status).toBe(200);
    const keys = world.keys.size;
    const refused = [
      await crm("POST", path, {}),
      await crm("POST", path, { requires: "{}" }),
      await crm("POST", path, { requires: '{"scopes":[7]}' }),
      await crm("POST", "/api/v5/integration-modules/none/update-scopes", { requires: JSON.stringify({ scopes }) }),
      await crm("POST", path, { requires: JSON.stringify({ scopes }) }, key),
    ];
    expect(refused.map((each) => [each.status, each.body.errorMsg])).toEqual([
      [400, "Parameter 'requires' is missing"],
      [400, "Errors in the entity format"],
      [400, "Errors in the entity format"],
      [404, "Not found"],
      [403, "Access denied."],
    ]);
    expect(world.keys.size).toBe(keys);
  });
});

describe("an unknown path", () => {
  it.each([
    ["GET", "/api/v5/nothing"],
    ["POST", "/api/v5/orders/delete"],
    ["POST", "/api/v5/store/products/batch/delete"],
    ["GET", "/api/v5/customers/c1/orders"],
    ["DELETE", "/api/v5/users/1"],
    ["GET", "/api/v6/users"],
    ["GET", "/api/none"],
    ["GET", "/api"],
  ])("is refused in the CRM's words: %s %s, whatever the key's rights", async (method, path) => {
    const { sandbox, json: control } = await withModule();
    await control("POST", "/sandbox/keys", { key: "poor" });
    for (const key of ["sandbox-key", "poor"]) {
      const request = new Request(`http://sandbox${path}`, { method, headers: { "x-api-key": key } });
      const reply = await sandbox.fetch(request, {});
      expect([reply.status, await reply.json()]).toEqual([404, { success: false, errorMsg: "API method not found" }]);
    }
  });
});
