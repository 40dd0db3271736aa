import { isDeepStrictEqual } from "node:util";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Module, World } from "../../world.ts";
import { shownOrder } from "../orders/shown.ts";
import type { Entry } from "../records.ts";
import { type Writing, writingBy } from "../resource/resource.ts";
import { shownBy } from "../resource/writable.ts";
import { dataOf, deliveryIdOf, extraDataIn, learn, NOTHING, statusIn, typeOf } from "./learned.ts";
import { callDelivery, deliveryModule, statusesOf } from "./modules.ts";
import { addressIn, managerOf, midnight, packagesOf, storeOf, withoutGaps } from "./parcels.ts";

/** Tells of an order's write: the module that is to deliver it, and the one that no longer is. `order`: absent once it is gone. */
export function tellModules({ gateway, by }: Writing, order: Entry | undefined, before: Entry | undefined): void {
  if (gateway.unknowns().deliverySave === "user" && by.source !== "user") return;
  if (before && isLost(gateway, before, order)) deleteDelivery(gateway, before, deliveryIdOf(before));
  if (order && isToSave(gateway, order, before)) saveDelivery(gateway, order);
}

/** Each write of an order that has no delivery yet; then those that change what the module is told. */
function isToSave(gateway: Gateway, order: Entry, before: Entry | undefined): boolean {
  if (!isOpen(gateway, order)) return false;
  if (deliveryIdOf(order) === undefined) return true;
  return before !== undefined && !isDeepStrictEqual(told(gateway, before), told(gateway, order));
}

function isLost(gateway: Gateway, before: Entry, order: Entry | undefined): boolean {
  if (deliveryIdOf(before) === undefined || !isChangeable(gateway, before)) return false;
  if (!order || typeOf(order) !== typeOf(before)) return true;
  return isCancelled(gateway.world, order) && !isCancelled(gateway.world, before);
}

const isOpen = (gateway: Gateway, order: Entry): boolean =>
  isChangeable(gateway, order) && groupOf(gateway.world, order)?.process !== false;

/** May the module hear of it? The delivery's status says whether it takes changes. */
function isChangeable(gateway: Gateway, order: Entry): boolean {
  const module = deliveryModule(gateway, typeOf(order));
  const { locked, status } = dataOf(order);
  const known = module && statusesOf(module).find(({ code }) => code === status);
  return module !== undefined && locked !== true && known?.isEditable !== false;
}

const groupOf = ({ dictionaries }: World, { status }: Entry): Entry | undefined =>
  dictionaries.get("status-groups")?.get(String(dictionaries.get("statuses")?.get(String(status))?.group));
const isCancelled = (world: World, order: Entry): boolean => groupOf(world, order)?.code === "cancel";

const laneOf = ({ id }: Entry) => `order/${id}`;

interface Saved {
  deliveryId?: string;
  trackNumber?: string;
  cost?: number;
  status?: string;
  extraData?: unknown;
}

function saveDelivery(gateway: Gateway, saving: Entry): void {
  const type = typeOf(saving);
  const now = () => orderOfType(gateway, saving, type);
  const tell = () => {
    const order = now();
    return order && isOpen(gateway, order) ? told(gateway, order) : undefined;
  };
  const done = (result: unknown) => {
    const saved = (result ?? {}) as Saved;
    const module = deliveryModule(gateway, type);
    const order = now();
    if (order && module) learn(writingBy(gateway, { source: "code" }), order, dataIn(module, order, saved));
    // Meanwhile it may have become another's, or nobody's.
    if (saved.deliveryId && (!order || isCancelled(gateway.world, order)))
      deleteDelivery(gateway, saving, saved.deliveryId);
  };
  callDelivery(gateway, { type, action: "save", lane: laneOf(saving), tell, done });
}

const dataIn = (module: Module, order: Entry, { deliveryId, trackNumber, cost, status, extraData }: Saved): Entry => ({
  ...withoutGaps({ externalId: deliveryId, trackNumber, cost }),
  ...(status !== undefined && status !== dataOf(order).status && statusIn(module, status)),
  ...extraDataIn(extraData),
});

function deleteDelivery(gateway: Gateway, lost: Entry, deliveryId: unknown): void {
  const type = typeOf(lost);
  const holder = () => {
    const order = orderOfType(gateway, lost, type);
    return order && deliveryIdOf(order) === deliveryId ? order : undefined;
  };
  const tell = () => {
    const order = holder();
    return order && !isCancelled(gateway.world, order) ? undefined : { deliveryId };
  };
  const done = () => {
    const order = holder();
    if (order) learn(writingBy(gateway, { source: "code" }), order, NOTHING);
  };
  callDelivery(gateway, { type, action: "delete", lane: laneOf(lost), tell, done });
}

/** As it is now, if it is still of this delivery type. */
function orderOfType({ world }: Gateway, { id }: Entry, type: unknown): Entry | undefined {
  const order = world.tables.orders.rows.get(Number(id));
  return order && typeOf(order) === type ? order : undefined;
}

function told(gateway: Gateway, order: Entry): Entry {
  const { world } = gateway;
  const shown = shownOrder(gateway, order);
  const { id, number, site, managerId, shipmentStore, shipmentDate, currency, contact, customer } = shown;
  const store = storeOf(world, shipmentStore);
  return withoutGaps({
    deliveryId: deliveryIdOf(order),
    order: String(id),
    orderNumber: number,
    site,
    siteName: world.dictionaries.get("sites")?.get(String(site))?.name,
    store: store && shownBy("CallbackStore", store),
    customer: customerIn((contact ?? customer) as Entry | undefined),
    manager: managerOf(world, managerId),
    packages: packagesOf(shown),
    delivery: deliveryIn(shown, store, midnight(shipmentDate)),
    currency,
  });
}

function deliveryIn(order: Entry, store: Entry | undefined, shipmentDate: string | undefined): Entry {
  const { cost, vatRate, date, time, address } = order.delivery as Entry;
  const { tariff, payerType, extraData } = dataOf(order);
  return withoutGaps({
    shipmentAddress: addressIn(store?.address),
    deliveryAddress: addressIn(address),
    ...{ cost, vatRate, tariff, payerType, shipmentDate, extraData },
    deliveryDate: midnight(date),
    deliveryTime: time,
  });
}

/** Phones are plain here, and a birthday has a time. */
function customerIn(customer: Entry | undefined): Entry | undefined {
  if (!customer) return undefined;
  const phones = ((customer.phones ?? []) as Entry[]).map(({ number }) => number);
  return withoutGaps(shownBy("CallbackCustomer", { ...customer, phones, birthday: midnight(customer.birthday) }));
}
