import { expect, it, onTestFinished } from "vitest";
import { fc, tries } from "../../../test/support/property.ts";
import type { CallData } from "../../src/conformance/crm/area.ts";
import { AREAS } from "../../src/conformance/crm/areas.ts";
import { addressOf, createCaller } from "../../src/conformance/crm/caller.ts";
import { type CrmOperation, servedOperations } from "../../src/conformance/crm/operations.ts";
import { setStage } from "../../src/conformance/stage.ts";
import { SANDBOX_KEY } from "../../src/crm/rights.ts";
import type { World } from "../../src/world.ts";
import { account } from "../spec/account.ts";
import { type Wild, wildRequest } from "./wild-request.ts";

/** Node refuses headers of this size before the sandbox sees them. */
const LONG_ADDRESS = 431;
const PARTLY = 460;

/** The CRM's state: records are replaced, never changed in place. */
const stateOf = ({ tables, dictionaries, customFields, customDictionaries, histories, users, files }: World) => [
  ...Object.values(tables).flatMap(({ rows }) => [...rows.values()]),
  ...[...dictionaries.values(), customFields, customDictionaries].flatMap((entries) => [...entries.values()]),
  ...[...histories.values()].map(({ length }) => length),
  JSON.stringify([...users.values()]),
  files.size,
];

async function attacked() {
  const stage = await setStage();
  onTestFinished(stage.close);
  const { origin, sandbox } = stage.running;
  const operations = servedOperations();
  const caller = createCaller(stage, operations);
  const state = () => stateOf(sandbox.world);
  const send = async ({ method, address, body, json }: Wild) => {
    const headers = { "x-api-key": SANDBOX_KEY, ...(json && { "content-type": "application/json" }) };
    const from = stage.seen.length;
    const answer = await fetch(`${origin}${address}`, { method, headers, body });
    await answer.text();
    const faults = stage.seen.slice(from).flatMap((exchange) => exchange.faults);
    return { status: answer.status, faults: faults.filter((fault) => /^(answer|sandbox):/.test(fault)) };
  };
  /** What is wrong with how a wild request was answered. */
  const wrong = async (wild: Wild): Promise<string | undefined> => {
    const before = state();
    const { status, faults } = await send(wild);
    if (status >= 500 || faults.length > 0) return `${status} ${faults[0] ?? ""}`;
    if (status < 400 || status === PARTLY || status === LONG_ADDRESS) return undefined;
    const after = state();
    const isSame = after.length === before.length && after.every((each, n) => each === before[n]);
    return isSame ? undefined : `changed, though refused with ${status}`;
  };
  return { ...stage, operations, caller, wrong };
}

/** Differs by operation and try. */
const seedOf = ({ id }: CrmOperation, n: number) =>
  [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, n * 7919);

const LISTS = ({ method, path }: CrmOperation) => method === "GET" && !/\{|\/get$/.test(path);

it("every wild request is answered by the contract; a refused one changes nothing, an accepted one breaks no list", async () => {
  const { operations, caller, wrong } = await attacked();
  const found: unknown[] = [];
  for (const { setting, operations: scenarios } of AREAS) {
    await caller.steps(setting);
    for (const [id, scenario] of Object.entries(scenarios)) {
      const operation = operations.find((each) => each.id === id) as CrmOperation;
      await caller.steps(scenario.before);
      const { body } = await caller.send(operation, scenario);
      caller.keep(scenario.keep, body);
      for (let n = 0; n < tries(2).numRuns; n++) {
        await caller.steps(scenario.before);
        const good = caller.filled(scenario) as CallData;
        const wilds = wildRequest(operation, { ...good, address: addressOf(operation, good) });
        for (const wild of fc.sample(wilds, { numRuns: 1, seed: seedOf(operation, n) })) {
          const fault = await wrong(wild);
          if (fault) found.push([id, fault, { ...wild, body: String(wild.body).slice(0, 1_000) }]);
        }
      }
    }
  }
  for (const list of operations.filter(LISTS)) {
    const { status, exchange } = await caller.send(list, {});
    if (status !== 200 || exchange?.faults.length) found.push([list.id, status, exchange?.faults]);
  }
  expect(found).toEqual([]);
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("polluted");
});

it.each([
  ["JSON in a field", `order=${"[".repeat(30_000)}${"]".repeat(30_000)}`],
  ["brackets", `order${"[a]".repeat(30_000)}=1`],
])("a form that is nested too deeply is refused: %s", async (_, form) => {
  const { sandbox, faults } = account();
  const init = { method: "POST", headers: { "x-api-key": SANDBOX_KEY }, body: new URLSearchParams(form) };
  const answer = await sandbox.fetch(new Request("http://sandbox/api/v5/orders/create", init), {});
  expect([answer.status, await answer.json()]).toMatchObject([400, { errorMsg: "Request is nested too deeply" }]);
  expect(faults()).toEqual([]);
});

it("fields with the names of what every object has are unknown fields", async () => {
  const { crm, world } = account();
  const customer = '{"firstName":"Ann","constructor":1,"toString":{"a":1},"__proto__":{"vip":true}}';
  const { id } = (await crm("POST", "/api/v5/customers/create", { customer })).body;
  const kept = world.tables.customers.rows.get(id) ?? {};
  expect(Object.keys(kept).filter((field) => ["constructor", "toString", "__proto__"].includes(field))).toEqual([]);
  expect(kept).toMatchObject({ firstName: "Ann", vip: false });
});

it("days that no calendar has are refused, in records, custom fields and filters", async () => {
  const { submit, crm } = account();
  await submit("/api/v5/custom-fields/customer/create", { customField: { code: "due", name: "Due", type: "date" } });
  const task = { text: "Call", performerId: 1, datetime: "2026-02-30 10:00" };
  expect((await submit("/api/v5/tasks/create", { task })).body.errors).toEqual({
    datetime: "is not a date (Y-m-d H:i)",
  });
  const customer = { customFields: { due: "2026-02-30" } };
  expect((await submit("/api/v5/customers/create", { customer })).status).toBe(400);
  for (const query of ["tasks?filter[dateFrom]=2026-02-30", "customers?filter[dateFrom]=2026-04-31"])
    expect([query, (await crm("GET", `/api/v5/${query}`)).status]).toEqual([query, 400]);
});

it("of twenty clients that create the same at once one succeeds", async () => {
  const { submit, crm } = account();
  const orders = Array.from({ length: 20 }, () => submit("/api/v5/orders/create", { order: { externalId: "same" } }));
  const statuses = (await Promise.all(orders)).map(({ status }) => status).sort();
  expect(statuses).toEqual([201, ...Array(19).fill(400)]);
  expect((await crm("GET", "/api/v5/orders?filter[externalIds][]=same")).body.pagination).toMatchObject({
    totalCount: 1,
  });
});
