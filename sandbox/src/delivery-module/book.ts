import type { Parcel, Save, ShipmentSave } from "./shapes.ts";

/** What the module tells the CRM of a delivery. */
export const STATUSES = [
  { code: "new", name: "Registered", isEditable: true },
  { code: "taken", name: "Taken to the depot", isEditable: false },
  { code: "delivered", name: "Delivered", isEditable: false },
] as const;
export type Status = (typeof STATUSES)[number]["code"];

export interface Delivery {
  id: string;
  /** The CRM's id of the order. */
  order: string;
  trackNumber: string;
  cost: number;
  contents: string[];
  to: string;
  status: Status;
  /** The shipment that takes it to the depot. */
  shipment?: string;
}

const COST_PER_PARCEL = 5;
export const costOf = (parcels: Parcel[]): number => COST_PER_PARCEL * Math.max(1, parcels.length);

const created = (n: number) => ({
  id: `D-${n}`,
  trackNumber: `TRACK${n}`,
  status: "new" as const,
  shipment: undefined,
});
export const isEditable = ({ status }: Delivery): boolean =>
  STATUSES.some((each) => each.code === status && each.isEditable);

/** The module's records. They live in memory; a real module keeps them. */
export function createBook() {
  const deliveries = new Map<string, Delivery>();
  let [booked, shipments] = [0, 0];
  const move = (delivery: Delivery, status: Status, shipment?: string): Delivery => {
    Object.assign(delivery, { status, shipment });
    return delivery;
  };
  return {
    deliveries: () => [...deliveries.values()],
    find: (id: string) => deliveries.get(id),
    /** The answer to an earlier save may have been lost: an order has one delivery. */
    save({ deliveryId, order, packages, delivery: { deliveryAddress: to } }: Save): Delivery {
      const known = deliveries.get(deliveryId ?? "") ?? [...deliveries.values()].find((each) => each.order === order);
      const { id, trackNumber, status, shipment } = known ?? created(++booked);
      const delivery: Delivery = {
        ...{ id, order, trackNumber, status, shipment },
        cost: costOf(packages),
        contents: packages.flatMap(({ items }) =>
          items.map(({ quantity, unit, name }) => `${quantity} ${unit?.sym ?? unit?.name ?? "pc"} ${name}`),
        ),
        to: [to?.city, to?.text].filter(Boolean).join(", "),
      };
      deliveries.set(id, delivery);
      return delivery;
    },
    cancel: (id: string) => deliveries.delete(id),
    /** The shipment's id, and the deliveries that move with it. */
    take({ shipmentId, orders }: ShipmentSave): { shipment: string; moved: Delivery[] } {
      const shipment = shipmentId ?? `S-${++shipments}`;
      const taken = orders.flatMap(({ deliveryId = "" }) => deliveries.get(deliveryId) ?? []);
      const left = [...deliveries.values()].filter((each) => each.shipment === shipment && !taken.includes(each));
      const added = taken.filter((each) => each.shipment !== shipment);
      return {
        shipment,
        moved: [...left.map((each) => move(each, "new")), ...added.map((each) => move(each, "taken", shipment))],
      };
    },
    release: (shipment: string): Delivery[] =>
      [...deliveries.values()].filter((each) => each.shipment === shipment).map((each) => move(each, "new")),
    deliver: (delivery: Delivery): Delivery => move(delivery, "delivered", delivery.shipment),
  };
}
