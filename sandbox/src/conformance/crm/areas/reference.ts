import type { Area, Scenario } from "../area.ts";

const READ_ONLY = ["Countries", "StatusGroups"];
/** By what follows `references` in the operations' names. */
const ENTRIES: Record<string, [field: string, entry: Record<string, unknown>]> = {
  Stores: ["store", { name: "Pier", address: { city: "Valletta", coordinates: { latitude: 35.9, longitude: 14.5 } } }],
  Units: ["unit", { name: "Box", sym: "bx" }],
  Statuses: ["status", { name: "Waiting", group: "new", ordering: 30 }],
  OrderMethods: ["orderMethod", { name: "In person" }],
  OrderTypes: ["orderType", { name: "Wholesale" }],
  PaymentStatuses: ["paymentStatus", { name: "Partly paid", paymentTypes: ["cash"] }],
  PaymentTypes: ["paymentType", { name: "Invoice", deliveryTypes: ["parcel"], paymentStatuses: ["paid"] }],
  PriceTypes: ["priceType", { name: "Wholesale", currency: "EUR" }],
  DeliveryServices: ["deliveryService", { name: "Morning" }],
  DeliveryTypes: ["deliveryType", { name: "Courier", paymentTypes: ["cash"] }],
  Sites: ["site", { name: "Second shop" }],
  ProductStatuses: ["productStatus", { name: "Packed" }],
  CostGroups: ["costGroup", { name: "Adverts", color: "#da5c98" }],
  CostItems: ["costItem", { name: "Posters", group: "second" }],
};
const CREATES = { "404 {code}": "an edit of an unknown code creates the entry" };
const NO_SITES = { "405": "no source says when" };

const edits = Object.entries(ENTRIES).map(([name, [field, entry]]): [string, Scenario] => [
  `references${name}Edit`,
  { path: { code: "second" }, form: { [field]: entry }, never: { ...CREATES, ...(name === "Sites" && NO_SITES) } },
]);
const lists = [...READ_ONLY, "Couriers", ...Object.keys(ENTRIES)].map((name): [string, Scenario] => [
  `references${name}`,
  {},
]);

export const REFERENCE: Area = {
  operations: {
    referencesCouriersCreate: {
      form: { courier: { firstName: "Rita", phone: { number: "+35621000002" } } },
      keep: { courier: "id" },
      refused: [{ form: { courier: { lastName: "Rider" } } }],
    },
    referencesCouriersEdit: { path: { id: "$courier" }, form: { courier: { active: false } } },
    ...Object.fromEntries([...edits, ...lists]),
  },
};
