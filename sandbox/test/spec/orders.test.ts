import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account, chatting } from "./account.ts";

const ROOT = "/api/v5/orders";
const NOT_VALID = "This value is not valid.";

function orders<T extends ReturnType<typeof account>>(own: T) {
  const { submit, crm } = own;
  const create = async (order: object) => {
    const { status, body } = await submit(`${ROOT}/create`, { order });
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.order as Json & { id: number; items: Json[] };
  };
  const edit = async (id: number, order: object) =>
    (await crm("POST", `${ROOT}/${id}/edit`, { by: "id", order: JSON.stringify(order) })).body;
  const read = async (id: number) => (await crm("GET", `${ROOT}/${id}?by=id`)).body.order as Json;
  const history = async (id: number) =>
    (await crm("GET", `${ROOT}/history?limit=100&filter[orderId]=${id}`)).body.history as Json[];
  const refusal = async (order: object) => {
    const { status, body } = await submit(`${ROOT}/create`, { order });
    expect(status).toBe(400);
    return [body.errorMsg, body.errors];
  };
  return { ...own, create, edit, read, history, refusal };
}

describe("an order", () => {
  it('is made of the dictionaries\' defaults and the catalogue: "/api/v5/orders/create … Create an order." / "GET … /api/v5/orders/{externalId} … Order information." / "/api/v5/orders/get … Order information."', async () => {
    const { create, read, crm, faults } = orders(account());
    const order = await create({
      externalId: "o1",
      firstName: "Ann",
      items: [{ offer: { externalId: "rope-12" }, quantity: 3 }],
    });
    const { id } = order;
    expect(order).toMatchObject({
      slug: id,
      number: `${id}A`,
      fromApi: true,
      orderType: "main",
      orderMethod: "shopping-cart",
      privilegeType: "none",
      status: "new",
      site: "shop",
      currency: "EUR",
      createdAt: "2026-05-01 10:00:00",
      statusUpdatedAt: "2026-05-01 10:00:00",
      summ: 12,
      totalSumm: 12,
      prepaySum: 0,
      purchaseSumm: 7.2,
      payments: [],
      customer: { type: "customer", firstName: "Ann", ordersCount: 1 },
      items: [{ initialPrice: 4, quantity: 3, vatRate: "none", status: "new", discountTotal: 0 }],
    });
    expect(await read(id)).toEqual({ ...order, payments: {} });
    for (const path of [
      `${ROOT}/o1`,
      `${ROOT}/get?externalId=o1`,
      `${ROOT}/get?id=${id}`,
      `${ROOT}/get?by=id&externalId=${id}`,
    ])
      expect((await crm("GET", path)).body.order).toEqual(await read(id));
    expect((await crm("GET", `${ROOT}/get?externalId=o2`)).status).toBe(404);
    expect(faults()).toEqual([]);
  });

  it("may come in bracketed fields, as PHP reads them", async () => {
    const { crm, faults } = orders(account());
    const answer = await crm("POST", `${ROOT}/create`, {
      "order[customer][firstName]": "Ann",
      "order[customer][phones][][number]": "+35620000000",
      "order[items][0][offer][id]": "102",
      "order[items][0][quantity]": "2",
      "order[items][1][productName]": "Knot",
      "order[items][1][initialPrice]": "2.5",
      "order[call]": "1",
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        order: {
          call: true,
          customer: { firstName: "Ann", phones: [{ number: "+35620000000" }] },
          items: [
            { offer: { id: 102 }, quantity: 2 },
            { offer: { displayName: "Knot" }, initialPrice: 2.5 },
          ],
        },
      },
    });
    expect(faults()).toEqual([]);
    const inside = await crm("POST", `${ROOT}/create`, { "order[customer]": '{"id":5}' });
    expect(inside).toMatchObject({ status: 400, body: { errors: { customer: "must be object" } } });
    expect((await crm("POST", `${ROOT}/create`, { order: '{"externalId":' })).body.errors).toEqual({
      order: "must be a JSON object",
    });
    expect(
      (await crm("POST", `${ROOT}/create`, { order: '{"createdAt":"2026-05-01T10:00:00Z"}' })).body.errors,
    ).toEqual({
      createdAt: "is not a date (Y-m-d H:i:s)",
    });
  });

  it('is edited: "/api/v5/orders/{externalId}/edit … Edit an order."; items that stay keep their ids', async () => {
    const { create, edit, read, faults } = orders(account());
    const { id, items } = await create({ items: [{ offer: { id: 101 }, quantity: 3 }, { offer: { id: 102 } }] });
    const { success, order } = await edit(id, {
      status: "assembling",
      delivery: { code: "parcel", cost: 5 },
      items: [{ offer: { id: 104 } }, { id: items[0]?.id, quantity: 2 }],
    });
    expect([success, order]).toEqual([true, await read(id)]);
    expect(order).toMatchObject({
      status: "assembling",
      totalSumm: 44,
      delivery: { code: "parcel", cost: 5, netCost: 0 },
      items: [{ offer: { id: 104 } }, { id: items[0]?.id, quantity: 2, initialPrice: 4 }],
    });
    expect(faults()).toEqual([]);
  });

  it.each([
    [{ orderType: "x" }, { orderType: '"OrderType" with "code"="x" does not exist.' }],
    [{ customer: { externalId: "355" } }, { "customer.externalId": "Customer with externalId=355 not found." }],
    [{ items: [{ offer: { id: 1 } }] }, { "items[0].offer.id": "Offer with id 1 not found." }],
    [{ items: [{ quantity: -1 }] }, { "items[0].quantity": NOT_VALID }],
    [{ payments: [{ type: "gold" }] }, { "payments[0].type": '"PaymentType" with "code"="gold" does not exist.' }],
    [{ managerId: 9 }, { managerId: NOT_VALID }],
    [{ dialogId: 9 }, { dialogId: NOT_VALID }],
    [{ customFields: { gift: 1 } }, { "customFields.gift": NOT_VALID }],
  ])("with %o is not loaded", async (order, errors) => {
    const { refusal, world } = orders(account());
    expect(await refusal(order)).toEqual(["Order is not loaded", errors]);
    expect([world.tables.orders.rows.size, world.tables.customers.rows.size]).toEqual([2, 0]);
  });

  it("is paid in ways that its delivery takes, and is made once", async () => {
    const { create, refusal, submit } = orders(account());
    await submit("/api/v5/reference/delivery-types/parcel/edit", { deliveryType: { paymentTypes: ["bank-card"] } });
    const order = { externalId: "o1", delivery: { code: "parcel" } };
    const words = "This payment type is not supported for the type of delivery";
    expect(await refusal({ ...order, payments: [{ type: "cash" }] })).toEqual(["Order is not loaded", [words]]);
    await create({ ...order, payments: [{ type: "bank-card" }] });
    expect(await refusal(order)).toEqual(["Order already exists.", undefined]);
  });

  it("of a chat is its customer's", async () => {
    const own = orders(await chatting());
    const [chat] = own.world.chats.values();
    const order = await own.create({ dialogId: chat?.dialogs[0]?.id });
    expect(order.customer).toMatchObject({ id: chat?.customerId });
    expect(order).not.toHaveProperty("dialogId");
  });

  it("keeps its customer's sums, also when customers become one", async () => {
    const { create, edit, submit, crm, read, history } = orders(account());
    const people: number[] = [];
    for (const firstName of ["Ann", "Bob"])
      people.push((await submit("/api/v5/customers/create", { customer: { firstName } })).body.id);
    const [ann = 0, bob = 0] = people;
    const sums = async (id: number) => (await crm("GET", `/api/v5/customers/${id}?by=id`)).body.customer;
    const first = await create({ customer: { id: ann }, items: [{ offer: { id: 101 }, quantity: 10 }] });
    await create({ customer: { id: ann }, items: [{ offer: { id: 103 } }], delivery: { cost: 7, netCost: 5 } });
    expect(await sums(ann)).toMatchObject({
      ordersCount: 2,
      totalSumm: 70,
      averageSumm: 35,
      costSumm: 42.8,
      marginSumm: 27.2,
    });
    await edit(first.id, { customer: { id: bob } });
    expect([await sums(ann), await sums(bob)]).toMatchObject([{ ordersCount: 1 }, { ordersCount: 1, totalSumm: 40 }]);
    await submit("/api/v5/customers/combine", { resultCustomer: { id: ann }, customers: [{ id: bob }] });
    expect(await sums(ann)).toMatchObject({ ordersCount: 2, totalSumm: 70 });
    expect(await read(first.id)).toMatchObject({ customer: { id: ann } });
    expect((await history(first.id)).at(-1)).toMatchObject({
      source: "combine",
      field: "customer",
      newValue: { id: ann },
    });
  });
});

