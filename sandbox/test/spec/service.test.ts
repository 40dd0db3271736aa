import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../src/crm/rights.ts";
import { createSandbox } from "../../src/sandbox.ts";
import { serveSandbox } from "../../src/serve.ts";
import { account, bot, module } from "./account.ts";

// What the spec says of the service as a whole, by the endpoints that docs/sandbox.md quotes.

const document = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8");
const ROW = /^\| (?:(GET|POST) … )?(\/api\/v5\/[^ ]+) … /gm;
const ENDPOINTS = new Map([...document.matchAll(ROW)].map(([, method, path = ""]) => [path, method] as const));
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** The contract, and every client, read a customer by GET as well. */
const ALSO: Record<string, string> = { "/api/v5/customers/{externalId}": "GET" };
/** Paths that the spec gives by a pattern. */
const PATTERNS: Record<string, string[]> = {
  "/api/v5/reference/stores*": ["/api/v5/reference/stores", "/api/v5/reference/stores/{code}/edit"],
};
const UNKNOWN = "API method not found";

const filled = (path: string) => path.replaceAll(/\{\w+\}/g, (name) => (name === "{entity}" ? "order" : "x"));

const RATELESS = { crmPerSecond: 0 };
const sandbox = createSandbox({ origin: () => "http://sandbox", settings: RATELESS });
afterAll(sandbox.stop);
sandbox.world.keys.set("without rights", { scopes: [], credentials: [] });
const has = async (method: string, path: string, key: string) => {
  const headers = { "x-api-key": key };
  const answer = await sandbox.fetch(new Request(`http://sandbox${filled(path)}`, { method, headers }), {});
  return !(answer.status === 404 && (await answer.text()).includes(UNKNOWN));
};
const asked = new Map<string, Promise<string[]>>();
/** The methods that the service has for a path. */
function methodsOf(path: string): Promise<string[]> {
  const methods = async () => {
    // Whoever has no right hears soonest of a path that is unknown.
    const known = await Promise.all(
      METHODS.map(async (method) => (await has(method, path, "without rights")) && has(method, path, SANDBOX_KEY)),
    );
    return METHODS.filter((_, n) => known[n]);
  };
  const answer = asked.get(path) ?? methods();
  asked.set(path, answer);
  return answer;
}

