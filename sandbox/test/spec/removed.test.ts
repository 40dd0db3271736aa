import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/crm/records.ts";
import { refuseRemoved } from "../../src/crm/removed.ts";
import type { Refusal } from "../../src/refusal.ts";
import { account } from "./account.ts";

/** The spec's own list. */
const REMOVED =
  "order[paymentType], order[paymentStatus], order[paymentDetail], order[discount], order[discountPercent], order[items][][discount], order[items][][discountPercent], customer[commentary]";
const INSTEAD: Record<string, string> = {
  discount: "discountManualAmount",
  discountPercent: "discountManualPercent",
  commentary: "POST /api/v5/customers/notes/create",
};

/** What a record would say that has the field. */
function refusalOf(form: string, given: Entry): unknown {
  try {
    refuseRemoved(form, given);
  } catch (error) {
    return ((error as Refusal).more as Entry).errors;
  }
  return undefined;
}

describe("spec: Versioning, removed fields", () => {
  it.each(REMOVED.split(", "))(
    '"Removed in v5 (fields): order[paymentType], order[paymentStatus], order[paymentDetail], order[discount], order[discountPercent], order[items][][discount], order[items][][discountPercent], customer[commentary].": %s is refused by name, with what replaced it',
    (path) => {
      const [, form = "", list, field = ""] = /^(\w+)(?:\[(items)\]\[\])?\[(\w+)\]$/.exec(path) ?? [];
      const given = list ? { [list]: [{ quantity: 1 }, { [field]: 1 }] } : { [field]: 1 };
      const instead = INSTEAD[field] ?? "POST /api/v5/orders/payments/create";
      const named = list ? `${list}[1].${field}` : field;
      expect(refusalOf(form, given)).toEqual({ [named]: `removed in version 5, use ${instead}` });
    },
  );

  it("leaves the fields of version 5 alone", () => {
    const order = { payments: [], discountManualAmount: 1, items: [{ discountManualPercent: 1, discountTotal: 1 }] };
    expect([refusalOf("order", order), refusalOf("customer", { firstName: "Ann" })]).toEqual([undefined, undefined]);
  });

  it('"customer[commentary] … removed … Replaced by customer notes (separate resource)."', async () => {
    const { submit, crm, world } = account();
    const root = "/api/v5/customers";
    const { id } = (await submit(`${root}/create`, { customer: { externalId: "ann", firstName: "Ann" } })).body;
    const customer = { firstName: "Ann", commentary: "Pays late" };
    const errors = { commentary: "removed in version 5, use POST /api/v5/customers/notes/create" };
    const sent: [string, object][] = [
      ["create", { customer }],
      ["ann/edit", { customer }],
      ["upload", { customers: [customer] }],
    ];
    for (const [path, form] of sent)
      expect((await submit(`${root}/${path}`, form as Entry)).body).toMatchObject({ success: false, errors });
    await submit(`${root}/notes/create`, { note: { text: "Pays late", customer: { id } } });
    expect((await crm("GET", `${root}/notes`)).body.notes).toMatchObject([{ text: "Pays late", customer: { id } }]);
    // Also of a record that has it, of an older archive.
    world.tables.customers.put({ ...world.tables.customers.rows.get(id), id, commentary: "old" });
    const shown = [
      ((await crm("GET", root)).body.customers as Entry[])[0],
      (await crm("GET", `${root}/ann`)).body.customer,
    ];
    for (const each of shown) {
      expect(each).toMatchObject({ firstName: "Ann" });
      expect(each).not.toHaveProperty("commentary");
    }
  });

  it('"order[paymentType], order[paymentStatus], order[paymentDetail] … removed … Removed from all /api/v5/orders* methods." / "order[discount], order[discountPercent], order[items][][discount], order[items][][discountPercent] … removed … Removed from all order methods."', async () => {
    const { submit, crm, world } = account();
    const root = "/api/v5/orders";
    const sums = { discount: 1, discountPercent: 1 };
    const old: Entry = { paymentType: "cash", paymentStatus: "paid", paymentDetail: "x", ...sums };
    const given = [
      ...Object.entries(old).map(([field, value]) => [field, { [field]: value }] as const),
      ...Object.entries(sums).map(
        ([field, value]) => [`items[0].${field}`, { items: [{ offer: { id: 101 }, [field]: value }] }] as const,
      ),
    ];
    for (const [field, order] of given)
      for (const [path, form] of [
        ["create", { order }],
        ["5001/edit", { by: "id", order }],
        ["upload", { orders: [order] }],
      ] as const) {
        const { status, body } = await submit(`${root}/${path}`, form);
        expect([path, field, status >= 400]).toEqual([path, field, true]);
        expect(JSON.stringify(body.errors)).toContain(field);
        expect(JSON.stringify(body.errors)).toContain("removed in version 5");
      }
    expect(world.tables.orders.rows.size).toBe(2);
    const known = world.tables.orders.rows.get(5001) as Entry & { items: Entry[] };
    world.tables.orders.put({ ...known, ...old, items: known.items.map((item) => ({ ...item, ...sums })) });
    const shown = [
      ((await crm("GET", root)).body.orders as Entry[])[0],
      (await crm("GET", `${root}/5001?by=id`)).body.order,
      (await crm("GET", `${root}/get?id=5001`)).body.order,
    ] as { id: number; items: Entry[] }[];
    for (const { items, ...order } of shown) {
      expect(order.id).toBe(5001);
      for (const each of [order, ...items]) expect(Object.keys(each).filter((field) => field in old)).toEqual([]);
    }
  });
});
