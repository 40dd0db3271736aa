import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

// Fields of an order, by each way to write them and each way to read them.

const ROOT = "/api/v5/orders";
const NOT_VALID = "This value is not valid.";
const WAYS = ["create", "edit", "upload"] as const;
type Way = (typeof WAYS)[number];
type Order = Json & { id: number; items: (Json & { offer: Json })[] };
type Party = Json & { id: number };

function orders() {
  const own = account();
  const { submit, crm } = own;
  const post = async (way: Way, order: object) => {
    if (way === "create") return submit(`${ROOT}/create`, { order });
    if (way === "upload") return submit(`${ROOT}/upload`, { orders: [order] });
    const { id } = (await submit(`${ROOT}/create`, { order: { firstName: "Before" } })).body;
    return submit(`${ROOT}/${id}/edit`, { by: "id", order });
  };
  /** The order as the list and both calls of one return it, alike. */
  const read = async (id: number) => {
    const listed = ((await crm("GET", `${ROOT}?filter[ids][]=${id}`)).body.orders as Order[])[0];
    for (const path of [`${ROOT}/${id}?by=id`, `${ROOT}/get?id=${id}`])
      expect((await crm("GET", path)).body.order).toEqual(listed);
    return listed as Order;
  };
  const write = async (way: Way, order: object) => {
    const { status, body } = await post(way, order);
    expect([way, status < 300, body.errors]).toEqual([way, true, undefined]);
    const [uploaded] = (body.uploadedOrders ?? [body]) as { id: number }[];
    return read(uploaded?.id ?? 0);
  };
  const refusal = async (way: Way, order: object) => {
    const { status, body } = await post(way, order);
    expect([way, status >= 400, body.success]).toEqual([way, true, false]);
    return JSON.stringify(body.errors);
  };
  return { ...own, read, write, refusal };
}

const ROPE = { offer: { id: 101 }, quantity: 2 };

describe("spec: Order, items", () => {
  it.each(WAYS)(
    '"order[items][][vatRate] … R, W … VAT rate of an item. Returned by the order list and order get. May be given per item on order create and order edit.": %s',
    async (way) => {
      const { write, faults } = orders();
      const { items } = await write(way, { items: [{ ...ROPE, vatRate: "20.00" }, { offer: { id: 102 } }] });
      expect(items.map(({ vatRate }) => vatRate)).toEqual(["20.00", "none"]);
      expect(faults()).toEqual([]);
    },
  );

  it('"order[items][][offer][vatRate] … R … VAT rate of the product of the item."', async () => {
    const { write, world, faults } = orders();
    const { products } = world.tables;
    const rope = products.rows.get(101) as Json & { offers: Json[] };
    products.put({ ...rope, offers: rope.offers.map((offer) => ({ ...offer, vatRate: "10.00" })) } as never);
    for (const way of WAYS) {
      const [own, taken] = (
        await write(way, { items: [{ offer: { id: 101, vatRate: "5.00" }, vatRate: "20.00" }, ROPE] })
      ).items;
      expect([own, taken]).toMatchObject([
        { vatRate: "20.00", offer: { id: 101, vatRate: "10.00" } },
        { vatRate: "10.00", offer: { id: 101, vatRate: "10.00" } },
      ]);
    }
    expect(faults()).toEqual([]);
  });

  it('"order[items][][offer][unit] … R … Unit of measurement, in the order list and order get (the list form is orders[items][][offer][unit])."', async () => {
    const { write, submit, read, faults } = orders();
    for (const way of WAYS) {
      const { items } = await write(way, {
        items: [{ offer: { id: 101, unit: { code: "pc" } } }, { offer: { id: 102 } }],
      });
      expect(items.map(({ offer }) => (offer.unit as Json).code)).toEqual(["m", "pc"]);
    }
    await submit("/api/v5/reference/units/m/edit", { unit: { name: "Fathom", sym: "fm" } });
    expect((await read(5001)).items[0]?.offer.unit).toEqual({ code: "m", name: "Fathom", sym: "fm" });
    expect(faults()).toEqual([]);
  });
});

