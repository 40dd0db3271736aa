import { expect, it } from "vitest";
import { fc, tries } from "../../../test/support/property.ts";
import { CORPORATE } from "../../src/crm/corporate/corporate.ts";
import { CUSTOMER } from "../../src/crm/customers/customer.ts";
import type { ListFilters } from "../../src/crm/listing.ts";
import { ORDER } from "../../src/crm/orders/order.ts";
import type { Entry } from "../../src/crm/records.ts";
import type { Resource } from "../../src/crm/resource/resource.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { type Seeded, seeded } from "../seed/shop.ts";

/** All texts and numbers of a record: what its filters may be asked for. */
function valuesIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(valuesIn);
  return value === undefined || value === null ? [] : [String(value)];
}

/** Asks every filter record by record, and of the table. */
function expectSame({ world }: Seeded, { table, filters }: Resource, asked: (names: string[]) => [string, string][]) {
  const gateway = { world, clock: { now: () => Date.parse("2026-05-01T10:00:00Z") } } as Gateway;
  const own: ListFilters<Entry> = filters(gateway);
  let found = 0;
  for (const [name, value] of asked(Object.keys(own))) {
    const match = own[name]?.([value], [""]);
    if (!match) throw new Error(`${table} has no filter ${name}`);
    const scanned = [...world.tables[table].rows.values()].filter((entry) => match(entry)).map(({ id }) => id);
    const ids = world.tables[table].matching([match]).entries.map(({ id }) => id);
    expect([name, value, ids]).toEqual([name, value, scanned]);
    found += ids.length;
  }
  return found;
}

/** Writes of the API, each to records that a number chooses. Some are refused, and leave all as it was. */
const WRITES: Record<string, (own: Seeded, one: Pick, other: Pick) => Promise<unknown>> = {
  edit: ({ submit }, one) =>
    submit(`/api/v5/orders/${one("orders").id}/edit`, {
      by: "id",
      order: { status: "complete", managerComment: "late", delivery: { code: "courier", address: { city: "Bremen" } } },
    }),
  create: ({ submit }, one) => submit("/api/v5/orders/create", { order: { customer: { id: one("customers").id } } }),
  refuse: ({ submit }, one) =>
    submit("/api/v5/orders/create", {
      order: { customer: { nickName: "N", type: "customer_corporate" }, company: { id: one("orders").id } },
    }),
  join: ({ submit }, one, other) =>
    submit("/api/v5/orders/combine", { order: { id: one("orders").id }, resultOrder: { id: other("orders").id } }),
  tag: ({ submit }, one) =>
    submit(`/api/v5/customers/${one("customers").id}/edit`, { by: "id", customer: { addTags: ["late"], vip: true } }),
  merge: ({ submit }, one, other) =>
    submit("/api/v5/customers/combine", {
      customers: [{ id: one("customers").id }],
      resultCustomer: { id: other("customers").id },
    }),
  rename: ({ submit }, one) =>
    submit(`/api/v5/customers-corporate/${one("corporate").id}/edit`, {
      by: "id",
      customerCorporate: { nickName: "Late" },
    }),
};
type Pick = (table: "customers" | "corporate" | "orders") => Entry;

it("a list finds by every filter what a scan finds, whatever was created, edited, combined or refused", async () => {
  const own = await seeded();
  const picking =
    (n: number): Pick =>
    (table) => {
      const all = [...own.world.tables[table].rows.values()];
      return all[n % all.length] as Entry;
    };
  let [found, writes] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(CUSTOMER, CORPORATE, ORDER),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 10, maxLength: 10 }),
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(WRITES)), fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 }),
      async (resource, chosen, steps) => {
        const asked = (names: string[]) =>
          chosen.map(([filter, n]): [string, string] => {
            const values = valuesIn(picking(n)(resource.table as "orders"));
            return [names[filter % names.length] ?? "", values[n % values.length] ?? ""];
          });
        expectSame(own, resource, asked);
        for (const [name, one, other] of steps) {
          const answer = (await WRITES[name]?.(own, picking(one), picking(other))) as { status: number };
          if (answer.status < 300) writes += 1;
        }
        found += expectSame(own, resource, asked);
      },
    ),
    tries(25),
  );
  // Neither is empty: filters have found, and writes have been taken.
  expect([found > 1_000, writes > 30]).toEqual([true, true]);
});
