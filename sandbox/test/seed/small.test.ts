import { describe, expect, it } from "vitest";
import { archived } from "../../src/archive/write.ts";
import { summedUp } from "../../src/crm/orders/after.ts";
import { reckoned } from "../../src/crm/orders/order.ts";
import type { Entry } from "../../src/crm/records.ts";
import { offerBy } from "../../src/crm/store/product.ts";
import { DEFAULT_UNKNOWNS } from "../../src/unknowns.ts";
import { chatting } from "../spec/account.ts";
import { entriesOf, type Seeded, seeded } from "./shop.ts";

const DAY_MS = 86_400_000;
const NOW = "2026-05-01 00:00:00";

const lines = async ({ world }: Seeded) =>
  (await new Response(archived(world)).text()).trimEnd().split("\n").slice(1, -1);

/** A day later, but for birthdays. */
const dayLater = (line: string) =>
  JSON.stringify(JSON.parse(line), (key, value) => {
    if (key === "birthday") return value;
    if (key === "createdAt" && typeof value === "number") return value + DAY_MS;
    const [, day, time] = /^(\d{4}-\d\d-\d\d)( \d\d:.*)?$/.exec(String(value)) ?? [];
    return day ? new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10) + (time ?? "") : value;
  });

describe("the small seed", () => {
  it("is the same shop at any time of a day, and a day later on the next", async () => {
    const own = await seeded();
    const first = await lines(own);
    own.wait(13 * 3_600_000);
    await own.sandbox.seed("small");
    expect(await lines(own)).toEqual(first);
    own.wait(DAY_MS);
    await own.sandbox.seed("small");
    expect(await lines(own)).toEqual(first.map(dayLater));
  });

  it("has 200 products, 500 customers of whom some are firms, and 1,000 orders in every status", async () => {
    const own = await seeded();
    const { products, customers, corporate, orders } = own.world.tables;
    const sizes = [products, orders].map(({ rows }) => rows.size);
    expect([...sizes, customers.rows.size + corporate.rows.size]).toEqual([200, 1_000, 500]);
    expect(corporate.rows.size).toBeGreaterThan(30);
    const statuses = new Set(entriesOf(own, "orders").map(({ status }) => status));
    expect(statuses).toEqual(new Set(own.world.dictionaries.get("statuses")?.keys()));
    for (const table of ["customerNotes", "corporateNotes", "tasks", "packs", "productGroups", "shipments"] as const)
      expect([table, entriesOf(own, table).length]).toEqual([table, expect.toSatisfy((size: number) => size > 2)]);
  });

  it("replaces a running account's", async () => {
    const own = await chatting();
    expect((await own.json("POST", "/sandbox/seed", { seed: "small" })).body).toEqual({ success: true });
    expect([own.world.modules.size, own.world.chats.size, own.world.tables.orders.rows.size]).toEqual([0, 0, 1_000]);
    expect((await own.json("POST", "/sandbox/seed", { seed: "tiny" })).status).toBe(400);
  });

  it("gives what comes later ids of its own", async () => {
    const { world, submit } = await seeded();
    const known = new Set(Object.values(world.tables).flatMap(({ rows }) => [...rows.keys()]));
    const { body } = await submit("/api/v5/customers/create", { customer: { firstName: "Ann" } });
    expect(known.has(body.id)).toBe(false);
  });
});

describe("a seeded order", () => {
  const unknowns = () => DEFAULT_UNKNOWNS;

  it("has goods of its shop, and the discounts and sums that the CRM reckons", async () => {
    const own = await seeded();
    for (const order of entriesOf(own, "orders")) {
      for (const { offer } of order.items as Entry[])
        expect(offerBy(own.world.tables.products, offer as Entry, "")?.offer.site).toBe(order.site);
      expect(reckoned({ ...own.sandbox, unknowns } as never, false, order)).toEqual(order);
    }
  });

  it("is paid, sent and completed in this order and before now, or cancelled unpaid", async () => {
    const own = await seeded();
    for (const order of entriesOf(own, "orders")) {
      const { createdAt, statuses, status, statusUpdatedAt, shipped, fullPaidAt, managerId } = order as Record<
        string,
        string
      > &
        Record<"statuses", string[]>;
      const path = ["new", "approval", "assembling", "delivery", "complete"];
      const expected =
        status === "cancel" ? ["new", "approval", "cancel"] : path.slice(0, path.indexOf(String(status)) + 1);
      expect(statuses).toEqual(expected);
      expect([createdAt, statusUpdatedAt, NOW]).toEqual([createdAt, statusUpdatedAt, NOW].sort());
      expect(shipped).toBe(["delivery", "complete"].includes(String(status)));
      if (status === "complete") expect(fullPaidAt && fullPaidAt <= String(statusUpdatedAt)).toBe(true);
      if (status === "cancel") expect(fullPaidAt).toBeUndefined();
      expect(managerId === undefined).toBe(status === "new");
    }
  });

  it("has its goods reserved once it is assembled, and sold once it is completed", async () => {
    const own = await seeded();
    const statuses = (order: Entry) => new Set((order.items as Entry[]).map(({ status }) => status));
    const EXPECTED: Record<string, string> = { assembling: "reserved", delivery: "reserved", complete: "sold" };
    for (const order of entriesOf(own, "orders"))
      expect(statuses(order)).toEqual(new Set([EXPECTED[String(order.status)] ?? "new"]));
  });

  it("leaves after it was made, comes after it left, and is completed when it has come", async () => {
    const own = await seeded();
    const sent = entriesOf(own, "orders").filter(({ shipped }) => shipped);
    for (const { createdAt, shipmentDate, delivery, status, statusUpdatedAt } of sent) {
      const { date = shipmentDate } = delivery as Entry;
      const done = status === "complete" ? [statusUpdatedAt] : [];
      const days = [createdAt, shipmentDate, date, ...done].map((time) => String(time).slice(0, 10));
      expect(days).toEqual([...days].sort());
    }
    expect(sent.some(({ delivery }) => (delivery as Entry).date !== undefined)).toBe(true);
  });

  it("is of a customer who was there, and counts in that one's sums", async () => {
    const own = await seeded();
    const byId = new Map<unknown, Entry>();
    for (const customer of [...entriesOf(own, "customers"), ...entriesOf(own, "corporate")]) {
      expect(summedUp(own.world, customer)).toEqual(customer);
      byId.set(customer.id, customer);
    }
    for (const { customer, createdAt, site } of entriesOf(own, "orders")) {
      const known = byId.get((customer as Entry).id) ?? {};
      expect([known.site, String(known.createdAt) < String(createdAt)]).toEqual([site, true]);
    }
    expect(entriesOf(own, "customers").some(({ ordersCount }) => Number(ordersCount) > 3)).toBe(true);
  });
});
