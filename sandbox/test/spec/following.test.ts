import { describe, expect, it } from "vitest";
import { account } from "./account.ts";

type Json = Record<string, unknown>;

/** An account with two customers, two orders, and what refers to the first of each. */
async function referring() {
  const own = account();
  const { submit, crm } = own;
  const made = async (path: string, form: Json) => (await submit(`/api/v5/${path}/create`, form)).body;
  const person = async (externalId: string) => (await made("customers", { customer: { externalId } })).id;
  const [ann, bob] = [await person("ann"), await person("bob")];
  const order = async (externalId: string) =>
    (await made("orders", { order: { externalId, customer: { id: ann }, items: [{ offer: { id: 101 } }, {}] } }))
      .order as Json & { id: number; items: { id: number }[] };
  const [one, two] = [await order("one"), await order("two")];
  const task = { text: "Call", performerId: 1, customer: { id: ann }, order: { id: one.id } };
  const { id: about } = await made("tasks", { task });
  const pack = (itemId?: number) => made("orders/packs", { pack: { itemId, store: "quay", quantity: 1 } });
  const packs = [(await pack(one.items[0]?.id)).id, (await pack(one.items[1]?.id)).id];
  const deliveryShipment = { orders: [{ id: one.id }, { id: one.id }] };
  const { id: shipment } = await made("delivery/shipments", { deliveryType: "parcel", deliveryShipment });
  const uploaded = await own.sandbox.fetch(
    new Request("http://sandbox/api/v5/files/upload", {
      method: "POST",
      headers: { "x-api-key": "sandbox-key" },
      body: "Hello",
    }),
    {},
  );
  const { file } = (await uploaded.json()) as { file: { id: number } };
  const attachment = [{ customer: { id: ann } }, { order: { id: one.id } }];
  await submit(`/api/v5/files/${file.id}/edit`, { file: { attachment } });
  const read = async (path: string) => (await crm("GET", `/api/v5/${path}`)).body as Json;
  const told = async (path: string) =>
    ((await read(`${path}/history`)).history as Json[]).map((each) => [
      each.source,
      each.field,
      each.oldValue,
      each.newValue,
    ]);
  return { ...own, ann, bob, one, two, about, packs, shipment, file: file.id, read, told };
}

describe("what refers to a record", () => {
  it("shows its names as they are now, and is found by them", async () => {
    const { submit, ann, one, shipment, file, read, faults } = await referring();
    await submit("/api/v5/customers/fix-external-ids", { customers: [{ id: ann, externalId: "anna" }] });
    await submit("/api/v5/orders/one/edit", { order: { externalId: "first", number: "N-1" }, site: "shop" });
    const order = { id: one.id, externalId: "first", number: "N-1" };
    expect((await read(`delivery/shipments/${shipment}`)).deliveryShipment).toMatchObject({ orders: [order] });
    const attachment = [
      { customer: { id: ann, externalId: "anna", site: "shop" } },
      { order: { ...order, site: "shop" } },
    ];
    expect((await read(`files/${file}`)).file).toMatchObject({ attachment });
    const found: [string, string, number][] = [
      ["delivery/shipments?filter[orderNumber]=N-1", "deliveryShipments", 1],
      [`delivery/shipments?filter[orderNumber]=${one.id}A`, "deliveryShipments", 0],
      ["files?filter[orderExternalIds][]=first", "files", 1],
      ["files?filter[orderExternalIds][]=one", "files", 0],
      ["files?filter[customerExternalIds][]=anna", "files", 1],
      ["files?filter[sites][]=shop", "files", 1],
    ];
    for (const [path, many, count] of found)
      expect([path, (await read(path))[many]]).toMatchObject([path, { length: count }]);
    expect(faults()).toEqual([]);
  });

  it("is told of in its own history when customers and orders are combined", async () => {
    const { submit, ann, bob, one, two, about, shipment, file, read, told, faults } = await referring();
    await submit("/api/v5/customers/combine", { customers: [{ id: ann }], resultCustomer: { id: bob } });
    await submit("/api/v5/orders/combine", { order: { id: one.id }, resultOrder: { id: two.id } });
    expect((await told("tasks")).slice(1)).toEqual([
      ["combine", "customer", { id: ann }, { id: bob }],
      ["combine", "order", { id: one.id }, { id: two.id }],
    ]);
    expect((await read(`tasks/${about}`)).task).toMatchObject({ customer: { id: bob }, order: { id: two.id } });
    expect((await read(`delivery/shipments/${shipment}`)).deliveryShipment).toMatchObject({ orders: [{ id: two.id }] });
    const attachment = [{ customer: { id: bob, externalId: "bob" } }, { order: { id: two.id, externalId: "two" } }];
    expect((await read(`files/${file}`)).file).toMatchObject({ attachment });
    expect(faults()).toEqual([]);
  });

  it("goes with an item that an edit of the order leaves out, if it is a pack", async () => {
    const { submit, one, packs, read, told, faults } = await referring();
    await submit("/api/v5/orders/one/edit", { order: { items: [{ id: one.items[1]?.id }] }, site: "shop" });
    expect((await read("orders/packs")).packs).toMatchObject([{ id: packs[1] }]);
    expect((await told("orders/packs")).at(-1)).toEqual(["code", "store", { code: "quay" }, null]);
    expect(faults()).toEqual([]);
  });
});
