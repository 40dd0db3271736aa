import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { orderNamed } from "../orders/named.ts";
import type { Entry } from "../records.ts";
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
  filters: () => ({
    ...equal({ ids: "id", externalId: "externalId", statuses: "status", deliveryTypes: "deliveryType" }),
    ...equal({ orderNumber: "orders.number", managers: "managerId", stores: "store" }),
    ...period("date", "date"),
  }),
  apply,
  after({ gateway }, entry, before) {
    if (entry.status !== "cancelled") saveShipment(gateway, entry);
    else if (before && before.status !== "cancelled") deleteShipment(gateway, entry);
  },
  shown: (_, entry) => shownBy("DeliveryShipment", entry),
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
    ...(orders && { orders: orders.map((given, at) => taken(orderNamed(world, given, site), at)) }),
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

const referenceTo = ({ id, externalId, number }: Entry): Entry => ({
  id,
  ...(externalId !== undefined && { externalId }),
  number,
});

/** Throws a Refusal. */
function taken(order: Entry | undefined, at: number): Entry {
  if (!order) throw entityFault(FORM, `orders.${at}`, INVALID);
  return referenceTo(order);
}

/** Shipments of an order that goes take the one that stays, once. */
export function moveShipments({ tables: { shipments } }: World, from: Entry, into: Entry): void {
  for (const id of shipments.having("orders.id", from.id)) {
    const shipment = shipments.rows.get(id) as Entry;
    const orders = (shipment.orders as Entry[]).map((each) => (each.id === from.id ? referenceTo(into) : each));
    shipments.put({ ...shipment, orders: [...new Map(orders.map((each) => [each.id, each])).values()] });
  }
}
