import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "../spec/account.ts";

/** Calls that say in which shop they write. */
const IN_SHOP = /\/create$|^\/orders\/\d+\/edit$/;

/** An account with two shops and corporate customers. */
async function shops() {
  const own = account();
  const { submit, crm, switches } = own;
  await switches({ corporateOn: true });
  await submit("/api/v5/reference/sites/two/edit", { site: { name: "Two" } });
  const post = async (path: string, fields: Record<string, unknown>) =>
    (await submit(`/api/v5${path}`, { ...(IN_SHOP.test(path) && { site: "shop" }), ...fields })).body;
  const read = async (path: string) => (await crm("GET", `/api/v5${path}`)).body;
  const customer = async (fields: object, site = "shop") =>
    (await post("/customers/create", { site, customer: fields })).id;
  const order = async (fields: object, site = "shop") =>
    (await post("/orders/create", { site, order: fields })).order as { id: number; items: { id: number }[] };
  const one = async (path: string, field: string) => (await read(path))[field] as Json;
  return { ...own, post, read, customer, order, one };
}

describe("an externalId", () => {
  it("is told of by the history when it is fixed", async () => {
    const { post, read, customer } = await shops();
    const [one, two] = [await customer({ externalId: "a" }), await customer({ externalId: "b" })];
    const fix = (...customers: object[]) => post("/customers/fix-external-ids", { customers });
    expect((await fix({ id: one, externalId: "b" }, { id: two, externalId: "a" })).success).toBe(true);
    const history = (await read("/customers/history?filter[customerExternalId]=b")).history as Json[];
    expect(history.map(({ field, oldValue, newValue }) => [field, oldValue, newValue])).toEqual([
      ["id", null, one],
      ["external_id", "a", "b"],
    ]);
  });

  it("means the record of the shop that a request names, where several shops have it", async () => {
    const { post, read, customer, order, one } = await shops();
    await customer({ externalId: "same" });
    const theirs = await customer({ externalId: "same" }, "two");
    await order({ externalId: "same", firstName: "Ann" });
    const { id } = await order({ externalId: "same", customer: { externalId: "same" } }, "two");
    await post("/orders/payments/create", { site: "two", payment: { order: { externalId: "same" }, amount: 1 } });
    const { customer: party, payments } = await one(`/orders/${id}?by=id`, "order");
    expect([(party as Json).id, Object.keys(payments as Json)]).toEqual([theirs, [expect.any(String)]]);
    await post("/customers/notes/create", { site: "two", note: { text: "hi", customer: { externalId: "same" } } });
    expect((await read("/customers/notes")).notes).toMatchObject([{ customer: { id: theirs } }]);
  });
});

describe("a key that sees several shops", () => {
  it("names the one in which it makes records, and in which it edits an order", async () => {
    const { submit, order } = await shops();
    const { id } = await order({ firstName: "Ann" }, "two");
    const missing = { status: 400, body: { errorMsg: "Parameter 'site' is missing" } };
    const calls: [path: string, fields: Record<string, unknown>][] = [
      ["/customers/create", { customer: { firstName: "Ann" } }],
      ["/customers/upload", { customers: [{ firstName: "Ann" }] }],
      ["/customers-corporate/create", { customerCorporate: { nickName: "Firm" } }],
      ["/customers-corporate/upload", { customersCorporate: [{ nickName: "Firm" }] }],
      ["/orders/create", { order: { firstName: "Ann" } }],
      ["/orders/upload", { orders: [{ firstName: "Ann" }] }],
      [`/orders/${id}/edit`, { by: "id", order: { firstName: "Eve" } }],
    ];
    for (const [path, fields] of calls) {
      expect(await submit(`/api/v5${path}`, fields)).toMatchObject(missing);
      expect((await submit(`/api/v5${path}`, { ...fields, site: "two" })).status).toBeLessThan(300);
    }
  });

  it("does not where there is one, nor does a user of the CRM", async () => {
    const alone = account();
    expect((await alone.submit("/api/v5/orders/create", { order: { firstName: "Ann" } })).status).toBe(201);
    const { sandbox, agent } = await shops();
    const form = new URLSearchParams({ order: '{"firstName":"Ann"}' });
    const request = { method: "POST", headers: { "x-bot-token": agent() }, body: form };
    const made = await sandbox.fetch(new Request("http://sandbox/sandbox/agent/api/v5/orders/create", request), {});
    expect(made.status).toBe(201);
  });
});

