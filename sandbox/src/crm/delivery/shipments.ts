import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { oneOf } from "../listing.ts";
import { orderNamed } from "../orders/named.ts";
import { type Entry, idOf, picked } from "../records.ts";
import { equal, period } from "../resource/filters.ts";
import type { Resource, Writing } from "../resource/resource.ts";
import { shownBy } from "../resource/writable.ts";
import { BLANK, checkUser, entityFault, merged, unknownCode } from "../writing.ts";
import { deliveryModule, integrationCodeOf } from "./modules.ts";
import { storeOf } from "./parcels.ts";
import { deleteShipment, saveShipment } from "./shipment-calls.ts";

const FORM = "deliveryShipment";
/** A new shipment has this status (recorded). */
const FIRST_STATUS = "processing";

/** A request to a delivery service to take orders from a store. */
export const SHIPMENT: Resource = {
  path: "delivery/shipments",
  table: "shipments",
  byId: true,
  one: FORM,
  many: "deliveryShipments",
  schema: "DeliveryShipment",
  beside: ["deliveryType"],
  indexed: { ids: "id", externalId: "externalId" },
  filters: ({ world }) => ({
    ...equal({ ids: "id", externalId: "externalId", statuses: "status", deliveryTypes: "deliveryType" }),
    ...equal({ managers: "managerId", stores: "store" }),
    orderNumber: oneOf((shipment) => ordersOf(world, shipment).map(({ number }) => number)),
    ...period("date", "date"),
  }),
  apply,
  after({ gateway }, entry, before) {
    if (entry.status !== "cancelled") saveShipment(gateway, entry);
    else if (before && before.status !== "cancelled") deleteShipment(gateway, entry);
  },
  shown: ({ world }, entry) => ({ ...shownBy("DeliveryShipment", entry), orders: ordersOf(world, entry) }),
  answer: (_, { id, status }) => ({ id, status }),
};

/** Fields that the API writes; it ignores the others. The delivery type stays. */
const WRITTEN = ["externalId", "store", "managerId", "status", "date", "time", "comment", "extraData", "lunchTime"];

/** Throws a Refusal. */
function apply({ gateway, site }: Writing, change: Entry, before: Entry): Entry {
  const { world } = gateway;
  const orders = change.orders as Entry[] | undefined;
  const fields = Object.fromEntries(WRITTEN.flatMap((field) => (field in change ? [[field, change[field]]] : [])));
  const known = before.deliveryType ? before : begun(gateway, change.deliveryType, before);
  const shipment = merged(known, {
    ...fields,
    ...(orders && { orders: once(orders.map((given, at) => taken(orderNamed(world, given, site), at))) }),
  });
  const { store, managerId } = shipment;
  if (!(shipment.orders as Entry[] | undefined)?.length) throw entityFault(FORM, "orders", BLANK);
  if (store !== undefined && !storeOf(world, store)) throw unknownCode(FORM, "store", "store", store);
  checkUser(world, FORM, managerId);
  return shipment;
}

const INVALID = "This value is not valid.";

/** Throws a Refusal. */
function begun(gateway: Gateway, deliveryType: unknown, before: Entry): Entry {
  if (!gateway.world.dictionaries.get("delivery-types")?.has(String(deliveryType)))
    throw unknownCode(FORM, "deliveryType", "deliveryType", deliveryType);
  const module = deliveryModule(gateway, deliveryType);
  const integrationCode = module && { integrationCode: integrationCodeOf(module) };
  return { ...before, ...integrationCode, deliveryType, status: FIRST_STATUS };
}

/** The shipment's orders, with their names as they are now. */
const ordersOf = ({ tables }: World, { orders }: Entry): Entry[] =>
  ((orders ?? []) as Entry[]).map((order) =>
    picked(tables.orders.rows.get(idOf(order)) ?? order, ["id", "externalId", "number"]),
  );

/** Throws a Refusal. */
function taken(order: Entry | undefined, at: number): Entry {
  if (!order) throw entityFault(FORM, `orders.${at}`, INVALID);
  return { id: order.id };
}

const once = (orders: Entry[]): Entry[] => [...new Map(orders.map((each) => [each.id, each])).values()];

/** Shipments of an order that goes take the one that stays, once. */
export function moveShipments({ tables: { shipments } }: World, from: Entry, into: Entry): void {
  for (const id of shipments.having("orders.id", from.id)) {
    const shipment = shipments.rows.get(id) as Entry;
    const orders = (shipment.orders as Entry[]).map((each) => (each.id === from.id ? { id: into.id } : each));
    shipments.put({ ...shipment, orders: once(orders) });
  }
}
