import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { specifiersIn } from "../../tools/measure/sources.ts";
import { SANDBOX_KEY } from "../src/crm/rights.ts";
import { serveDeliveryModule } from "../src/delivery-module/serve.ts";
import { serveSandbox } from "../src/serve.ts";
import { until } from "./spec/account.ts";

type Json = Record<string, unknown>;

/** A sandbox and the sample module beside it, over real HTTP. */
async function running() {
  const { origin, sandbox, close } = await serveSandbox({ port: 0 });
  onTestFinished(close);
  const said: string[] = [];
  const started = () =>
    serveDeliveryModule({ crm: origin, key: SANDBOX_KEY, port: 0, log: (words) => said.push(words) });
  const module = await started();
  onTestFinished(module.close);
  const crm = async (path: string, fields?: Record<string, unknown>) => {
    const form = Object.entries(fields ?? {}).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const body = fields && new URLSearchParams(form);
    const answer = await fetch(`${origin}/api/v5/${path}`, {
      method: fields ? "POST" : "GET",
      headers: { "x-api-key": SANDBOX_KEY },
      body,
    });
    return (await answer.json()) as Json;
  };
  const post = (to: string, path: string, body: string) => fetch(`${to}${path}`, { method: "POST", body });
  const control = (path: string, body: unknown) => post(origin, `/sandbox${path}`, JSON.stringify(body));
  const settled = () => until(() => sandbox.world.callbacks.every(({ state }) => state !== "waiting"));
  const faults = () => sandbox.calls.entries().flatMap((entry) => entry.faults);
  return { origin, sandbox, module, said, crm, post, control, settled, faults };
}

describe("the sample delivery module", () => {
  it("knows nothing of the sandbox but its address", () => {
    const folder = new URL("../src/delivery-module/", import.meta.url);
    const imported = readdirSync(folder).flatMap((name) => specifiersIn(readFileSync(new URL(name, folder), "utf8")));
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter((each) => each.startsWith("..") || each.startsWith("gangway"))).toEqual([]);
  });

  it("registers itself and its delivery type", async () => {
    const { crm, faults } = await running();
    const { integrationModule } = await crm("integration-modules/bicycle");
    expect(integrationModule).toMatchObject({ active: true, integrations: { delivery: { allowTrackNumber: true } } });
    expect((await crm("reference/delivery-types")).deliveryTypes).toMatchObject({
      bicycle: { name: "Bicycle delivery", integrationCode: "bicycle" },
    });
    expect(faults()).toEqual([]);
  });

  it("takes a shipment, hears of its changes and of its end", async () => {
    const { crm, said, settled, faults } = await running();
    const deliveryShipment = { store: "quay", orders: [{ id: 5001 }] };
    const { id } = await crm("delivery/shipments/create", { deliveryType: "bicycle", deliveryShipment });
    await settled();
    expect((await crm(`delivery/shipments/${id}`)).deliveryShipment).toMatchObject({ externalId: "S-1" });
    await crm(`delivery/shipments/${id}/edit`, { deliveryShipment: { comment: "Gate 3" } });
    await settled();
    await crm(`delivery/shipments/${id}/edit`, { deliveryShipment: { status: "cancelled" } });
    await settled();
    expect(said).toEqual(["shipmentSave", "shipmentSave", "shipmentDelete"]);
    expect(faults()).toEqual([]);
  });

  it("stops working while it is frozen", async () => {
    const { control, module, said } = await running();
    const working = async () => ((await (await fetch(`${module.origin}/`)).json()) as Json).working;
    expect(await working()).toBe(true);
    await control("/activity", { code: "bicycle", active: true, freeze: true });
    expect([await working(), said]).toEqual([false, ["activity"]]);
  });

  it("refuses calls of others, and what it cannot read", async () => {
    const { module, post, sandbox } = await running();
    const clientId = sandbox.world.modules.get("bicycle")?.registration.clientId ?? "";
    const refused = async (form: Record<string, string>) => {
      const answer = await post(module.origin, "/shipmentDelete", new URLSearchParams(form).toString());
      return [answer.status, await answer.json()];
    };
    const said = (errorMsg: string) => [400, { success: false, errorMsg }];
    expect(await refused({ clientId: "else", shipmentDelete: "{}" })).toEqual(said("Unknown clientId"));
    for (const shipmentDelete of ["{", "{}"])
      expect(await refused({ clientId, shipmentDelete })).toEqual(
        said('Parameter "shipmentDelete" must be JSON of its form'),
      );
  });
});