describe("a refused write", () => {
  it("leaves nothing that it has made on the way", async () => {
    const { sandbox, post } = await shops();
    const { id } = await post("/customers-corporate/create", { customerCorporate: { nickName: "Firm" } });
    const state = async () => {
      const text = await (await sandbox.fetch(new Request("http://sandbox/sandbox/account.ndjson"), {})).text();
      return text.split("\n").slice(1, -2);
    };
    const before = await state();
    for (const customer of [
      { id, type: "customer_corporate" },
      { nickName: "New", type: "customer_corporate" },
    ]) {
      const refused = await post("/orders/create", {
        order: { customer, contact: { firstName: "New" }, company: { id: 1 } },
      });
      expect(refused.errors).toEqual({ "company.id": "This value is not valid." });
    }
    expect(await state()).toEqual(before);
  });
});

describe("a record", () => {
  it("keeps its id, whatever id a form gives", async () => {
    const { post, read, order } = await shops();
    const { items } = await order({ items: [{ offer: { id: 101 } }] });
    const pack = (fields: object) => ({ pack: { itemId: items[0]?.id, store: "quay", quantity: 1, ...fields } });
    const first = (await post("/orders/packs/create", pack({}))).id;
    const second = (await post("/orders/packs/create", pack({ id: first, quantity: 2 }))).id;
    await post(`/orders/packs/${second}/edit`, pack({ id: first, quantity: 3 }));
    expect((await read("/orders/packs")).packs).toMatchObject([
      { id: first, quantity: 1 },
      { id: second, quantity: 3 },
    ]);
    await post("/store/product-groups/create", { productGroup: { id: 1, name: "Other" } });
    expect((await read("/store/product-groups?filter[ids][]=1")).productGroup).toMatchObject([{ name: "Quay & Co." }]);
  });

  it.each([
    ["a unit", "/reference/units/kg/edit", { unit: { name: "Kilo", sym: "kg" } }, "/reference/units"],
    ["a site", "/reference/sites/three/edit", { site: { name: "Three" } }, "/reference/sites"],
    [
      "a custom field",
      "/custom-fields/order/create",
      { customField: { code: "f", name: "F", type: "string" } },
      "/custom-fields",
    ],
    [
      "a data book",
      "/custom-fields/dictionaries/create",
      { customDictionary: { code: "d", name: "D", elements: [{ code: "e", name: "E" }] } },
      "/custom-fields/dictionaries",
    ],
    ["a group", "/store/product-groups/create", { productGroup: { name: "G" } }, "/store/product-groups"],
  ])("ignores what the contract does not know of %s", async (_, path, form, list) => {
    const { post, read } = await shops();
    const [[field, entry]] = Object.entries(form) as [[string, object]];
    expect((await post(path, { [field]: { ...entry, unheard: "of" } })).success).toBe(true);
    expect(JSON.stringify(await read(list))).not.toContain("unheard");
  });
});

