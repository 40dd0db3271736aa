import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, period } from "../resource/filters.ts";
import type { Naming } from "../resource/history.ts";
import type { Resource, Writing } from "../resource/resource.ts";
import { shownBy } from "../resource/writable.ts";
import { BLANK, demand, entityFault, merged, unknownCode } from "../writing.ts";
import { shownItem } from "./items.ts";

const FORM = "pack";
const EXISTS = "the pack exists";
const STORE: Naming = { path: "store", name: "store", as: "code" };
/** Told in camel case (recorded). */
const TOLD = ["quantity", "purchasePrice", "shipmentDate", "invoiceNumber", "deliveryNoteNumber"];

/** What a store sets aside, or has ordered, for an item of an order. */
export const PACK: Resource = {
  path: "orders/packs",
  table: "packs",
  calls: ["create", "get", "edit", "delete"],
  byId: true,
  unknown: {
    edit: (id) => new Refusal(404, `Pack with id ${id} not found`, EXISTS),
    // Recorded with this status.
    delete: () => new Refusal(400, "Pack not found", EXISTS),
  },
  one: FORM,
  many: "packs",
  schema: "Pack",
  indexed: { ids: "id", orderId: "orderId" },
  filters: (gateway) => ({
    ...equal({ ids: "id", stores: "store", itemId: "itemId", orderId: "orderId" }),
    ...equal({ invoiceNumber: "invoiceNumber", deliveryNoteNumber: "deliveryNoteNumber" }),
    ...period("shipmentDate", "shipmentDate"),
    orderExternalId: oneOf((pack) => orderOf(gateway, pack)?.externalId),
    offerXmlId: oneOf((pack) => offerOf(gateway, pack)?.xmlId),
    offerExternalId: oneOf((pack) => offerOf(gateway, pack)?.externalId),
  }),
  apply,
  shown,
  history: {
    name: "packs",
    by: "order",
    created: STORE,
    fields: [STORE, ...TOLD.map((name) => ({ path: name, name }))],
    named,
    whole: (gateway, pack) => ({ ...shown(gateway, pack), store: { code: pack.store } }),
    gone: named,
    filters: (gateway, changed) => ({
      orderId: oneOf(({ of }) => changed(of)?.orderId),
      orderExternalId: oneOf(({ of }) => orderOf(gateway, changed(of) ?? {})?.externalId),
    }),
  },
};

/** Throws a Refusal. */
function apply({ gateway }: Writing, change: Entry, before: Entry): Entry {
  const pack = merged(before, change);
  demand(FORM, pack, { itemId: BLANK, store: BLANK, quantity: BLANK });
  if (!gateway.world.dictionaries.get("stores")?.has(String(pack.store)))
    throw unknownCode(FORM, "store", "Store", pack.store);
  if (pack.itemId === before.itemId) return pack;
  for (const { id, items } of gateway.world.tables.orders.rows.values())
    if ((items as Entry[]).some((item) => item.id === pack.itemId)) return { ...pack, orderId: id };
  throw entityFault(FORM, "itemId", "This value is not valid.");
}

const orderOf = ({ world }: Gateway, { orderId }: Entry) => world.tables.orders.rows.get(Number(orderId));

function itemOf(gateway: Gateway, pack: Entry): Entry {
  const { itemId: id, orderId } = pack;
  const items = (orderOf(gateway, pack)?.items ?? []) as Entry[];
  const known = items.find((item) => item.id === id);
  return { ...(known ? shownItem(gateway, known) : { id }), order: { id: orderId } };
}

const offerOf = (gateway: Gateway, pack: Entry) => itemOf(gateway, pack).offer as Entry | undefined;

function shown(gateway: Gateway, { itemId, ...pack }: Entry): Entry {
  const { id, externalIds, order, offer } = itemOf(gateway, { itemId, ...pack });
  const { unit, externalId, xmlId } = (offer ?? {}) as Entry;
  const item = { id, externalIds, order, offer: { externalId, xmlId } };
  return { ...shownBy("Pack", pack), ...(unit !== undefined && { unit }), item };
}

/** As the history names it (recorded). */
function named(gateway: Gateway, { id, ...pack }: Entry): Entry {
  const { item } = shown(gateway, pack);
  return { id, item };
}
