import type { Entry } from "../records.ts";
import { type FieldChange, fieldsChanged, type Naming, type Told, toldName } from "../resource/history.ts";
import { shownBy } from "../resource/writable.ts";

// What the history of orders tells. `delivery_address` and the parts of items and payments are recorded; the other names
// follow the same rule.

const code = (path: string, name: string): Naming => ({ path, name, as: "code" });
const id = (path: string, name: string): Naming => ({ path, name, as: "id" });
const plain = (path: string, name: string): Naming => ({ path, name });

const ADDRESS = ["index", "countryIso", "region", "city", "street", "building", "flat", "metro", "text", "notes"];

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
    code("shipmentStore", "shipment_store"),
    ...["shipmentDate", "shipped", "weight", "length", "width", "height"],
  ],
  parts: (before, after) => [
    ...partsTold(before.items, after.items, {
      name: "order_product",
      fields: [
        ...["quantity", "initialPrice", "discountManualAmount", "discountManualPercent", "discountTotal"],
        ...["vatRate", "purchasePrice", "comment", "ordering"],
        code("status", "status"),
      ],
      more: (item) => ({
        item: shownBy("OrderItem", { ...item, offer: item.offer ?? { displayName: item.productName } }),
      }),
    }),
    ...partsTold(before.payments, after.payments, {
      name: "payments",
      fields: ["amount", "paidAt", "comment", "externalId", code("type", "type"), code("status", "status")],
      more: (payment) => ({ payment }),
    }),
  ],
};

interface PartTold {
  name: string;
  fields: Told["fields"];
  /** The part, as an entry shows it. */
  more(part: Entry): Entry;
}

/** Parts that come and go are told as such, the others by their fields. */
function partsTold(before: unknown, after: unknown, { name, fields, more }: PartTold): FieldChange[] {
  const [old, now] = [byId(before), byId(after)];
  const gone = [...old].flatMap(([key, part]) =>
    now.has(key) ? [] : { field: name, oldValue: { id: key }, newValue: null, more: more(part) },
  );
  const others = [...now].flatMap(([key, part]): FieldChange[] => {
    const known = old.get(key);
    if (!known) return [{ field: name, oldValue: null, newValue: { id: key }, more: more(part) }];
    return fieldsChanged(fields, known, part).map((change) => ({
      ...change,
      field: `${name}.${change.field}`,
      more: more(part),
    }));
  });
  return [...gone, ...others];
}

const byId = (parts: unknown) => new Map(((parts ?? []) as Entry[]).map((part) => [part.id, part]));
