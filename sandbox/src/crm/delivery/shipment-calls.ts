import type { Gateway } from "../../gateway/gateway.ts";
import { shownOrder } from "../orders/shown.ts";
import type { Entry } from "../records.ts";
import { merged } from "../writing.ts";
import { deliveryIdOf } from "./learned.ts";
import { callDelivery } from "./modules.ts";
import { addressIn, managerOf, midnight, packagesOf, storeOf, withoutGaps } from "./parcels.ts";

/** Tells the module of a new or changed shipment, and keeps the id it gives. */
export function saveShipment(gateway: Gateway, { id, deliveryType }: Entry): void {
  const { shipments } = gateway.world.tables;
  const now = () => shipments.rows.get(Number(id));
  const tell = () => {
    const shipment = now();
    return shipment && shipment.status !== "cancelled" ? told(gateway, shipment) : undefined;
  };
  const done = (result: unknown) => {
    const shipment = now();
    const { shipmentId, extraData } = (result ?? {}) as { shipmentId?: string; extraData?: Entry };
    const learned = { ...(shipmentId && { externalId: shipmentId }), ...(extraData && { extraData }) };
    if (shipment) shipments.put(merged(shipment, learned));
  };
  callDelivery(gateway, { type: deliveryType, action: "shipmentSave", lane: laneOf(id), tell, done });
}

/** Tells the module of a cancelled shipment, if it knows it. Then the module's id names nothing any more. */
export function deleteShipment(gateway: Gateway, { id, deliveryType }: Entry): void {
  const { shipments } = gateway.world.tables;
  const now = () => shipments.rows.get(Number(id)) ?? {};
  let told: unknown;
  const tell = () => {
    const { externalId: shipmentId, extraData } = now();
    told = shipmentId;
    return shipmentId ? withoutGaps({ shipmentId, extraData }) : undefined;
  };
  const done = () => {
    const { externalId, ...others } = now();
    if (externalId !== undefined && externalId === told) shipments.put(others);
  };
  callDelivery(gateway, { type: deliveryType, action: "shipmentDelete", lane: laneOf(id), tell, done });
}

const laneOf = (id: unknown) => `shipment/${id}`;

function told(gateway: Gateway, shipment: Entry): Entry {
  const { externalId, managerId, date, time, store, comment, extraData } = shipment;
  const { world } = gateway;
  const orders = ((shipment.orders ?? []) as Entry[]).flatMap(({ id }) => {
    const order = world.tables.orders.rows.get(Number(id));
    return order ? [shownOrder(gateway, order)] : [];
  });
  return withoutGaps({
    shipmentId: externalId,
    manager: managerOf(world, managerId),
    date: midnight(date),
    time,
    address: addressIn(storeOf(world, store)?.address),
    store,
    orders: orders.map((order) => withoutGaps({ deliveryId: deliveryIdOf(order), packages: packagesOf(order) })),
    comment,
    extraData,
  });
}