/** The methods that the spec gives a path: its own, and of paths with a parameter in its place. */
function givenTo(path: string): string[] {
  const given = [...ENDPOINTS].flatMap(([each, method]) => {
    const pattern = new RegExp(`^${each.replaceAll("*", "\\*").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return pattern.test(path) ? [method, ALSO[each]] : [];
  });
  return METHODS.filter((method) => given.includes(method));
}

describe("spec: Endpoints", () => {
  it("are quoted, all of them", () => {
    expect(ENDPOINTS.size).toBe(77);
  });

  it('"Where a method is given it is exact."', async () => {
    for (const [path, method] of ENDPOINTS)
      for (const each of PATTERNS[path] ?? [path]) {
        const methods = await methodsOf(each);
        expect([each, methods]).toEqual([each, method ? givenTo(each) : expect.arrayContaining([expect.any(String)])]);
      }
  });

  it('"It exposes these through an HTTP API at {base_url}." / "All paths are relative to {base_url}." / "The version is part of the path: /api/v5/."', async () => {
    const { origin, close } = await serveSandbox({ port: 0, settings: RATELESS });
    onTestFinished(close);
    const ask = async (path: string) => {
      const answer = await fetch(`${origin}${path}`, { headers: { "x-api-key": "sandbox-key" } });
      return answer.status;
    };
    const lists = [...ENDPOINTS.keys()].filter((path) => /^\/api\/v5\/[\w-]+$/.test(path));
    expect(lists.length).toBeGreaterThan(5);
    for (const path of lists) {
      expect([path, await ask(path)]).toEqual([path, 200]);
      for (const other of [path.replace("/v5", ""), path.replace("/api/v5", ""), path.replace("/v5", "/v6")])
        expect([other, await ask(other)]).toEqual([other, 404]);
    }
  });

  it('"Version 5 is the current API version and must be used by every client." / "Version 5 is current and must be used."', async () => {
    const { crm, edit } = account();
    const { versions } = (await crm("GET", "/api/api-versions")).body as unknown as { versions: string[] };
    expect(versions.toSorted().at(-1)).toBe("5.0");
    expect((await edit(module())).status).toBe(200);
    for (const [path, method = "GET"] of ENDPOINTS)
      for (const version of ["v3", "v4"]) {
        const older = filled(path.replace("/v5/", `/${version}/`));
        const { status, body } = await crm(method, older);
        expect([older, status, body.errorMsg, body.errors]).toEqual([older, 404, UNKNOWN, ["use version 5"]]);
      }
  });
});

/** What sentences of the spec call the resources, and endpoints that read and change each. */
const RESOURCES: Record<string, readonly string[]> = {
  customers: ["customers", "customers/create", "customers/{externalId}/edit"],
  "corporate customers": ["customers-corporate", "customers-corporate/create", "customers-corporate/{externalId}/edit"],
  orders: ["orders", "orders/create", "orders/{externalId}/edit"],
  payments: ["orders", "orders/payments/create", "orders/payments/{id}/edit", "orders/payments/{id}/delete"],
  tasks: ["tasks", "tasks/create", "tasks/{id}", "tasks/{id}/edit"],
  files: ["files", "files/upload", "files/{id}", "files/{id}/download", "files/{id}/edit", "files/{id}/delete"],
  "customer notes": ["customers/notes", "customers/notes/create", "customers/notes/{id}/delete"],
  "corporate customer notes": [
    "customers-corporate/notes",
    "customers-corporate/notes/create",
    "customers-corporate/notes/{id}/delete",
  ],
  "product catalogue data": ["store/products", "store/product-groups", "store/products/properties"],
  "product groups": ["store/product-groups"],
  "product properties and property filter": ["store/products/properties", "store/products"],
  "shipments to delivery services": [
    "delivery/shipments",
    "delivery/shipments/create",
    "delivery/shipments/{id}",
    "delivery/shipments/{id}/edit",
  ],
  couriers: ["reference/couriers", "reference/couriers/create", "reference/couriers/{id}/edit"],
  "units of measurement": ["reference/units", "reference/units/{code}/edit"],
  warehouses: ["reference/stores*"],
  "user statuses": ["users/{id}/status"],
  segments: ["segments"],
  "custom fields": [
    "custom-fields",
    "custom-fields/{entity}/create",
    "custom-fields/{entity}/{code}",
    "custom-fields/{entity}/{code}/edit",
  ],
  "custom data books": [
    "custom-fields/dictionaries",
    "custom-fields/dictionaries/create",
    "custom-fields/dictionaries/{code}",
    "custom-fields/dictionaries/{code}/edit",
  ],
  "customers/combine": ["customers/combine"],
  "orders/combine": ["orders/combine"],
  addresses: ["addresses", "addresses/create", "addresses/{entityExternalId}/edit"].map(ofFirm),
  companies: ["companies", "companies/create", "companies/{entityExternalId}/edit"].map(ofFirm),
  "contact persons": ["contacts", "contacts/create", "contacts/{entityExternalId}/edit"].map(ofFirm),
  "the uniform integration-module methods": ["integration-modules/{code}/edit", "integration-modules/{code}"],
};
function ofFirm(path: string) {
  return `customers-corporate/{externalId}/${path}`;
}
/** Other words for them. */
const SAME: Record<string, string> = {
  notes: "customer notes",
  "custom data books (dictionaries)": "custom data books",
  "data books": "custom data books",
  "order payments": "payments",
  "delivery shipments": "shipments to delivery services",
  "courier methods": "couriers",
  "unit methods": "units of measurement",
  "segments list": "segments",
  users: "user statuses",
  "user status": "user statuses",
};

describe("spec: resources", () => {
  it.each([
    [
      "The service manages customers, corporate customers, orders, payments, tasks, files, notes, product catalogue data, shipments to delivery services, couriers, units of measurement, warehouses and user statuses.",
      /^The service manages | and |, |\.$/,
    ],
    [
      "Segments, users, custom fields, custom data books (dictionaries), tasks, customer notes, corporate customer notes, files, shipments to delivery services, couriers, units of measurement, order payments, corporate customers with their addresses, companies and contact persons: these exist as resources reached by the endpoints below.",
      /: these exist as resources reached by the endpoints below\.| with their | and |, /,
    ],
    [
      "Added in v5: user status, segments list, customers/combine, orders/combine, product groups, custom fields and data books, tasks, order payments, customer notes, product properties and property filter, delivery shipments, courier methods, unit methods, files, corporate customers, the uniform integration-module methods, and the fields listed under Resources.",
      /^Added in v5: |, and the fields listed under Resources\.$|(?<=custom fields) and |, /,
    ],
  ])("%j", async (sentence, between) => {
    const named = sentence.split(between).filter(Boolean);
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) {
      const plain = name.charAt(0).toLowerCase() + name.slice(1);
      const paths = RESOURCES[SAME[plain] ?? plain] ?? [];
      expect([name, paths.length]).not.toEqual([name, 0]);
      for (const path of paths.map((each) => `/api/v5/${each}`)) {
        expect([name, path, ENDPOINTS.has(path)]).toEqual([name, path, true]);
        for (const each of PATTERNS[path] ?? [path]) expect([each, await methodsOf(each)]).not.toEqual([each, []]);
      }
    }
  });
});

describe("spec: the messaging gateway", () => {
  it('"Chat messaging runs through a separate messaging gateway with its own two APIs: the Transport API for transport modules and the Bot API for bot modules."', async () => {
    const { edit, tokenOf, json } = account();
    await edit(module());
    await edit(bot());
    const keys: [string, string][] = [
      ["x-transport-token", tokenOf("m")],
      ["x-bot-token", tokenOf("b")],
      ["x-transport-token", tokenOf("b")],
      ["x-bot-token", tokenOf("m")],
      ["x-api-key", "sandbox-key"],
    ];
    const statuses = async (path: string) =>
      Promise.all(keys.map(async ([header, key]) => (await json("GET", path, undefined, { [header]: key })).status));
    expect(await statuses("/api/transport/v1/channels")).toEqual([200, 401, 401, 401, 401]);
    expect(await statuses("/api/bot/v1/chats")).toEqual([401, 200, 401, 401, 401]);
    // The main API carries no chats.
    for (const path of ["messages", "chats", "channels", "dialogs"])
      expect((await json("GET", `/api/v5/${path}`, undefined, { "x-api-key": "sandbox-key" })).status).toBe(404);
  });
});