describe("spec: Order, discounts", () => {
  it.each(WAYS)(
    '"order[discountManualAmount] … W … Order-level manual discount amount. Accepted on order create, order edit and order upload." / "order[items][][discountManualPercent] … W … Item-level manual discount percent.": %s',
    async (way) => {
      const { write, faults } = orders();
      const order = await write(way, {
        discountManualAmount: 1,
        items: [{ ...ROPE, discountManualPercent: 25 }],
      });
      expect(order).toMatchObject({ totalSumm: 5, items: [{ initialPrice: 4, discountTotal: 1.5 }] });
      expect(order).not.toHaveProperty("discountManualAmount");
      expect(order.items[0]).not.toHaveProperty("discountManualPercent");
      expect(faults()).toEqual([]);
    },
  );

  it('"order[items][][discountTotal] … R … Total monetary discount per unit of the item. Includes the item\'s own discounts and the share of the order discount distributed to it. Returned by the order list and order get."', async () => {
    const { write, faults } = orders();
    for (const way of WAYS) {
      const own = { discountManualPercent: 50, discountManualAmount: 0.5, discountTotal: 3 };
      const { items } = await write(way, {
        discountManualAmount: 1.6,
        items: [
          { ...ROPE, ...own },
          { productName: "Repair", initialPrice: 5, quantity: 2, discountTotal: 3 },
        ],
      });
      // Of a rope at 4: half, 0.5, and a quarter of 1.6.
      expect(items.map(({ discountTotal }) => discountTotal)).toEqual([2.9, 0.4]);
    }
    expect(faults()).toEqual([]);
  });
});

/** An account with corporate customers, and a firm with Ann as contact and a company. */
async function trading() {
  const own = orders();
  await own.switches({ corporateOn: true });
  const ann = (await own.submit("/api/v5/customers/create", { customer: { externalId: "ann", firstName: "Ann" } })).body
    .id;
  const customerCorporate = {
    externalId: "firm",
    nickName: "Firm Ltd",
    companies: [{ externalId: "west", name: "Firm West" }],
    customerContacts: [{ customer: { id: ann } }],
  };
  const firm = (await own.submit("/api/v5/customers-corporate/create", { customerCorporate })).body.id;
  const firms = () => [...own.world.tables.corporate.rows.values()].map(({ nickName }) => nickName);
  return { ...own, ann, firm, firms };
}
const FIRM = "customer_corporate";

