import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../../sandbox/src/crm/rights.ts";
import { serveSandbox } from "../../../sandbox/src/serve.ts";
import { until } from "../../../sandbox/test/spec/account.ts";
import { SETTINGS } from "../../support/unknowns.ts";

type Json = Record<string, unknown>;

const PROGRAM = join(import.meta.dirname, "..", "..", "..", "sandbox", "dist", "main.js");

/** The sample delivery module as a process of its own. Resolves with its address. */
async function moduleBeside(crm: string): Promise<string> {
  const module = spawn(process.execPath, [PROGRAM, "delivery-module", "--crm", crm, "--port", "0"]);
  onTestFinished(async () => {
    module.kill();
    await once(module, "exit");
  });
  for await (const line of createInterface(module.stdout)) {
    const [, address] = /Its deliveries: (\S+)$/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error("the module did not start");
}

it("an order is calculated, booked, taken to the depot and delivered by a module, which forgets another one that is cancelled", async () => {
  const { origin, sandbox, close } = await serveSandbox({ port: 0, settings: SETTINGS });
  onTestFinished(close);
  const address = await moduleBeside(origin);
  const ask = async (path: string, form?: Record<string, unknown>): Promise<Json> => {
    const fields = Object.entries(form ?? {}).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const init = form && { method: "POST", body: new URLSearchParams(fields) };
    const answer = await fetch(`${origin}/api/v5/${path}`, { ...init, headers: { "x-api-key": SANDBOX_KEY } });
    return (await answer.json()) as Json;
  };
  const order = async (id: unknown) => (await ask(`orders/${id}?by=id`)).order as { delivery: { data?: Json } };
  const becomes = (id: unknown, data: Json) =>
    until(async () => {
      const known = (await order(id)).delivery.data ?? {};
      return Object.entries(data).every(([field, value]) => known[field] === value);
    });
  const items = [{ offer: { id: 101 }, quantity: 3 }];
  const delivery = { code: "bicycle", address: { city: "Valletta", text: "Harbour street 4" } };
  const create = async () => (await ask("orders/create", { order: { firstName: "Ann", items, delivery } })).id;

  expect((await ask("delivery/calculate", { deliveryTypeCodes: ["bicycle"], order: { items } })).calculations).toEqual([
    { code: "bicycle", available: true, cost: 5 },
  ]);
  const id = await create();
  await becomes(id, { externalId: "D-1", trackNumber: "TRACK1", status: "new", statusText: "Registered", cost: 5 });
  await ask("delivery/shipments/create", { deliveryType: "bicycle", deliveryShipment: { orders: [{ id }] } });
  await becomes(id, { status: "taken" });
  await fetch(`${address}deliveries/D-1/delivered`, { method: "POST" });
  await becomes(id, { status: "delivered", statusText: "Delivered" });

  const other = await create();
  await becomes(other, { externalId: "D-2" });
  await ask(`orders/${other}/edit`, { by: "id", order: { status: "cancel" } });
  await until(async () => (await order(other)).delivery.data?.externalId === undefined);
  expect(((await (await fetch(address)).json()) as Json).deliveries).toEqual([
    expect.objectContaining({
      ...{ id: "D-1", status: "delivered", to: "Valletta, Harbour street 4" },
      contents: ["3 m Three-strand rope, 12 mm"],
    }),
  ]);

  const told = ((await ask(`orders/history?limit=100&filter[orderId]=${id}`)).history as Json[]).filter(
    ({ field }) => field === "integration_delivery_data.status",
  );
  expect(told.map(({ source, newValue }) => [source, newValue])).toEqual([
    ["code", "new"],
    ["api", "taken"],
    ["api", "delivered"],
  ]);
  expect(sandbox.calls.entries().flatMap(({ faults }) => faults)).toEqual([]);
});
