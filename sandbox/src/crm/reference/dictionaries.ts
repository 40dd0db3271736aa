import type { Entry } from "../records.ts";
import { BLANK } from "../writing.ts";
import { currencyOf } from "./defaults.ts";
import type { Dictionary } from "./dictionary.ts";

// What orders, customers and deliveries refer to. Recorded answers tell maps from lists, and the fields that are always
// there; no source names more required fields than these.

type More = (code: string, n: number) => Entry;
const named = (names: Record<string, string>, more: More = () => ({})): Entry[] =>
  Object.entries(names).map(([code, name], n) => ({ code, name, active: true, ...more(code, n) }));
const ordered = (names: Record<string, string>, more: More): Entry[] =>
  named(names, (code, n) => ({ ordering: (n + 1) * 10, ...more(code, n) }));

// What every recorded entry has, unless it says otherwise.
const ORDERING = 990;
const FLAGS = { defaultForCrm: false, defaultForApi: false };
const WEEK = Object.fromEntries(["mo", "tu", "we", "th", "fr", "sa", "su"].map((day) => [day, []]));
const NO_CALCULATION = {
  isDynamicCostCalculation: false,
  isAutoCostCalculation: false,
  isAutoNetCostCalculation: false,
  isCostDependsOnRegionAndWeightAndSum: false,
  isCostDependsOnDateTime: false,
};

const byDefault = (code: string) => (each: string) => ({ defaultForCrm: each === code, defaultForApi: each === code });
const ADDRESS = { countryIso: "MT", city: "Valletta", text: "Quay 7" };

