import { expect } from "vitest";
import type { Json } from "../../src/spec.ts";
import { account, type ModuleAnswer, module, moduleServer, until } from "./account.ts";

/** Each action has a path of its own, with or without a slash. */
const ACTIONS = {
  save: "save",
  delete: "/delete",
  calculate: "calculate",
  shipmentSave: "shipmentSave",
  shipmentDelete: "/shipmentDelete",
};
export const STATUSES = [
  { code: "new", name: "Registered", isEditable: true },
  { code: "taken", name: "Taken", isEditable: false },
];

/** An account with a module, whose delivery type is `m`. */
export async function delivering(answer?: ModuleAnswer, settings: object = {}) {
  const server = await moduleServer(answer);
  const own = account(settings);
  const register = (change: object = {}) => {
    const integrations = { delivery: { actions: ACTIONS, statusList: STATUSES } };
    return own.edit(module({ baseUrl: `${server.url}/base`, integrationCode: "swift", integrations, ...change }));
  };
  await register();
  /** What the module was told, in order. */
  const told = () =>
    server.received.map(({ path, text }) => {
      const action = path.slice("/base/".length);
      return { action, told: JSON.parse(String(new URLSearchParams(text).get(action))) as Json };
    });
  /** The last call ends so. */
  const ends = (state: string) => until(() => own.world.callbacks.at(-1)?.state === state);
  const settled = () => until(() => own.world.callbacks.every(({ state }) => state !== "waiting"));
  return { ...own, server, register, told, ends, settled };
}

/** What a module with one delivery, `d-1`, answers. */
export const books: ModuleAnswer = ({ path }) => ({
  success: true,
  ...(path.endsWith("/save") && {
    result: { deliveryId: "d-1", trackNumber: "T1", cost: 5.5, status: "new", extraData: { box: "2" } },
  }),
});

/** The same with orders of its delivery type. */
export async function booking(answer: ModuleAnswer = books, settings: object = {}) {
  const own = await delivering(answer, settings);
  const { submit, crm, agent } = own;
  const create = async (order: object = {}, root = "", headers?: object) => {
    const given = { items: [{ offer: { id: 101 }, quantity: 2 }], delivery: { code: "m" }, ...order };
    const { status, body } = await submit(`${root}/api/v5/orders/create`, { order: given }, headers);
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.id;
  };
  const edit = async (id: number, order: object, root = "", headers?: object) => {
    const { status, body } = await submit(`${root}/api/v5/orders/${id}/edit`, { by: "id", order }, headers);
    expect([status, body.errors]).toEqual([200, undefined]);
  };
  const asUser = ["/sandbox/agent", { "x-bot-token": agent() }] as const;
  const read = async (id: number) =>
    (await crm("GET", `/api/v5/orders/${id}?by=id`)).body.order as Json & { delivery: Json & { data?: Json } };
  const history = async (id: number) =>
    (await crm("GET", `/api/v5/orders/history?limit=100&filter[orderId]=${id}`)).body.history as Json[];
  const booked = async (order: object = {}) => {
    const id = await create(order);
    await own.settled();
    return id;
  };
  return { ...own, create, edit, asUser, read, history, booked };
}
