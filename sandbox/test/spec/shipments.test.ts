import { describe, expect, it } from "vitest";
import { servedContract } from "../../src/crm/contract.ts";
import type { Json } from "../../src/spec.ts";
import { type Account, account, type ModuleAnswer, until } from "./account.ts";
import { delivering } from "./delivering.ts";

const ROOT = "/api/v5/delivery/shipments";
const SHIPMENT = { store: "quay", date: "2026-05-02", orders: [{ id: 5001 }] };

function shipments<T extends Account>(own: T) {
  const create = (deliveryShipment: object = SHIPMENT, deliveryType = "parcel") =>
    own.crm("POST", `${ROOT}/create`, { deliveryType, deliveryShipment: JSON.stringify(deliveryShipment) });
  const change = (id: unknown, deliveryShipment: object) => own.submit(`${ROOT}/${id}/edit`, { deliveryShipment });
  const read = async (id: unknown) => (await own.crm("GET", `${ROOT}/${id}`)).body.deliveryShipment as Json;
  const comments = async (query: string) =>
    ((await own.crm("GET", `${ROOT}${query}`)).body.deliveryShipments as Json[] | undefined)?.map(
      (each) => each.comment,
    );
  return { ...own, create, change, read, comments };
}

describe("a shipment", () => {
  it('takes orders from a store: "POST … /api/v5/delivery/shipments/create … Create a shipment." / "GET … /api/v5/delivery/shipments/{id} … Information about a shipment." / "POST … /api/v5/delivery/shipments/{id}/edit … Edit a shipment." / "GET … /api/v5/delivery/shipments … List of shipments to delivery services."', async () => {
    const { create, change, read, comments, faults } = shipments(account());
    const { status, body } = await create();
    expect([status, body]).toEqual([201, { success: true, id: expect.any(Number), status: "processing" }]);
    const known = {
      ...{ id: body.id, deliveryType: "parcel", status: "processing", store: "quay", date: "2026-05-02" },
      orders: [{ id: 5001, number: "5001A" }],
    };
    expect(await read(body.id)).toEqual(known);
    const time = { from: "10:00", to: "12:00" };
    const answer = await change(body.id, { status: "shipped", comment: "Gate 3", time });
    expect([answer.status, answer.body]).toEqual([200, { success: true, id: body.id, status: "shipped" }]);
    await change(body.id, { time: { to: "13:00" }, orders: [{ number: "5002A" }] });
    const orders = [{ id: 5002, number: "5002A" }];
    const edited = { ...known, status: "shipped", comment: "Gate 3", time: { from: "10:00", to: "13:00" }, orders };
    expect(await read(body.id)).toEqual(edited);
    expect(await comments("")).toEqual(["Gate 3"]);
    expect(faults()).toEqual([]);
  });

  it("keeps its delivery type", async () => {
    const { create, crm, read } = shipments(account());
    const { id } = (await create()).body;
    await crm("POST", `${ROOT}/${id}/edit`, { deliveryType: "self-delivery", deliveryShipment: '{"comment":"x"}' });
    expect(await read(id)).toMatchObject({ deliveryType: "parcel", comment: "x" });
  });

  it.each([
    [{ orders: [] }, "orders", "This value should not be blank."],
    [{ orders: [{ id: 5001 }, { number: "77" }] }, "orders[1]", "This value is not valid."],
    [{ orders: [{}] }, "orders[0]", "This value is not valid."],
    [{ store: "moon" }, "store", '"store" with "code"="moon" does not exist.'],
    [{ managerId: 99 }, "managerId", "This value is not valid."],
    [{ status: "lost" }, "status", "must be equal to one of the allowed values"],
    [{ time: { from: "9" } }, "time.from", "is not a time (H:i)"],
  ])("is refused with %o", async (wrong, field, words) => {
    const { create, change, read, comments } = shipments(account());
    const refusal = { errorMsg: "Errors in the entity format", errors: { [field]: words } };
    expect(await create({ ...SHIPMENT, ...wrong })).toMatchObject({ status: 400, body: refusal });
    expect(await comments("")).toEqual([]);
    const { id } = (await create()).body;
    const before = await read(id);
    expect(await change(id, wrong)).toMatchObject({ status: 400, body: refusal });
    expect(await read(id)).toEqual(before);
  });

  it("needs a delivery type that exists", async () => {
    const { create, submit } = shipments(account());
    expect((await create(SHIPMENT, "camel")).body).toMatchObject({
      errors: { deliveryType: '"deliveryType" with "code"="camel" does not exist.' },
    });
    const without = await submit(`${ROOT}/create`, { deliveryShipment: SHIPMENT });
    expect([without.status, without.body.errorMsg]).toEqual([400, "Parameter 'deliveryType' is missing"]);
  });

  it("that does not exist is neither read nor edited", async () => {
    const { change, crm } = shipments(account());
    expect((await crm("GET", `${ROOT}/7`)).body).toEqual({ success: false, errorMsg: "Not found" });
    expect((await change(7, SHIPMENT)).status).toBe(404);
  });

  /** What each filter finds: of `first`, of one order, and `second`, which is later, shipped and Alex's. */
  const QUERIES: [query: string, found: string[]][] = [
    ["filter[externalId]=x-2", ["second"]],
    ["filter[orderNumber]=5001A", ["first"]],
    ["filter[statuses][]=shipped", ["second"]],
    ["filter[statuses][]=shipped&filter[statuses][]=processing", ["first", "second"]],
    ["filter[ids][]=1", []],
    ["filter[deliveryTypes][]=self-delivery", ["second"]],
    ["filter[managers][]=1", ["second"]],
    ["filter[stores][]=quay", ["first"]],
    ["filter[dateFrom]=2026-05-03", ["second"]],
    ["filter[dateTo]=2026-05-02", ["first"]],
  ];

  it.each(QUERIES)("is found by %s", async (query, found) => {
    const { create, comments, faults } = shipments(account());
    await create({ ...SHIPMENT, comment: "first" });
    const orders = [{ id: 5002 }];
    const second = {
      comment: "second",
      externalId: "x-2",
      managerId: 1,
      status: "shipped",
      date: "2026-05-03",
      orders,
    };
    await create(second, "self-delivery");
    expect(await comments(`?${query}`)).toEqual(found);
    expect(faults()).toEqual([]);
  });

  it("is found by every filter of the contract", () => {
    const parameters = servedContract().flatMap(([, { paths }]) => (paths[ROOT]?.get?.parameters ?? []) as Json[]);
    const filters = parameters.map(({ name }) => String(name)).filter((name) => name.startsWith("filter"));
    const tried = new Set(QUERIES.map(([query]) => query.split("=")[0]));
    expect(filters.filter((filter) => !tried.has(filter))).toEqual([]);
  });

  it("needs delivery_read to be read and delivery_write to be changed", async () => {
    const { crm, json } = shipments(account());
    await json("POST", "/sandbox/keys", { key: "reader", scopes: ["delivery_read"] });
    const form = { deliveryType: "parcel", deliveryShipment: JSON.stringify(SHIPMENT) };
    const statuses = [
      (await crm("GET", ROOT, undefined, "reader")).status,
      (await crm("POST", `${ROOT}/create`, form, "reader")).status,
      (await crm("POST", `${ROOT}/create`, form)).status,
    ];
    expect(statuses).toEqual([200, 403, 201]);
  });
});