describe("combining", () => {
  it("customers takes one that is named twice once", async () => {
    const { post, read, customer, one } = await shops();
    const [into, from] = [await customer({ firstName: "A" }), await customer({ firstName: "B", mgCustomerId: 7 })];
    await post("/customers/combine", { resultCustomer: { id: into }, customers: [{ id: from }, { id: from }] });
    expect((await one(`/customers/${into}?by=id`, "customer")).mgCustomers).toEqual([{ id: 7 }]);
    const history = (await read(`/customers/history?filter[customerId]=${from}`)).history as Json[];
    expect(history.filter(({ deleted }) => deleted)).toHaveLength(1);
  });

  it("orders takes the one that goes from its customer's sums, and its packs and files to the one that stays", async () => {
    const { sandbox, post, customer, order, one } = await shops();
    const [ann, bob] = [await customer({ firstName: "Ann" }), await customer({ firstName: "Bob" })];
    const items = [{ offer: { id: 101 }, quantity: 1 }];
    const [into, from] = [await order({ customer: { id: ann }, items }), await order({ customer: { id: bob }, items })];
    const { id } = await post("/orders/packs/create", {
      pack: { itemId: from.items[0]?.id, store: "quay", quantity: 1 },
    });
    const upload = { method: "POST", headers: { "x-api-key": "sandbox-key" }, body: "bytes" };
    await sandbox.fetch(new Request("http://sandbox/api/v5/files/upload", upload), {});
    const [file] = sandbox.world.tables.files.rows.keys();
    await post(`/files/${file}/edit`, { file: { attachment: [{ order: { id: from.id } }] } });
    await post("/orders/combine", { technique: "summ", order: { id: from.id }, resultOrder: { id: into.id } });
    expect(await one(`/customers/${bob}?by=id`, "customer")).toMatchObject({ ordersCount: 0, totalSumm: 0 });
    expect(await one(`/customers/${ann}?by=id`, "customer")).toMatchObject({ ordersCount: 1, totalSumm: 8 });
    expect((await one(`/files/${file}`, "file")).attachment).toMatchObject([{ order: { id: into.id } }]);
    expect((await one(`/orders/packs/${id}`, "pack")).item).toMatchObject({
      id: into.items[0]?.id,
      order: { id: into.id },
    });
  });

  it("orders leaves a shipment of both with the one that stays, and an account that can be loaded", async () => {
    const { sandbox, post, order, one } = await shops();
    const [into, from] = [await order({ firstName: "A" }), await order({ firstName: "B" })];
    const { id } = await post("/delivery/shipments/create", {
      deliveryType: "parcel",
      deliveryShipment: { orders: [{ id: from.id }, { id: into.id }] },
    });
    await post("/orders/combine", { order: { id: from.id }, resultOrder: { id: into.id } });
    const { orders } = await one(`/delivery/shipments/${id}`, "deliveryShipment");
    expect((orders as Json[]).map((each) => each.id)).toEqual([into.id]);
    const url = "http://sandbox/sandbox/account.ndjson";
    const body = await (await sandbox.fetch(new Request(url), {})).text();
    expect((await sandbox.fetch(new Request(url, { method: "PUT", body }), {})).status).toBe(200);
  });

  it("orders takes their links along, without one with itself", async () => {
    const { post, order, one } = await shops();
    const [a, b, c] = [
      await order({ firstName: "A" }),
      await order({ firstName: "B" }),
      await order({ firstName: "C" }),
    ];
    for (const orders of [
      [a, b],
      [b, c],
    ])
      await post("/orders/links/create", { link: { comment: "", orders: orders.map(({ id }) => ({ id })) } });
    await post("/orders/combine", { order: { id: b.id }, resultOrder: { id: a.id } });
    const linked = async ({ id }: { id: number }) =>
      ((await one(`/orders/${id}?by=id`, "order")).links as Json[]).map((link) => (link.order as Json).id);
    expect([await linked(a), await linked(c)]).toEqual([[c.id], [a.id]]);
  });
});

describe("an order", () => {
  it("of another customer is no longer billed to the former one's company", async () => {
    const { post, read, customer, order } = await shops();
    const firm = await post("/customers-corporate/create", { customerCorporate: { nickName: "Firm" } });
    const { id } = await order({
      customer: { id: firm.id, type: "customer_corporate" },
      company: { name: "Quay Ltd" },
    });
    const billed = async () => (await read("/orders?filter[companyName]=quay")).orders as Json[];
    expect(await billed()).toMatchObject([{ id }]);
    await post(`/orders/${id}/edit`, { by: "id", order: { customer: { id: await customer({ firstName: "Ann" }) } } });
    expect(await billed()).toEqual([]);
  });
});

describe("a customer", () => {
  it("subscribes to a category of each channel on its own", async () => {
    const { post, customer, one } = await shops();
    const id = await customer({ firstName: "Ann" });
    const subscriptions = [
      { channel: "email", subscription: "news", active: true },
      { channel: "sms", subscription: "news", active: false },
    ];
    await post(`/customers/${id}/subscriptions`, { by: "id", subscriptions });
    expect((await one(`/customers/${id}?by=id`, "customer")).customerSubscriptions).toMatchObject([
      { subscription: { channel: "email" }, subscribed: true },
      { subscription: { channel: "sms" }, subscribed: false },
    ]);
  });

  it("has notes of users that exist", async () => {
    const { post, customer } = await shops();
    const note = { text: "hi", managerId: 99, customer: { id: await customer({ firstName: "Ann" }) } };
    expect((await post("/customers/notes/create", { note })).errors).toEqual({
      managerId: "This value is not valid.",
    });
  });
});