describe("spec: Order, parties", () => {
  it.each(WAYS)(
    '"order[customer][type] … R, W … Default customer. Value customer_corporate creates or targets an order for a corporate customer.": %s',
    async (way) => {
      const { write, refusal, firm, firms, ann, faults } = await trading();
      const typed = async (customer: object) => {
        const { type, id } = (await write(way, { customer })).customer as Party;
        return [type, id];
      };
      expect(await typed({ id: ann })).toEqual(["customer", ann]);
      expect((await typed({ firstName: "Bob" }))[0]).toBe("customer");
      expect(await typed({ type: "customer", externalId: "ann" })).toEqual(["customer", ann]);
      expect(await typed({ type: FIRM, id: firm })).toEqual([FIRM, firm]);
      expect(await typed({ type: FIRM, externalId: "firm" })).toEqual([FIRM, firm]);
      expect((await typed({ type: FIRM, nickName: "New" }))[0]).toBe(FIRM);
      expect(firms()).toEqual(["Firm Ltd", "New"]);
      expect(faults()).toEqual([]);
      for (const customer of [{ id: firm }, { type: "customer", id: firm }, { type: FIRM, id: ann }])
        expect(await refusal(way, { customer })).toContain("customer.id");
      expect(await refusal(way, { customer: { type: "other", id: ann } })).toContain("type");
    },
  );

  it.each(WAYS)(
    '"order[customer][nickName] … W … Name of the contractor. Sent when a new corporate customer has to be created.": %s',
    async (way) => {
      const { write, refusal, firms, firm, crm } = await trading();
      const { id } = (await write(way, { customer: { type: FIRM, nickName: "New Ltd" } })).customer as Party;
      const made = (await crm("GET", `/api/v5/customers-corporate/${id}?by=id`)).body.customerCorporate;
      expect(made).toMatchObject({ nickName: "New Ltd" });
      await write(way, { customer: { type: FIRM, id: firm } });
      expect(firms()).toEqual(["Firm Ltd", "New Ltd"]);
      expect(await refusal(way, { customer: { type: FIRM } })).toContain("customer.nickName");
      expect(firms()).toEqual(["Firm Ltd", "New Ltd"]);
    },
  );

  it.each(WAYS)(
    '"order[contact] … R, W … Contact person data of the order. Used when the order is placed on a corporate customer." / "order[company] … R, W … Company data of the order. Used when the order is placed on a corporate customer.": %s',
    async (way) => {
      const { write, firm, ann, crm, faults } = await trading();
      const customer = { type: FIRM, id: firm };
      const known = await write(way, { customer, contact: { id: ann }, company: { externalId: "west" } });
      expect(known).toMatchObject({
        customer: { id: firm },
        contact: { id: ann, firstName: "Ann" },
        company: { name: "Firm West" },
      });
      const made = await write(way, { customer, contact: { firstName: "Bob" }, company: { name: "Firm East" } });
      expect(made).toMatchObject({ contact: { firstName: "Bob" }, company: { name: "Firm East" } });
      const root = `/api/v5/customers-corporate/${firm}`;
      expect((await crm("GET", `${root}/contacts?by=id`)).body.contacts).toMatchObject([
        { customer: { id: ann } },
        { customer: { id: (made.contact as Party).id } },
      ]);
      expect((await crm("GET", `${root}/companies?by=id`)).body.companies).toMatchObject([
        { name: "Firm West" },
        { name: "Firm East" },
      ]);
      const person = await write(way, {
        customer: { id: ann },
        contact: { firstName: "Eve" },
        company: { name: "None" },
      });
      expect(person.contact).toMatchObject({ id: ann });
      expect(person).not.toHaveProperty("company");
      expect(faults()).toEqual([]);
    },
  );

  it('"Write fields order[customer][type], order[customer][nickName], order[contact], order[company] apply to order create, order edit and order upload." / "Read fields order[customer][type], order[contact], order[company] apply to the order list and order get."', async () => {
    const { write, faults } = await trading();
    for (const way of WAYS) {
      const customer = { type: FIRM, nickName: `By ${way}` };
      const parties = { contact: { firstName: "Ann" }, company: { name: "Firm West" } };
      expect(await write(way, { customer, ...parties })).toMatchObject({ customer, ...parties });
    }
    expect(faults()).toEqual([]);
  });

  it.each(WAYS)(
    '"The functionality must be enabled in the account for orders on corporate customers." / "An order for a corporate customer while corporate customers are disabled … Not allowed.": %s',
    async (way) => {
      const { write, refusal, switches, world, submit } = orders();
      const { id } = (await submit("/api/v5/customers-corporate/create", { customerCorporate: { nickName: "Firm" } }))
        .body;
      const before = [...world.tables.corporate.rows.keys()];
      for (const customer of [
        { type: FIRM, nickName: "New" },
        { type: FIRM, id },
      ]) {
        expect(await refusal(way, { customer })).toContain(NOT_VALID);
        expect([...world.tables.corporate.rows.keys()]).toEqual(before);
      }
      await switches({ corporateOn: true });
      expect((await write(way, { customer: { type: FIRM, id } })).customer).toMatchObject({ id });
    },
  );
});
