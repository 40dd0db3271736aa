import { NEW_FIELD } from "../crm/custom-fields.ts";
import type { Entry } from "../crm/records.ts";
import { DICTIONARIES } from "../crm/reference/dictionaries.ts";
import { putEntry } from "../crm/reference/dictionary.ts";
import type { World } from "../world.ts";

// What a seeded shop has in its dictionaries, and its custom fields, beside those of a new account.

const ADDED: Record<string, Record<string, Entry>> = {
  sites: { outlet: { id: 2, name: "Outlet", currency: "EUR", countryIso: "ES", ordering: 20 } },
  stores: {
    depot: { name: "Depot", type: "store-type-warehouse", inventoryType: "integer", address: { text: "Dock 2" } },
    salon: { name: "Salón", type: "store-type-retail", inventoryType: "integer", address: { text: "Calle del Mar 3" } },
  },
  "price-types": { wholesale: { id: 2, name: "Wholesale", currency: "EUR", ordering: 20 } },
  "order-types": { wholesale: { name: "Wholesale", ordering: 20 } },
  "product-statuses": { sold: { name: "Sold", ordering: 40 } },
  "payment-types": { transfer: { name: "Bank transfer" } },
  "delivery-services": { standard: { name: "Standard" }, express: { name: "Express" } },
  "delivery-types": {
    courier: { name: "Courier", defaultCost: 9.5, defaultNetCost: 6 },
  },
};
const COURIERS: readonly Entry[] = [
  { id: 2, firstName: "Иван", lastName: "Быстров", phone: { number: "+79210000002" } },
  { id: 3, firstName: "Lucía", lastName: "Vega", phone: { number: "+34600000003" } },
];
const CUSTOM_FIELDS: readonly Entry[] = [
  { entity: "customer", code: "boat", name: "Boat", type: "string" },
  { entity: "customer_corporate", code: "credit_days", name: "Days of credit", type: "integer" },
  { entity: "order", code: "gift_wrap", name: "Gift wrap", type: "boolean" },
];
const SIZE: Entry = { code: "size", name: "Size", isNumeric: false, visible: true, variative: true };

export function fillReferences(world: World, now: string): void {
  for (const dictionary of DICTIONARIES)
    for (const [code, entry] of Object.entries(ADDED[dictionary.path] ?? {}))
      putEntry(dictionary, world, code, { code, ...entry }, now);
  for (const courier of COURIERS)
    world.dictionaries.get("couriers")?.set(String(courier.id), { active: true, ...courier });
  for (const field of CUSTOM_FIELDS)
    world.customFields.set(`${field.entity}/${field.code}`, { ...NEW_FIELD, ...field });
  world.productProperties.set(String(SIZE.code), SIZE);
}
