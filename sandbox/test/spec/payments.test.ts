import { expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";

const ROOT = "/api/v5/orders";

it('payments of an order: "/api/v5/orders/payments/create … Add a payment." / "/api/v5/orders/payments/{id}/edit … Edit a payment." / "/api/v5/orders/payments/{id}/delete … Delete a payment." / "order[payments][] … R … Collection of payments, returned by the order list and by order get." / "order[fullPaidAt] … R … Date of full payment, returned by the order list and by order get." / "/api/v5/orders/get … Returns payments and fullPaidAt."', async () => {
  const { submit, crm, faults } = account();
  /** The same by the list and by both calls of one. */
  const order = async () => {
    const listed = ((await crm("GET", ROOT)).body.orders as Json[]).find((each) => each.id === 5002);
    for (const path of [`${ROOT}/5002?by=id`, `${ROOT}/get?id=5002`])
      expect((await crm("GET", path)).body.order).toEqual(listed);
    return listed as Json & { payments: Record<string, Json> };
  };
  const change = (path: string, payment: object, by = "externalId") =>
    crm("POST", `${ROOT}/payments/${path}`, { by, payment: JSON.stringify(payment) });
  const deleted = (id: unknown) => crm("POST", `${ROOT}/payments/${id}/delete`);
  await deleted(5002);
  expect(await order()).toMatchObject({ totalSumm: 89.5, prepaySum: 0, payments: {} });
  const given = { type: "cash", externalId: "p1", amount: 80, order: { number: "5002A" } };
  const { status, body } = await submit(`${ROOT}/payments/create`, { payment: given });
  expect([status, body]).toEqual([201, { success: true, id: expect.any(Number) }]);
  const { id } = body;
  expect((await order()).payments).toEqual({
    [id]: { id, type: "cash", status: "not-paid", externalId: "p1", amount: 80 },
  });
  expect((await change("p1/edit", { status: "paid", paidAt: "2026-05-01 09:00:00" })).body).toEqual({
    success: true,
    id,
  });
  expect(await order()).toMatchObject({ prepaySum: 80 });
  expect(await order()).not.toHaveProperty("fullPaidAt");
  await change(`${id}/edit`, { amount: 89.5 }, "id");
  expect(await order()).toMatchObject({ prepaySum: 89.5, fullPaidAt: "2026-05-01 09:00:00" });
  const later = { fullPaidAt: "2026-05-02 09:00:00" };
  await crm("POST", `${ROOT}/5002/edit`, { by: "id", order: JSON.stringify(later) });
  expect(await order()).toMatchObject({ fullPaidAt: "2026-05-01 09:00:00" });
  expect((await deleted(id)).body).toEqual({ success: true });
  expect(await order()).toMatchObject({ prepaySum: 0, payments: {} });
  expect(await order()).not.toHaveProperty("fullPaidAt");
  for (const answer of [await deleted(id), await change("p1/edit", { amount: 1 })])
    expect(answer).toMatchObject({ status: 404, body: { errorMsg: "Payment not found" } });
  expect(faults()).toEqual([]);
});

it("a payment is made in an order's card if its status means so, whenever it was paid", async () => {
  const { submit, asAgent } = account();
  const payments = async () => {
    const [card] = (await asAgent("GET", "/orders?search=5002A")).body as unknown as { payments: Json[] }[];
    return card?.payments.map(({ status }) => status);
  };
  expect(await payments()).toEqual([{ name: "Not paid", payed: false }]);
  await submit(`${ROOT}/payments/5002/edit`, { by: "id", payment: { status: "paid" } });
  expect(await payments()).toEqual([{ name: "Paid", payed: true }]);
  const paidAt = "2026-05-01 09:00:00";
  await submit(`${ROOT}/payments/5002/edit`, { by: "id", payment: { status: "not-paid", paidAt } });
  expect(await payments()).toEqual([{ name: "Not paid", payed: false }]);
});

it.each([
  [{ type: "cash" }, { order: "Set one of the following fields: id, externalId, number" }],
  [{ type: "cash", order: { id: 1 } }, { order: "This value is not valid." }],
  [{ type: "gold", order: { id: 5001 } }, { type: '"PaymentType" with "code"="gold" does not exist.' }],
  [{ status: "gold", order: { id: 5001 } }, { status: '"PaymentStatus" with "code"="gold" does not exist.' }],
])("the payment %o is refused", async (payment, errors) => {
  const { status, body } = await account().submit(`${ROOT}/payments/create`, { payment });
  expect([status, body]).toEqual([400, { success: false, errorMsg: "Errors in the entity format", errors }]);
});

it("payments come with an order, unless the account ignores them there", async () => {
  for (const [orderPayments, count] of [
    ["take", 1],
    ["ignore", 0],
  ] as const) {
    const order = { payments: [{ type: "cash", amount: 5 }] };
    const { body } = await account({ orderPayments }).submit(`${ROOT}/create`, { order });
    expect(Object.values((body.order as Json).payments as object)).toHaveLength(count);
  }
});