/** Shipments of a delivery type that a module brought. */
async function delivered(answer: ModuleAnswer = () => ({ success: true, result: { shipmentId: "s-1" } })) {
  const own = shipments(await delivering(answer));
  const create = (change: object = {}) => own.create({ ...SHIPMENT, ...change }, "m");
  return { ...own, create };
}

describe("spec: Callbacks, shipments", () => {
  it('"POST … {integrationModule.baseUrl}/{configuration.actions.shipmentSave} … Create or edit a request for shipment.": the module hears of the shipment and gives it its id', async () => {
    const { create, change, read, told, ends, server, faults } = await delivered();
    const { body } = await create({
      managerId: 1,
      time: { from: "10:00" },
      comment: "Gate 3",
      extraData: { box: "2" },
    });
    await ends("done");
    expect(server.received[0]).toMatchObject({ method: "POST", path: "/base/shipmentSave" });
    expect(new URLSearchParams(server.received[0]?.text).get("clientId")).toBe("client-1");
    const unit = { code: "m", name: "Metre", sym: "m" };
    expect(told()[0]?.told).toEqual({
      manager: { id: 1, firstName: "Alex", lastName: "Agent" },
      date: "2026-05-02 00:00:00",
      time: { from: "10:00" },
      address: { countryIso: "MT", city: "Valletta", text: "Quay 7" },
      store: "quay",
      orders: [
        { packages: [{ items: [expect.objectContaining({ offerId: "101", quantity: 10, unit }), expect.anything()] }] },
      ],
      comment: "Gate 3",
      extraData: { box: "2" },
    });
    expect(await read(body.id)).toMatchObject({ integrationCode: "swift", externalId: "s-1", status: "processing" });
    await change(body.id, { comment: "Gate 4" });
    await ends("done");
    expect(told()[1]).toMatchObject({ action: "shipmentSave", told: { shipmentId: "s-1", comment: "Gate 4" } });
    expect(faults()).toEqual([]);
  });

  it('"POST … {integrationModule.baseUrl}/{configuration.actions.shipmentDelete} … Delete a request for shipment.": once, when it is cancelled', async () => {
    const { create, change, told, ends, world, server, faults } = await delivered();
    const { id } = (await create({ extraData: { box: "2" } })).body;
    await change(id, { status: "cancelled" });
    await until(() => world.callbacks.every(({ state }) => state !== "waiting"));
    await ends("done");
    expect(told().at(-1)).toEqual({ action: "shipmentDelete", told: { shipmentId: "s-1", extraData: { box: "2" } } });
    expect(server.received.at(-1)).toMatchObject({ method: "POST", path: "/base/shipmentDelete" });
    const before = told().length;
    await change(id, { comment: "still cancelled" });
    expect([told().length, world.callbacks.length]).toEqual([before, 2]);
    expect(faults()).toEqual([]);
  });

  it("a cancelled shipment has no id there any more: opened again, it gets another", async () => {
    let taken = 0;
    const { create, change, read, told, ends, world, faults } = await delivered(({ path }) => {
      if (path.endsWith("shipmentSave")) taken += 1;
      return { success: true, result: { shipmentId: `s-${taken}` } };
    });
    const ended = () => until(() => world.callbacks.every(({ state }) => state === "done"));
    const { id } = (await create()).body;
    await ended();
    await change(id, { status: "cancelled" });
    await ended();
    expect(await read(id)).not.toHaveProperty("externalId");
    await change(id, { status: "processing" });
    await ends("done");
    await ended();
    expect(told().at(-1)?.told).not.toHaveProperty("shipmentId");
    expect(await read(id)).toMatchObject({ externalId: "s-2" });
    expect(faults()).toEqual([]);
  });

  it("a shipment that the module never took is not deleted there", async () => {
    const { create, change, told, ends, read } = await delivered((_, reply) => {
      reply.statusCode = 400;
      return { success: false, errorMsg: "Closed" };
    });
    const { id } = (await create()).body;
    await ends("refused");
    expect(await read(id)).not.toHaveProperty("externalId");
    await change(id, { status: "cancelled" });
    await ends("dropped");
    expect(told().map(({ action }) => action)).toEqual(["shipmentSave"]);
  });

  it("an edit while the module is down reaches it once, as the shipment is then", async () => {
    const { create, change, told, ends, json, world } = await delivered();
    await json("POST", "/sandbox/faults", { operation: "onShipmentSave", drop: "before", times: 1 });
    const { id } = (await create({ comment: "old" })).body;
    await until(() => world.callbacks[0]?.attempts === 1 || world.callbacks[0]?.status === 0);
    await change(id, { comment: "new" });
    await ends("done");
    expect(told().map(({ told }) => told.comment)).toEqual(["new"]);
  });

  it.each([
    ["is switched off", { active: false }],
    ["takes no shipments", { integrations: { delivery: { actions: {} } } }],
    ["is no delivery module any more", { integrations: { store: {} } }],
  ])("a module that %s is not called", async (_, registration) => {
    const { create, register, told, world } = await delivered();
    await register(registration);
    expect((await create()).status).toBe(201);
    await until(() => world.callbacks.every(({ state }) => state === "dropped"));
    expect(told()).toEqual([]);
  });
});
