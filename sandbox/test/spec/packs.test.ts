import { expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account } from "./account.ts";
import { describeList } from "./list-promises.ts";

const ROOT = "/api/v5/orders/packs";

/** Two packs of one order, another of the next. */
async function packed() {
  const own = account();
  const made: number[] = [];
  const create = async (pack: object) =>
    made.push(Number((await own.submit(`${ROOT}/create`, { pack: { store: "quay", quantity: 1, ...pack } })).body.id));
  const [rope, cleat, bag] = [50010, 50011, 50020];
  await create({ itemId: rope, quantity: 4, purchasePrice: 2.4, shipmentDate: "2026-05-07", invoiceNumber: "I-1" });
  await create({ itemId: cleat, deliveryNoteNumber: "N-1" });
  await create({ itemId: bag });
  const [one = 0, two = 0, three = 0] = made;
  await own.submit("/api/v5/orders/fix-external-ids", { orders: [{ id: 5002, externalId: "second" }] });
  return { ...own, one, two, three, rope };
}

describeList({
  path: ROOT,
  many: "packs",
  prepare: packed,
  found: ({ one, two, three, rope }) => ({
    [`ids][]=${one}&filter[ids][]=${three}`]: [one, three],
    "stores][]=quay": [one, two, three],
    [`itemId]=${rope}`]: [one],
    "offerXmlId]=rope-12": [one],
    "offerExternalId]=bag-01": [three],
    "orderId]=5001": [one, two],
    "orderExternalId]=second": [three],
    "shipmentDateFrom]=2026-05-07": [one],
    "shipmentDateTo]=2026-05-06": [],
    "invoiceNumber]=I-1": [one],
    "deliveryNoteNumber]=N-1": [two],
  }),
});

it('packs have units and a history: "GET … /api/v5/orders/packs … Packs, with packs[unit]." / "GET … /api/v5/orders/packs/{id} … Pack, with pack[unit]." / "packs[unit], pack[unit] … R … Unit of measurement in the pack list and pack get."', async () => {
  const { crm, one, two, rope, faults } = await packed();
  expect((await crm("GET", `${ROOT}/${one}`)).body.pack).toEqual({
    id: one,
    store: "quay",
    quantity: 4,
    purchasePrice: 2.4,
    shipmentDate: "2026-05-07",
    invoiceNumber: "I-1",
    unit: { code: "m", name: "Metre", sym: "m" },
    item: expect.objectContaining({ id: rope, order: { id: 5001 } }),
  });
  const { packs } = (await crm("GET", ROOT)).body as unknown as { packs: Json[] };
  expect(packs.map(({ unit }) => (unit as Json).code)).toEqual(["m", "pc", "pc"]);
  const edited = await crm("POST", `${ROOT}/${one}/edit`, {
    pack: JSON.stringify({ quantity: 5, unit: { code: "pc" } }),
  });
  expect((await crm("GET", `${ROOT}/${one}`)).body.pack).toMatchObject({ quantity: 5, unit: { code: "m" } });
  expect(edited.body).toEqual({ success: true, id: one });
  expect((await crm("POST", `${ROOT}/${two}/delete`)).body).toEqual({ success: true });
  const { body } = await crm("GET", `${ROOT}/history?filter[orderId]=5001`);
  const told = body.history as Json[];
  expect(
    told.map(({ field, oldValue, newValue, created, deleted }) => [field, oldValue, newValue, created, deleted]),
  ).toEqual([
    ["store", null, { code: "quay" }, true, undefined],
    ["store", null, { code: "quay" }, true, undefined],
    ["quantity", 4, 5, undefined, undefined],
    ["store", { code: "quay" }, null, undefined, true],
  ]);
  // Each as it was.
  const { item } = (told[0]?.pack ?? {}) as Json;
  expect(told[0]?.pack).toMatchObject({ id: one, store: { code: "quay" }, quantity: 4, item: { id: rope } });
  expect(told[2]?.pack).toEqual({ id: one, item });
  expect(told[3]).toMatchObject({ pack: { id: two, item: { order: { id: 5001 } } } });
  expect((await crm("GET", `${ROOT}/history?filter[orderExternalId]=second`)).body.history).toHaveLength(1);
  expect(faults()).toEqual([]);
  expect(await crm("POST", `${ROOT}/${two}/edit`, { pack: "{}" })).toMatchObject({
    status: 404,
    body: { errorMsg: `Pack with id ${two} not found` },
  });
  expect(await crm("POST", `${ROOT}/${two}/delete`)).toMatchObject({
    status: 400,
    body: { errorMsg: "Pack not found" },
  });
});

it.each([
  [{ itemId: 50010, quantity: 1 }, { store: "This value should not be blank." }],
  [{ itemId: 7, quantity: 1, store: "quay" }, { itemId: "This value is not valid." }],
  [{ itemId: 50010, quantity: 1, store: "x" }, { store: '"Store" with "code"="x" does not exist.' }],
])("the pack %o is refused", async (pack, errors) => {
  const { status, body } = await account().submit(`${ROOT}/create`, { pack });
  expect([status, body]).toEqual([400, { success: false, errorMsg: "Errors in the entity format", errors }]);
});
