import type { Entry } from "../records.ts";
import { type Naming, type Told, toldName } from "../resource/history.ts";
import { type PartTold, partsTold } from "../resource/parts.ts";
import { shownBy } from "../resource/writable.ts";

// What the history of orders tells. `delivery_address`, some of `integration_delivery_data` (status, track_number, locked)
// and the parts of items and payments are recorded; the other names follow the same rule.

const code = (path: string, name: string): Naming => ({ path, name, as: "code" });
const id = (path: string, name: string): Naming => ({ path, name, as: "id" });
const plain = (path: string, name: string): Naming => ({ path, name });

/** Of what a delivery's module tells. */
const DATA = ["externalId", "trackNumber", "status", "cost", "locked"];
const ADDRESS = ["index", "countryIso", "region", "city", "street", "building", "flat", "metro", "text", "notes"];

const partsIn = (value: unknown) => (value ?? []) as Entry[];
const named = (part: Entry): Entry => ({ id: part.id });
const item = (part: Entry): Entry => ({
  item: shownBy("OrderItem", { ...part, offer: part.offer ?? { displayName: part.productName } }),
});
const ITEM_FIELDS = [
  ...["quantity", "initialPrice", "discountManualAmount", "discountManualPercent", "discountTotal"],
  ...["vatRate", "purchasePrice", "comment", "ordering"],
  code("status", "status"),
];
const ITEM: PartTold = {
  name: "order_product",
  fields: () => ITEM_FIELDS,
  named,
  whole: item,
  changed: item,
};
const payment = (part: Entry): Entry => ({ payment: part });
const PAYMENT_FIELDS = ["amount", "paidAt", "comment", "externalId", code("type", "type"), code("status", "status")];
const PAYMENT: PartTold = {
  name: "payments",
  fields: () => PAYMENT_FIELDS,
  named,
  whole: payment,
  changed: payment,
};

export const ORDER_TOLD: Told = {
  created: code("status", "status"),
  fields: [
    code("status", "status"),
    "statusComment",
    "externalId",
    "number",
    code("orderType", "order_type"),
    code("orderMethod", "order_method"),
    id("customer.id", "customer"),
    id("contact.id", "contact"),
    id("company.id", "company"),
    id("managerId", "manager"),
    ...["firstName", "lastName", "patronymic", "phone", "additionalPhone", "email", "countryIso"],
    ...["customerComment", "managerComment", "call", "expired"],
    ...["discountManualAmount", "discountManualPercent", "totalSumm", "prepaySum", "purchaseSumm", "fullPaidAt"],
    code("delivery.code", "delivery_type"),
    code("delivery.service.code", "delivery_service"),
    plain("delivery.cost", "delivery_cost"),
    plain("delivery.netCost", "delivery_net_cost"),
    plain("delivery.date", "delivery_date"),
    plain("delivery.time", "delivery_time"),
    ...ADDRESS.map((field) => plain(`delivery.address.${field}`, `delivery_address.${toldName(field)}`)),
    ...DATA.map((field) => plain(`delivery.data.${field}`, `integration_delivery_data.${toldName(field)}`)),
    code("shipmentStore", "shipment_store"),
    ...["shipmentDate", "shipped", "weight", "length", "width", "height"],
  ],
  parts: (before, after) => [
    ...partsTold(partsIn(before.items), partsIn(after.items), ITEM),
    ...partsTold(partsIn(before.payments), partsIn(after.payments), PAYMENT),
  ],
};
