import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/property.ts";
import { discounted } from "../../src/crm/orders/discounts.ts";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const NOT_VALID = "This value is not valid.";
const line = (initialPrice: number, quantity: number, more: object = {}) => ({
  productName: "x",
  initialPrice,
  quantity,
  ...more,
});

async function made(order: object, unknowns: object = {}) {
  const { status, body } = await account(unknowns).submit("/api/v5/orders/create", { order });
  return { status, errors: body.errors as unknown, order: body.order as (Json & { items: Json[] }) | undefined };
}

describe("discounts", () => {
  it('"order[discountManualAmount] … The order discount is distributed among the items.": evenly over all units, on top of the items\' own', async () => {
    const { order } = await made({
      discountManualAmount: 300,
      items: [line(500, 2, { discountManualPercent: 10 }), line(200, 3, { discountManualAmount: 15 })],
    });
    expect(order?.items).toMatchObject([
      {
        discountTotal: 110,
        discounts: [
          { type: "manual_product", amount: 50 },
          { type: "manual_order", amount: 60 },
        ],
        prices: [{ price: 390, quantity: 2 }],
      },
      { discountTotal: 75, prices: [{ price: 125, quantity: 3 }] },
    ]);
    expect(order).toMatchObject({ summ: 1155, totalSumm: 1155 });
    expect(order).not.toHaveProperty("discountManualAmount");
    expect(order?.items[1]).not.toHaveProperty("discountManualAmount");
  });

  it("a percentage of the order is that of each unit's price", async () => {
    const { order } = await made({ discountManualPercent: 10, items: [line(10, 3), line(33.33, 1)] });
    expect(order?.items).toMatchObject([{ discountTotal: 1 }, { discountTotal: 3.33 }]);
  });

  it('"Discount distribution: when an order discount cannot be divided between the items (for example one item of quantity 3 with an order discount that does not divide into it), the operation returns an error." / "An order discount cannot be divided between the items and the automatic-nearest-discount setting is off … An error is returned."', async () => {
    const { submit, world } = account();
    const before = world.tables.orders.rows.get(5001);
    const order = { discountManualAmount: 100, items: [line(50, 3)] };
    const errors = { discountManualAmount: "This value cannot be divided between 3 units." };
    for (const [path, form] of [
      ["create", { order }],
      ["5001/edit", { by: "id", order }],
    ] as const)
      expect(await submit(`/api/v5/orders/${path}`, form)).toMatchObject({
        status: 400,
        body: { success: false, errors },
      });
    const { status, body } = await submit("/api/v5/orders/upload", { orders: [{ externalId: "x", ...order }] });
    expect([status, body]).toMatchObject([460, { success: false, failedOrders: [{ externalId: "x" }] }]);
    expect([world.tables.orders.rows.size, world.tables.orders.rows.get(5001)]).toEqual([2, before]);
    expect((await submit("/api/v5/orders/create", { order: { ...order, discountManualAmount: 99 } })).status).toBe(201);
  });

  it('"An account setting exists which, when enabled, makes the service choose the nearest discount that can be divided."', async () => {
    const order = { discountManualAmount: 100, items: [line(50, 3)] };
    const nearest = { status: 201, order: { totalSumm: 50.01, items: [{ discountTotal: 33.33 }] } };
    expect(await made(order, { indivisibleDiscount: "round" })).toMatchObject(nearest);
    expect(await made({ ...order, applyRound: true })).toMatchObject(nearest);
  });

  it.each([
    [{ discountManualAmount: 40, items: [line(10, 2)] }, "discountManualAmount"],
    [{ discountManualPercent: 101, items: [line(10, 2)] }, "discountManualPercent"],
    [{ items: [line(10, 2, { discountManualAmount: 11 })] }, "items[0].discountManualAmount"],
    [{ items: [line(10, 2, { discountManualPercent: -1 })] }, "items[0].discountManualPercent"],
  ])("never go below nothing: %o", async (order, field) => {
    expect(await made(order)).toMatchObject({ status: 400, errors: { [field]: NOT_VALID } });
  });

  it("always sum up: what the units lose is the order's discount, or the nearest that they can share", () => {
    const price = fc.integer({ min: 100_00, max: 999_99 }).map((cents) => cents / 100);
    const item = fc.record({ initialPrice: price, quantity: fc.integer({ min: 1, max: 20 }) });
    const amounts = fc.integer({ min: 0, max: 50_00 });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), amounts, (items, cents) => {
        const units = items.reduce((sum, { quantity }) => sum + quantity, 0);
        const spread = discounted(items, { amount: cents / 100, percent: undefined, rounded: true });
        const lost = spread.reduce(
          (sum, each) => sum + Math.round(Number(each.discountTotal) * 100) * Number(each.quantity),
          0,
        );
        expect(Math.abs(lost - cents)).toBeLessThanOrEqual(units / 2);
        if (cents % units === 0) expect(lost).toBe(cents);
        for (const [n, { initialPrice, discountTotal, prices }] of spread.entries()) {
          expect(prices).toEqual([
            {
              price: Math.round((Number(initialPrice) - Number(discountTotal)) * 100) / 100,
              quantity: items[n]?.quantity,
            },
          ]);
        }
      }),
    );
  });
});
