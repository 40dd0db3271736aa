import { describe, expect, it } from "vitest";
import type { Json } from "../../src/spec.ts";
import { bot, chatting } from "../spec/account.ts";

/** Two customers who write in chats, and what an agent does about them. */
async function inbox() {
  const own = await chatting();
  await own.post("hi", { external_chat_id: "chat-2", customer: { external_id: "u2", nickname: "Jo on the phone" } });
  const [chat = 0, other = 0] = own.world.chats.keys();
  const shown = async (id = chat) => (await own.asAgent("GET", `/chats/${id}/customer`)).body as Json;
  const idOf = async (id: number) => ((await shown(id)).customer as Json).id as number;
  const history = async (id = chat) => (await own.asAgent("GET", `/chats/${id}/history`)).body as unknown as Json[];
  /** Calls the CRM's API as the agent. */
  const act = (path: string, entities: Record<string, unknown>, token = own.agent()) =>
    own.submit(`/sandbox/agent/api/v5/${path}`, entities, { "x-bot-token": token });
  return { ...own, chat, other, shown, idOf, history, act };
}

describe("an agent in the inbox", () => {
  it("sees a chat's customer as the CRM's API shows it, with its chats, notes and tasks", async () => {
    const { chat, shown, idOf, act, crm, channel } = await inbox();
    const id = await idOf(chat);
    await act("customers/notes/create", { note: { text: "Pays late", managerId: 1, customer: { id } } });
    await act("customers/notes/create", { note: { text: "Pays", managerId: 1, customer: { id } } });
    await act("tasks/create", { task: { text: "Call", performerId: 1, customer: { id } } });
    const { customer } = (await crm("GET", `/api/v5/customers/${id}?by=id`)).body;
    expect(await shown()).toMatchObject({
      customer,
      chats: [{ id: chat, name: "Jo", channel: { type: "custom" } }],
      notes: [{ text: "Pays" }, { text: "Pays late" }],
      tasks: [{ text: "Call", complete: false, performer: 1, creator: 1 }],
    });
    expect((customer as Json).mgCustomers).toMatchObject([{ mgChannel: { id: channel } }]);
  });

  it("changes a customer by the API's rules, and its history names the user", async () => {
    const { chat, idOf, act, crm, history, faults } = await inbox();
    const id = await idOf(chat);
    const address = { city: "Valletta", countryIso: "MT" };
    const change = { firstName: "Joanna", phones: [{ number: "+35699000001" }], address, addTags: ["sailor"] };
    expect(await act(`customers/${id}/edit`, { by: "id", customer: change })).toMatchObject({ status: 200 });
    const { body } = await crm("GET", `/api/v5/customers/history?filter[customerId]=${id}`);
    const told = (body.history as Json[]).filter(({ created }) => !created);
    expect(told.map(({ field, source, user }) => [field, source, user])).toEqual(
      ["first_name", "phones", "tags", "address.country_iso", "address.city"].map((field) => [
        field,
        "user",
        { id: 1 },
      ]),
    );
    expect((await history())[0]).toMatchObject({
      field: "address.city",
      newValue: "Valletta",
      source: "user",
      user: 1,
    });
    const refused = await act(`customers/${id}/edit`, { by: "id", customer: { managerId: 99 } });
    expect(refused).toMatchObject({ status: 400, body: { errors: { managerId: "This value is not valid." } } });
    expect(faults()).toEqual([]);
    expect((await act(`customers/${id}/edit`, { by: "id", customer: { vip: "perhaps" } })).status).toBe(400);
    expect(faults()).toHaveLength(1);
  });

  it("makes notes and tasks, completes and deletes them, and the history of tasks names the user", async () => {
    const { chat, idOf, act, shown, crm, asAgent, faults } = await inbox();
    const id = await idOf(chat);
    const note = await act("customers/notes/create", { note: { text: "Pays late", managerId: 1, customer: { id } } });
    const task = await act("tasks/create", { task: { text: "Call", performerId: 1, customer: { id } } });
    await act(`tasks/${task.body.id}/edit`, { task: { complete: true } });
    expect(await shown()).toMatchObject({ notes: [{ id: note.body.id }], tasks: [{ complete: true }] });
    expect((await act(`customers/notes/${note.body.id}/delete`, {})).status).toBe(200);
    expect((await asAgent("DELETE", `/tasks/${task.body.id}`)).status).toBe(200);
    expect(await shown()).toMatchObject({ notes: [], tasks: [] });
    expect((await asAgent("DELETE", `/tasks/${task.body.id}`)).status).toBe(404);
    const { body } = await crm("GET", `/api/v5/tasks/history?filter[taskId]=${task.body.id}`);
    expect(body.history).toMatchObject([
      { field: "id", created: true, source: "user", user: { id: 1 } },
      { field: "complete", newValue: true, source: "user" },
      { field: "id", deleted: true, source: "user" },
    ]);
    expect(faults()).toEqual([]);
  });

  it("combines two customers: each chat then shows the result with what belonged to both, whose history says so", async () => {
    const { chat, other, idOf, act, shown, history, faults } = await inbox();
    const [gone, into] = [await idOf(chat), await idOf(other)];
    await act("customers/notes/create", { note: { text: "Pays late", managerId: 1, customer: { id: gone } } });
    await act("tasks/create", { task: { text: "Call", performerId: 1, customer: { id: gone } } });
    for (const id of [gone, into])
      await act("orders/create", { order: { items: [{ offer: { id: 104 }, quantity: 1 }], customer: { id } } });
    await act("customers/combine", { resultCustomer: { id: into }, customers: [{ id: gone }] });
    expect([await idOf(chat), await idOf(other)]).toEqual([into, into]);
    expect(await shown()).toEqual(await shown(other));
    expect(await shown()).toMatchObject({
      chats: [{ id: chat }, { id: other }],
      notes: [{ text: "Pays late", customer: { id: into } }],
      tasks: [{ text: "Call", customer: { id: into } }],
      orders: [{ status: "new" }, { status: "new" }],
      customer: { ordersCount: 2, totalSumm: 62 },
    });
    const told = { source: "combine", of: gone, deleted: true, more: { combinedTo: { id: into } } };
    expect(await history()).toContainEqual(expect.objectContaining(told));
    expect(faults()).toEqual([]);
  });

  it("makes an order of the catalogue's products, changes its status, and has its card to send", async () => {
    const { chat, idOf, act, shown, crm, asAgent, asUser, world, faults } = await inbox();
    const customer = { id: await idOf(chat) };
    const items = [101, 102].map((id) => ({ offer: { id }, quantity: 2 }));
    const made = await act("orders/create", { order: { items, managerId: 1, customer } });
    expect(made.status).toBe(201);
    await act(`orders/${made.body.id}/edit`, { by: "id", order: { status: "assembling" } });
    const told = (await crm("GET", `/api/v5/orders/history?filter[orderId]=${made.body.id}`)).body.history as Json[];
    expect(told.at(-1)).toMatchObject({
      field: "status",
      newValue: { code: "assembling" },
      source: "user",
      user: { id: 1 },
    });
    const { customer: known, orders } = await shown();
    expect(known).toMatchObject({ ordersCount: 1, totalSumm: 187 });
    const { order } = (await crm("GET", `/api/v5/orders/${made.body.id}?by=id`)).body;
    expect(order).toMatchObject({ status: "assembling", totalSumm: 187, managerId: 1, customer });
    const [{ id, status, card } = {} as Json] = orders as Json[];
    expect([id, status]).toEqual([made.body.id, "assembling"]);
    expect(card).toMatchObject({ number: (order as Json).number, cost: { value: 187, currency: "EUR" } });
    expect((await asAgent("GET", `/orders?search=${(order as Json).number}`)).body).toEqual([card]);
    expect((await asAgent("GET", "/orders?search=nobody")).body).toEqual([]);
    const sent = await asUser("POST", "/messages", { chat_id: chat, scope: "public", type: "order", order: card });
    expect(world.messageById(Number(sent.body.message_id))?.order).toEqual(card);
    expect(faults()).toEqual([]);
  });

  it("is neither slowed down nor disturbed by what is planned for modules", async () => {
    const { chat, idOf, act, json } = await inbox();
    const id = await idOf(chat);
    await json("POST", "/sandbox/faults", { operation: "*", status: 502, times: 5 });
    const note = { note: { text: "One of many", managerId: 1, customer: { id } } };
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await act("customers/notes/create", note)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
  });

  it("is a user: neither a bot's token nor a key opens the CRM there", async () => {
    const { edit, tokenOf, act, crm, chat, idOf } = await inbox();
    await edit(bot());
    const note = { note: { text: "No", customer: { id: await idOf(chat) } } };
    const path = "customers/notes/create";
    expect(await act(path, note, tokenOf("b"))).toMatchObject({
      status: 403,
      body: { success: false, errorMsg: "Access denied." },
    });
    expect((await act(path, note, "")).status).toBe(401);
    expect((await crm("GET", "/sandbox/agent/api/v5/customers")).status).toBe(401);
  });

  it("sees nothing where a chat's customer is not in the CRM", async () => {
    const { chat, idOf, world, shown, history } = await inbox();
    world.tables.customers.remove(await idOf(chat));
    expect([await shown(), await history()]).toEqual([{}, []]);
  });
});