describe("orders", () => {
  it('are loaded fifty at a time: "/api/v5/orders/upload … Bulk upload of orders."', async () => {
    const { submit, crm, faults } = orders(account());
    const given = [{ externalId: "a" }, { externalId: "b", items: [{ offer: { id: 1 } }] }];
    const { status, body } = await submit(`${ROOT}/upload`, { orders: given });
    expect([status, body]).toMatchObject([
      460,
      {
        success: false,
        errorMsg: "Orders are loaded with errors",
        errors: ["items[0].offer.id: Offer with id 1 not found."],
        site: "shop",
        uploadedOrders: [{ id: expect.any(Number), externalId: "a" }],
        failedOrders: [{ externalId: "b" }],
        orders: [{ externalId: "a" }],
      },
    ]);
    expect((await crm("GET", `${ROOT}/a`)).body.order).toEqual((body.orders as Json[])[0]);
    expect((await crm("GET", `${ROOT}/b`)).status).toBe(404);
    expect(faults()).toEqual([]);
    const many = Array.from({ length: 51 }, (_, n) => ({ externalId: `many-${n}` }));
    expect((await submit(`${ROOT}/upload`, { orders: many })).status).toBe(400);
    const wrong = { externalId: "d", items: [{ quantity: "many" }] };
    expect(await submit(`${ROOT}/upload`, { orders: [{ externalId: "c" }, wrong] })).toMatchObject({
      status: 460,
      body: {
        errors: ["items[0].quantity: must be number"],
        orders: [{ externalId: "c" }],
        failedOrders: [{ externalId: "d" }],
      },
    });
  });

  it.each([
    ["ours", 1, 2],
    ["theirs", 5, 2],
    ["summ", 6, 2],
    ["merge", 1, 3],
  ])(
    '"/api/v5/orders/combine … Combines two orders. The data of the final order is kept. The content is merged by a given strategy.": %s',
    async (technique, quantity, count) => {
      const { create, read, crm, history, faults } = orders(account());
      const rope = (quantity: number) => ({ offer: { id: 101 }, quantity });
      const into = await create({ firstName: "Ann", items: [rope(1)] });
      const from = await create({
        externalId: "gone",
        firstName: "Bob",
        items: [rope(5), { offer: { id: 102 } }],
        payments: [{ amount: 3, paidAt: "2026-05-01 10:00:00" }],
      });
      const form = (order: number, result: number) => ({
        technique,
        order: JSON.stringify({ id: order }),
        resultOrder: JSON.stringify({ id: result }),
      });
      const answer = await crm("POST", `${ROOT}/combine`, form(from.id, into.id));
      expect(answer.body).toEqual({ success: true, errors: [] });
      const order = await read(into.id);
      expect(order).toMatchObject({ firstName: "Ann", prepaySum: 3 });
      expect(order.items).toHaveLength(count);
      expect((order.items as Json[])[0]).toMatchObject({ quantity });
      for (const path of [`${ROOT}/gone`, `${ROOT}/${from.id}?by=id`])
        expect(await crm("GET", path)).toMatchObject({ status: 404, body: { combinedTo: { id: into.id } } });
      expect((await history(from.id)).at(-1)).toMatchObject({
        deleted: true,
        source: "combine",
        combinedTo: { id: into.id },
      });
      expect(faults()).toEqual([]);
      const wrong = await crm("POST", `${ROOT}/combine`, form(into.id, into.id));
      expect([wrong.status, wrong.body.errorMsg]).toEqual([400, "Invalid input parameters"]);
    },
  );

  it("are linked, and told by their statuses and groups", async () => {
    const { create, read, submit, crm, faults } = orders(account());
    const one = await create({ externalId: "one" });
    const two = await create({ status: "assembling" });
    const link = { comment: "Gift for", orders: [{ externalId: "one" }, { number: two.number }] };
    expect((await submit(`${ROOT}/links/create`, { link })).body).toEqual({ success: true });
    expect((await read(two.id)).links).toEqual([
      {
        comment: "Gift for",
        createdAt: "2026-05-01 10:00:00",
        order: { id: one.id, externalId: "one", number: one.number },
      },
    ]);
    const { body } = await crm("GET", `${ROOT}/statuses?ids[]=${two.id}&externalIds[]=one`);
    expect(body.orders).toEqual([
      { id: two.id, status: "assembling", group: "assembling" },
      { id: one.id, externalId: "one", status: "new", group: "new" },
    ]);
    expect(faults()).toEqual([]);
  });
});

