import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account, chatting, until } from "./account.ts";

// What live accounts have and the contract does not demand, or not know.

const ORDERS = "/api/v5/orders";

/** A VIP's order of an offer and of a thing of no catalogue, with a payment and an address. */
async function ordered() {
  const own = account();
  const address = { text: "Quay 7" };
  const customer = { firstName: "Ann", vip: true, address };
  const { id: customerId } = (await own.submit("/api/v5/customers/create", { customer })).body;
  const order = {
    customer: { id: customerId },
    items: [{ offer: { id: 101 }, quantity: 1 }, { productName: "A knot" }],
    payments: [{ type: "cash", amount: 5 }],
    delivery: { address },
  };
  const { id, order: made } = (await own.submit(`${ORDERS}/create`, { order })).body as unknown as {
    id: number;
    order: Json;
  };
  const get = async () => (await own.crm("GET", `${ORDERS}/${id}?by=id`)).body.order as Json;
  const history = async () =>
    (await own.crm("GET", `${ORDERS}/history?limit=100&filter[orderId]=${id}`)).body.history as Json[];
  return { ...own, id, made, get, history, customerId };
}

describe("as recorded", () => {
  it("payments are a list where an order is created and in its history, and a map where it is read or edited", async () => {
    const { id, made, get, history, submit, faults } = await ordered();
    const payment = { id: expect.any(Number), type: "cash", amount: 5 };
    const byId = { [String((made.payments as Json[])[0]?.id)]: payment };
    expect(made.payments).toMatchObject([payment]);
    expect(await get()).toMatchObject({ payments: byId });
    const edited = (await submit(`${ORDERS}/${id}/edit`, { by: "id", order: { call: true } })).body;
    expect(edited.order).toMatchObject({ payments: byId });
    expect((await history())[0]).toMatchObject({ created: true, order: { payments: [payment] } });
    expect(faults()).toEqual([]);
  });

  it("an order has its bonuses and its items their properties, if only none", async () => {
    const { made, get, faults } = await ordered();
    for (const order of [made, await get()]) {
      expect(order).toMatchObject({ bonusesCreditTotal: 0, bonusesChargeTotal: 0 });
      expect((order.items as Json[]).map(({ properties }) => properties)).toEqual([[], []]);
    }
    expect(faults()).toEqual([]);
  });

  it("an item in a history has its offer's outer names", async () => {
    const { id, submit, history, get, faults } = await ordered();
    const [item, other] = (await get()).items as (Json & { offer: Json })[];
    const { externalId, xmlId } = item?.offer ?? {};
    expect([externalId, xmlId]).not.toContain(undefined);
    const items = [{ id: item?.id, quantity: 2 }, { id: other?.id }];
    await submit(`${ORDERS}/${id}/edit`, { by: "id", order: { items } });
    const told = (await history()).find(({ field }) => field === "order_product.quantity");
    expect(told?.item).toMatchObject({ quantity: 2, offer: { id: 101, externalId, xmlId } });
    await submit(`${ORDERS}/${id}/edit`, { by: "id", order: { items: [{ id: item?.id }] } });
    const gone = (await history()).find(({ field }) => field === "order_product");
    expect(gone?.item).toMatchObject({ offer: { displayName: "A knot" } });
    expect(faults()).toEqual([]);
  });

  it("an address has an id, a customer's everywhere and an order's in its history", async () => {
    const { id, customerId, get, history, crm, faults } = await ordered();
    const { customer } = (await crm("GET", `/api/v5/customers/${customerId}?by=id`)).body;
    const address = { id: expect.any(Number), text: "Quay 7" };
    const [created] = await history();
    for (const one of [customer, (await get()).customer, (created as { order: Json }).order.customer])
      expect(one).toMatchObject({ address });
    expect(created).toMatchObject({ order: { delivery: { address: { id, text: "Quay 7" } } } });
    expect(((await get()).delivery as Json).address).toEqual({ text: "Quay 7" });
    expect(faults()).toEqual([]);
  });

  it("a customer's segments say how many they hold", async () => {
    const { submit, get, faults } = await ordered();
    const segments = async () => ((await get()).customer as Json).segments;
    expect(await segments()).toMatchObject([{ code: "vip", customersCount: 1 }]);
    await submit("/api/v5/customers/create", { customer: { firstName: "Bob", vip: true } });
    expect(await segments()).toMatchObject([{ code: "vip", customersCount: 2 }]);
    expect(faults()).toEqual([]);
  });
});

describe("a channel that announces reactions in the older word `any`", () => {
  it("has them both ways", async () => {
    const reacting = { text: { creating: "both", reaction: "any" } };
    const { transport, asUser, asAgent, channel, post, message, server, world, faults } = await chatting(reacting);
    expect((await transport("GET", "/channels")).body).toMatchObject([{ settings: reacting }]);
    expect((await asUser("GET", "/channels")).body).toMatchObject([{ settings: { text: { reaction: "any" } } }]);
    const given = { channel, message: { external_id: "m1" }, reaction: "👍" };
    expect((await transport("POST", "/messages/reaction", given)).status).toBe(200);
    const { message_id: id } = (await post("again", {}, { external_id: "m2" })).body;
    await asAgent("PUT", `/messages/${id}/reaction`, { reaction: "🔥" });
    await until(() => server.received.some(({ text }) => JSON.parse(text).type === "reaction_add"));
    expect([...world.messages.values()].map(({ reactions }) => reactions.length)).toEqual([1, 1]);
    expect(message(id)?.reactions).toHaveLength(1);
    expect(faults()).toEqual([]);
  });

  it("may not announce anything else so", async () => {
    const { transport } = await chatting();
    const settings = { text: { creating: "any" } };
    expect((await transport("POST", "/channels", { type: "custom", settings })).status).toBe(400);
  });
});
