import { describe, expect, it } from "vitest";
import type { ModuleAnswer } from "./account.ts";
import { delivering } from "./delivering.ts";

const ROOT = "/api/v5/delivery/calculate";
const ORDER = {
  weight: 700,
  items: [{ offer: { externalId: "rope-12" }, quantity: 3, discountManualAmount: 1 }],
  delivery: { date: "2026-05-03", time: { from: "10:00" }, address: { city: "Valletta" } },
};
const TARIFFS = [
  { code: "fast", name: "Today", type: "courier", cost: 9 },
  { code: "slow", name: "This week", type: "courier", cost: 4 },
  { code: "free", name: "Ask us" },
];

async function calculating(answer: ModuleAnswer = () => ({ success: true, result: TARIFFS })) {
  const own = await delivering(answer);
  const calculate = async (deliveryTypeCodes: string[], order: object = ORDER) => {
    const { status, body } = await own.submit(ROOT, { deliveryTypeCodes, order });
    return status === 200 ? body.calculations : { status, errors: body.errors };
  };
  const type = (code: string, deliveryType: object) =>
    own.submit(`/api/v5/reference/delivery-types/${code}/edit`, { deliveryType });
  return { ...own, calculate, type };
}
const slow = { code: "m", available: true, cost: 4 };
const none = { code: "m", available: false };

describe("calculating a delivery", () => {
  it("gives each type's cost: its own, or its module's cheapest tariff", async () => {
    const { calculate, type, told, world, faults } = await calculating();
    await type("parcel", { vatRate: "20.00" });
    expect(await calculate(["parcel", "m", "self-delivery"])).toEqual([
      { code: "parcel", available: true, vatRate: "20.00", cost: 6.9 },
      slow,
      { code: "self-delivery", available: true, cost: 0 },
    ]);
    const unit = { code: "m", name: "Metre", sym: "m" };
    expect(told()).toEqual([
      {
        action: "calculate",
        told: {
          packages: [
            {
              weight: 700,
              items: [expect.objectContaining({ offerId: "101", externalId: "rope-12", quantity: 3, unit, cost: 3 })],
            },
          ],
          deliveryAddress: { city: "Valletta" },
          deliveryDate: "2026-05-03 00:00:00",
          deliveryTime: { from: "10:00" },
          currency: "EUR",
        },
      },
    ]);
    expect(world.callbacks).toMatchObject([{ module: "m", action: "calculate", state: "done", attempts: 1 }]);
    expect(faults()).toEqual([]);
  });

  it("by the type's default tariff, if it has one", async () => {
    const { calculate, type } = await calculating();
    await type("m", { defaultTariffCode: "fast" });
    expect(await calculate(["m"])).toEqual([{ ...slow, cost: 9 }]);
  });

  it.each<[string, ModuleAnswer, string]>([
    ["has no tariff", () => ({ success: true, result: [] }), "done"],
    [
      "refuses",
      (_, reply) => {
        reply.statusCode = 400;
        return { success: false, errorMsg: "Too far" };
      },
      "refused",
    ],
    ["answers nonsense", () => ({ success: true, result: {} }), "malformed"],
  ])("a type whose module %s is not available", async (_, answer, state) => {
    const { calculate, world } = await calculating(answer);
    expect(await calculate(["m"])).toEqual([none]);
    expect(world.callbacks).toMatchObject([{ state }]);
  });

  it("a module that is down is asked once", async () => {
    const { calculate, json, world } = await calculating();
    await json("POST", "/sandbox/faults", { operation: "onCalculate", drop: "before" });
    expect(await calculate(["m"])).toEqual([none]);
    expect(world.callbacks).toMatchObject([{ state: "unanswered", attempts: 1 }]);
    expect(await calculate(["m"])).toEqual([slow]);
  });

  it("a type that is switched off, or whose module is, is not available; one whose module does not calculate has its own cost", async () => {
    const { calculate, type, register, told } = await calculating();
    await register({ integrations: { delivery: { actions: {} } } });
    await type("m", { defaultCost: 3 });
    expect(await calculate(["m"])).toEqual([{ ...slow, cost: 3 }]);
    await type("m", { active: false });
    expect(await calculate(["m"])).toEqual([none]);
    await type("m", { active: true });
    await register({ active: false });
    expect(await calculate(["m"])).toEqual([none]);
    await register({ active: false, integrations: { delivery: { actions: {} } } });
    expect([await calculate(["m"]), told()]).toEqual([[none], []]);
  });

  it("names a type, and an offer, that does not exist", async () => {
    const { calculate } = await calculating();
    expect(await calculate(["parcel", "camel"])).toEqual({
      status: 400,
      errors: { "[1]": '"DeliveryType" with "code"="camel" does not exist.' },
    });
    expect(await calculate(["parcel"], { items: [{ offer: { id: 7 } }] })).toEqual({
      status: 400,
      errors: { "items[0].offer.id": "Offer with id 7 not found." },
    });
  });
});