describe("an order of a firm", () => {
  const firm = { type: "customer_corporate", nickName: "Firm Ltd" };

  it("has its contact and its company, which other orders may name", async () => {
    const { create, edit, crm, switches, faults } = orders(account());
    await switches({ corporateOn: true });
    const made = await create({ customer: firm, contact: { firstName: "Ann" }, company: { name: "Firm West" } });
    expect(made).toMatchObject({
      customer: { type: "customer_corporate", nickName: "Firm Ltd" },
      contact: { firstName: "Ann" },
      company: { name: "Firm West" },
    });
    const { customer, contact, company } = made as unknown as Record<
      "customer" | "contact" | "company",
      { id: number }
    >;
    const same = await create({
      customer: { type: "customer_corporate", id: customer.id },
      contact: { id: contact.id },
      company: { id: company.id },
    });
    expect(same).toMatchObject({
      customer: { id: customer.id },
      contact: { id: contact.id },
      company: { id: company.id },
    });
    expect(await edit(same.id, { company: { id: 7 } })).toMatchObject({ errors: { "company.id": NOT_VALID } });
    expect(await edit(same.id, { company: { externalId: "east" } })).toMatchObject({
      errors: { "company.externalId": "Company with externalId=east not found." },
    });
    const list = async (filter: string) =>
      ((await crm("GET", `${ROOT}?filter[${filter}`)).body.orders as Json[]).map(({ id }) => id);
    expect([
      await list("companyName]=west"),
      await list("customerType]=customer_corporate"),
      await list("customer]=firm"),
    ]).toEqual(Array(3).fill([made.id, same.id]));
    expect((await crm("GET", `/api/v5/customers-corporate/${customer.id}?by=id`)).body.customerCorporate).toMatchObject(
      { ordersCount: 2 },
    );
    expect(faults()).toEqual([]);
  });

  it("takes the main contact and company unasked where the account says so", async () => {
    const { create, submit, switches } = orders(account({ orderMainParties: true }));
    await switches({ corporateOn: true });
    const ann = (await submit("/api/v5/customers/create", { customer: { firstName: "Ann" } })).body.id;
    const customerCorporate = {
      nickName: "Firm",
      companies: [{ name: "Main", isMain: true }],
      customerContacts: [{ isMain: true, customer: { id: ann } }],
    };
    const { id } = (await submit("/api/v5/customers-corporate/create", { customerCorporate })).body;
    expect(await create({ customer: { type: "customer_corporate", id } })).toMatchObject({
      contact: { id: ann },
      company: { name: "Main" },
    });
  });

  it("goes along when its customer becomes a firm, by its own contractor data or by an order's", async () => {
    const { create, read, crm, switches } = orders(account());
    const contragent = { contragentType: "legal-entity", legalName: "Firm" };
    const own = await create({ customer: { firstName: "Ann", contragent } });
    const ordered = await create({ customer: { firstName: "Bob" }, contragent });
    const other = await create({ customer: { firstName: "Cat" } });
    await switches({ corporateOn: true });
    for (const { id } of [own, ordered])
      expect(await read(id)).toMatchObject({ customer: { type: "customer_corporate", nickName: "Firm" } });
    expect(await read(other.id)).toMatchObject({ customer: { type: "customer" } });
    const { body } = await crm("GET", `${ROOT}?filter[customerType]=customer_corporate`);
    expect((body.orders as Json[]).map(({ id }) => id)).toEqual([own.id, ordered.id]);
  });
});

