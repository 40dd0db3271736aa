import { describe, expect, it } from "vitest";
import { until } from "./account.ts";
import { booking, books } from "./delivering.ts";

const refusing = (path: string) => (received: { path: string }, reply: { statusCode: number }) => {
  if (!received.path.endsWith(path)) return books(received as never, reply as never);
  reply.statusCode = 400;
  return { success: false, errorMsg: "Closed" };
};

describe("spec: Callbacks, an order's delivery", () => {
  it('"POST … {integrationModule.baseUrl}/{configuration.actions.save} … Carries save[packages][][items][][unit], the unit of measurement of a package item.": its module books it, and the order keeps what it answers', async () => {
    const { create, told, settled, server, read, history, faults } = await booking();
    const id = await create({
      firstName: "Ann",
      phone: "+35621000009",
      managerId: 1,
      shipmentStore: "quay",
      shipmentDate: "2026-05-02",
      weight: 300,
      delivery: {
        code: "m",
        cost: 7,
        date: "2026-05-03",
        time: { from: "10:00", to: "12:00" },
        address: { city: "Valletta", text: "Harbour street 4" },
        data: { tariff: "slow", payerType: "sender" },
      },
    });
    await settled();
    expect(server.received[0]).toMatchObject({ method: "POST", path: "/base/save" });
    expect(new URLSearchParams(server.received[0]?.text).get("clientId")).toBe("client-1");
    const unit = { code: "m", name: "Metre", sym: "m" };
    expect(told()).toEqual([
      {
        action: "save",
        told: {
          order: String(id),
          orderNumber: `${id}A`,
          site: "shop",
          siteName: "Shop",
          store: { code: "quay", name: "Quay" },
          customer: expect.objectContaining({ type: "customer", firstName: "Ann", phones: ["+35621000009"] }),
          manager: { id: 1, firstName: "Alex", lastName: "Agent" },
          packages: [{ weight: 300, items: [expect.objectContaining({ offerId: "101", quantity: 2, unit, cost: 4 })] }],
          delivery: {
            shipmentAddress: { countryIso: "MT", city: "Valletta", text: "Quay 7" },
            deliveryAddress: { city: "Valletta", text: "Harbour street 4" },
            cost: 7,
            tariff: "slow",
            payerType: "sender",
            shipmentDate: "2026-05-02 00:00:00",
            deliveryDate: "2026-05-03 00:00:00",
            deliveryTime: { from: "10:00", to: "12:00" },
          },
          currency: "EUR",
        },
      },
    ]);
    const answered = { externalId: "d-1", trackNumber: "T1", cost: 5.5, status: "new", statusText: "Registered" };
    expect((await read(id)).delivery).toMatchObject({
      ...{ code: "m", integrationCode: "swift", cost: 7 },
      data: { ...answered, extraData: { box: "2" }, tariff: "slow" },
    });
    expect((await history(id)).slice(1).map(({ source, field, newValue }) => [source, field, newValue])).toEqual([
      ["code", "integration_delivery_data.external_id", "d-1"],
      ["code", "integration_delivery_data.track_number", "T1"],
      ["code", "integration_delivery_data.status", "new"],
      ["code", "integration_delivery_data.cost", 5.5],
    ]);
    expect(faults()).toEqual([]);
  });

  it("it hears of changes to what it was told, and of no others", async () => {
    const { booked, edit, told, settled, faults } = await booking();
    const id = await booked();
    await edit(id, { managerComment: "Fragile" });
    await edit(id, { delivery: { address: { text: "Quay 7" } } });
    await settled();
    const [, second, ...more] = told();
    expect(second).toMatchObject({
      action: "save",
      told: { deliveryId: "d-1", delivery: { deliveryAddress: { text: "Quay 7" }, extraData: { box: "2" } } },
    });
    expect([more, faults()]).toEqual([[], []]);
  });

  it("an order that it has refused is offered again with each write", async () => {
    const { booked, edit, told, ends, read } = await booking(refusing("/save"));
    const id = await booked();
    await ends("refused");
    expect((await read(id)).delivery).not.toHaveProperty("data");
    await edit(id, { managerComment: "Please" });
    await ends("refused");
    expect(told()).toHaveLength(2);
  });

  it("changes while it is down reach it once, as the order is then", async () => {
    const { json, create, edit, told, settled, world } = await booking();
    await json("POST", "/sandbox/faults", { operation: "onSave", drop: "before" });
    const id = await create();
    await until(() => world.callbacks[0]?.attempts === 1);
    await edit(id, { delivery: { address: { text: "Quay 7" } } });
    await settled();
    expect(told()).toMatchObject([{ told: { delivery: { deliveryAddress: { text: "Quay 7" } } } }]);
  });

  it.each([
    ["is locked", { delivery: { code: "m", data: { locked: true } } }],
    ["is completed", { status: "complete" }],
    ["has another delivery type", { delivery: { code: "parcel" } }],
    ["comes with a delivery", { delivery: { code: "m", data: { externalId: "d-7" } } }],
  ])("an order that %s is not booked", async (_, order) => {
    const { create, world } = await booking();
    await create(order);
    expect(world.callbacks).toEqual([]);
  });

  it("a delivery in a status that is not editable stays as it is", async () => {
    const { booked, crm, edit, told, settled, read } = await booking();
    const id = await booked();
    const statusUpdate = JSON.stringify([{ deliveryId: "d-1", history: [{ code: "taken" }] }]);
    expect((await crm("POST", "/api/v5/delivery/generic/m/tracking", { statusUpdate })).status).toBe(200);
    await edit(id, { delivery: { address: { text: "Quay 7" } } });
    await edit(id, { status: "cancel" });
    await settled();
    expect(told()).toHaveLength(1);
    expect((await read(id)).delivery.data).toMatchObject({ externalId: "d-1", status: "taken" });
  });

  it("only a user's writes call it, if so set", async () => {
    const { booked, edit, asUser, told, settled, read } = await booking(books, { deliverySave: "user" });
    const id = await booked();
    expect(told()).toEqual([]);
    await edit(id, { managerComment: "Seen" }, ...asUser);
    await settled();
    expect(told().map(({ action }) => action)).toEqual(["save"]);
    expect((await read(id)).delivery.data).toMatchObject({ externalId: "d-1" });
  });

  it.each([
    ["gets another delivery type", { delivery: { code: "parcel" } }],
    ["is cancelled", { status: "cancel" }],
  ])("the delivery of an order that %s is deleted", async (_, change) => {
    const { booked, edit, told, settled, read, history, faults } = await booking();
    const id = await booked();
    await edit(id, change);
    await settled();
    expect(told().slice(1)).toEqual([{ action: "delete", told: { deliveryId: "d-1" } }]);
    expect((await read(id)).delivery.data ?? {}).not.toHaveProperty("externalId");
    expect(await history(id)).toContainEqual(
      expect.objectContaining({ field: "integration_delivery_data.external_id", oldValue: "d-1", newValue: null }),
    );
    expect(faults()).toEqual([]);
  });

  it("so is that of an order that is combined into another", async () => {
    const { booked, submit, told, settled } = await booking();
    const id = await booked();
    await submit("/api/v5/orders/combine", { order: { id }, resultOrder: { id: 5001 } });
    await settled();
    expect(told().at(-1)).toEqual({ action: "delete", told: { deliveryId: "d-1" } });
  });

  it("a delivery that its module does not delete stays with the cancelled order", async () => {
    const { booked, edit, ends, read, told, settled } = await booking(refusing("/delete"));
    const id = await booked();
    await edit(id, { status: "cancel" });
    await ends("refused");
    expect((await read(id)).delivery.data).toMatchObject({ externalId: "d-1" });
    await edit(id, { status: "new" });
    await settled();
    expect(told()).toHaveLength(2);
  });

  it("an order that returns before its module hears of the cancellation keeps its delivery", async () => {
    const { booked, json, edit, told, settled, world } = await booking();
    const id = await booked();
    await json("POST", "/sandbox/faults", { operation: "onDelete", drop: "before" });
    await edit(id, { status: "cancel" });
    await until(() => world.callbacks.at(-1)?.attempts === 1);
    await edit(id, { status: "new" });
    await settled();
    expect(told().map(({ action }) => action)).toEqual(["save"]);
    expect(world.callbacks.at(-1)?.state).toBe("dropped");
  });

  it("a delivery booked for an order that has moved on meanwhile is deleted", async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { create, edit, told, settled, server, read } = await booking(async (received, reply) => {
      if (received.path.endsWith("/save")) await asked;
      return books(received, reply);
    });
    const id = await create();
    await until(() => server.received.length === 1);
    await edit(id, { delivery: { code: "parcel" } });
    answer();
    await settled();
    expect(told().map(({ action }) => action)).toEqual(["save", "delete"]);
    expect((await read(id)).delivery).not.toHaveProperty("data");
  });
});