export const DICTIONARIES: readonly Dictionary[] = [
  {
    path: "stores",
    many: "stores",
    one: "store",
    schema: "Store",
    shape: "list",
    always: () => ({ inventoryType: "integer", address: {}, workTime: WEEK }),
    seed: named({ quay: "Quay" }, () => ({
      type: "store-type-warehouse",
      inventoryType: "integer",
      address: { ...ADDRESS, coordinates: { latitude: 35.8997, longitude: 14.5146 } },
    })),
  },
  {
    path: "couriers",
    many: "couriers",
    one: "courier",
    schema: "Courier",
    shape: "list",
    ids: true,
    required: { firstName: "Specify the first name" },
    seed: [{ id: 1, firstName: "Nina", lastName: "Rider", active: true, phone: { number: "+35621000001" } }],
  },
  {
    path: "units",
    many: "units",
    one: "unit",
    schema: "Unit",
    shape: "map",
    required: { name: BLANK, sym: BLANK },
    always: () => ({ default: false }),
    exclusive: ["default"],
    seed: [
      { code: "pc", name: "Piece", sym: "pc", default: true, active: true },
      { code: "m", name: "Metre", sym: "m", default: false, active: true },
    ],
  },
  {
    path: "status-groups",
    many: "statusGroups",
    shape: "map",
    derived: ({ code }, { dictionaries }) => ({
      statuses: [...(dictionaries.get("statuses") ?? [])].flatMap(([status, { group }]) =>
        group === code ? status : [],
      ),
    }),
    seed: ordered(
      {
        new: "New",
        approval: "Approval",
        assembling: "Assembling",
        delivery: "Delivery",
        complete: "Complete",
        cancel: "Cancelled",
      },
      (code) => ({
        process: code !== "complete" && code !== "cancel",
      }),
    ),
  },
  {
    path: "statuses",
    many: "statuses",
    one: "status",
    schema: "OrderStatus",
    shape: "map",
    refers: { group: "status-groups" },
    always: () => ({ ordering: ORDERING }),
    seed: ordered(
      {
        new: "New",
        approval: "To be approved",
        assembling: "Being packed",
        delivery: "On its way",
        complete: "Completed",
        cancel: "Cancelled",
      },
      (group) => ({ group }),
    ),
  },
  {
    path: "order-methods",
    many: "orderMethods",
    one: "orderMethod",
    schema: "OrderMethod",
    shape: "map",
    always: () => ({ ...FLAGS, isFromPos: false }),
    exclusive: ["defaultForCrm", "defaultForApi"],
    seed: named(
      { "shopping-cart": "Shopping cart", phone: "Phone", messenger: "Messenger" },
      byDefault("shopping-cart"),
    ),
  },
  {
    path: "order-types",
    many: "orderTypes",
    one: "orderType",
    schema: "OrderType",
    shape: "map",
    always: () => ({ ...FLAGS, ordering: ORDERING }),
    exclusive: ["defaultForCrm", "defaultForApi"],
    seed: ordered({ main: "Main" }, byDefault("main")),
  },
  {
    path: "payment-types",
    many: "paymentTypes",
    one: "paymentType",
    schema: "PaymentType",
    shape: "map",
    always: () => ({ ...FLAGS, deliveryTypes: [], paymentStatuses: [], sites: [] }),
    refers: { deliveryTypes: "delivery-types", paymentStatuses: "payment-statuses", sites: "sites" },
    exclusive: ["defaultForCrm", "defaultForApi"],
    seed: named({ "bank-card": "Bank card", cash: "Cash" }, byDefault("bank-card")),
  },
  {
    path: "payment-statuses",
    many: "paymentStatuses",
    one: "paymentStatus",
    schema: "PaymentStatus",
    shape: "map",
    always: () => ({ ...FLAGS, paymentComplete: false, ordering: ORDERING, paymentTypes: [] }),
    refers: { paymentTypes: "payment-types" },
    exclusive: ["defaultForCrm", "defaultForApi"],
    seed: ordered({ "not-paid": "Not paid", paid: "Paid", returned: "Returned" }, (code) => ({
      ...byDefault("not-paid")(code),
      paymentComplete: code === "paid",
    })),
  },
  {
    path: "price-types",
    many: "priceTypes",
    one: "priceType",
    schema: "PriceType",
    shape: "list",
    always: () => ({ default: false, geo: [], groups: [], ordering: ORDERING }),
    exclusive: ["default"],
    seed: [{ id: 1, code: "base", name: "Base", active: true, default: true, currency: "EUR", ordering: 10 }],
  },
  {
    path: "delivery-types",
    many: "deliveryTypes",
    one: "deliveryType",
    schema: "DeliveryType",
    shape: "map",
    always: (world) => ({
      ...NO_CALCULATION,
      currency: currencyOf(world),
      defaultCost: 0,
      defaultNetCost: 0,
      paymentTypes: [],
      deliveryServices: [],
      defaultForCrm: false,
      deliveryPaymentTypes: [],
      sites: [],
    }),
    refers: { paymentTypes: "payment-types", deliveryServices: "delivery-services", sites: "sites" },
    exclusive: ["defaultForCrm"],
    seed: named({ parcel: "Parcel", "self-delivery": "Pick-up" }, (code) => ({
      defaultCost: code === "parcel" ? 6.9 : 0,
      defaultNetCost: 0,
      defaultForCrm: code === "parcel",
    })),
  },
  {
    path: "delivery-services",
    many: "deliveryServices",
    one: "deliveryService",
    schema: "DeliveryService",
    shape: "map",
    seed: [],
  },
  {
    path: "sites",
    many: "sites",
    one: "site",
    schema: "Site",
    shape: "map",
    always: (world, { id }) => ({
      defaultForCrm: false,
      loadFromYml: false,
      ordering: ORDERING,
      countryIso: "",
      currency: currencyOf(world),
      catalogId: String(id),
      isCatalogMainSite: true,
      isDemo: false,
    }),
    exclusive: ["defaultForCrm"],
    seed: [{ id: 1, code: "shop", name: "Shop", defaultForCrm: true, currency: "EUR", countryIso: "MT", ordering: 10 }],
  },
  {
    path: "product-statuses",
    many: "productStatuses",
    one: "productStatus",
    schema: "OrderProductStatus",
    shape: "map",
    refers: { orderStatusByProductStatus: "statuses", orderStatusForProductStatus: "statuses" },
    always: () => ({ ordering: ORDERING, cancelStatus: false }),
    seed: ordered({ new: "New", reserved: "Reserved", cancelled: "Cancelled" }, (code) => ({
      cancelStatus: code === "cancelled",
    })),
  },
  {
    path: "cost-groups",
    many: "costGroups",
    one: "costGroup",
    schema: "CostGroup",
    shape: "list",
    always: () => ({ ordering: ORDERING, color: "#dd4040" }),
    seed: [],
  },
  {
    path: "cost-items",
    many: "costItems",
    one: "costItem",
    schema: "CostItem",
    shape: "list",
    refers: { group: "cost-groups" },
    always: () => ({ ordering: ORDERING, appliesToOrders: false, type: "var", appliesToUsers: false }),
    seed: [],
  },
  { path: "countries", many: "countriesIso", shape: "codes", seed: [{ code: "MT" }, { code: "ES" }, { code: "RU" }] },
];