it("the history of orders tells each change, of items and payments too", async () => {
  const { create, edit, history, submit, crm, faults, wait } = orders(account());
  const { id, items } = await create({ externalId: "o1", items: [{ offer: { id: 101 }, quantity: 3 }] });
  wait(1_000);
  const item = items[0]?.id;
  await edit(id, {
    status: "assembling",
    delivery: { address: { city: "Mdina" } },
    items: [{ id: item, quantity: 2 }, { productName: "Sail" }],
  });
  const payment = (await submit(`${ROOT}/payments/create`, { payment: { type: "cash", amount: 8, order: { id } } }))
    .body.id;
  const paid = { by: "id", payment: JSON.stringify({ status: "paid", paidAt: "2026-05-01 10:00:00" }) };
  await crm("POST", `${ROOT}/payments/${payment}/edit`, paid);
  await edit(id, { items: [{ id: item }] });
  const told = await history(id);
  expect(told.map(({ field, oldValue, newValue }) => [field, oldValue, newValue])).toEqual([
    ["status", null, { code: "new" }],
    ["status", { code: "new" }, { code: "assembling" }],
    ["total_summ", 12, 8],
    ["purchase_summ", 7.2, 4.8],
    ["delivery_address.city", null, "Mdina"],
    ["order_product.quantity", 3, 2],
    ["order_product", null, { id: expect.any(Number) }],
    ["payments", null, { id: payment }],
    ["prepay_sum", 0, 8],
    ["full_paid_at", null, "2026-05-01 10:00:00"],
    ["payments.paid_at", null, "2026-05-01 10:00:00"],
    ["payments.status", { code: "not-paid" }, { code: "paid" }],
    ["order_product", { id: expect.any(Number) }, null],
  ]);
  expect(told[0]).toMatchObject({ created: true, source: "api", order: { id, number: `${id}A` } });
  expect(told[1]).toMatchObject({ order: { id, externalId: "o1", site: "shop", status: "assembling" } });
  expect(told[5]).toMatchObject({ item: { id: item, offer: { id: 101 } } });
  expect(told[11]).toMatchObject({ payment: { id: payment, type: "cash" } });
  expect((await crm("GET", `${ROOT}/history?filter[sinceId]=${told[11]?.id}`)).body.history).toEqual([told[12]]);
  expect(faults()).toEqual([]);
});
