import type { Entry } from "../records.ts";
import type { Tables } from "../tables.ts";
import { type Product, summed } from "./product.ts";

// The goods of a new account's shop.

export interface Goods {
  id: number;
  name: string;
  article: string;
  price: number;
  unit: string;
  path: string;
}
interface More {
  /** Below the shop's own group. */
  group: number;
  description: string;
  manufacturer: string;
  properties: Record<string, string>;
  quantity: number;
  novelty?: boolean;
  popular?: boolean;
}

export const GOODS: readonly (Goods & More)[] = [
  {
    id: 101,
    name: "Three-strand rope, 12 mm",
    article: "ROPE-12",
    price: 4,
    unit: "m",
    path: "rope",
    group: 2,
    description: "Hemp, laid by hand. Sold by the metre.",
    manufacturer: "Quay ropewalk",
    properties: { material: "hemp", diameter: "12" },
    quantity: 400,
    popular: true,
  },
  {
    id: 102,
    name: "Deck bag, waxed canvas",
    article: "BAG-01",
    price: 89.5,
    unit: "pc",
    path: "bag",
    group: 3,
    description: "Holds 30 litres and keeps them dry.",
    manufacturer: "Quay & Co.",
    properties: { material: "canvas", colour: "tan" },
    quantity: 12,
  },
  {
    id: 103,
    name: "Brass cleat, 150 mm",
    article: "CLEAT-150",
    price: 23,
    unit: "pc",
    path: "cleat",
    group: 2,
    description: "Cast and polished, with two screws.",
    manufacturer: "Harbour foundry",
    properties: { material: "brass", length: "150" },
    quantity: 0,
  },
  {
    id: 104,
    name: "Wool watch cap",
    article: "CAP-02",
    price: 31,
    unit: "pc",
    path: "cap",
    group: 3,
    description: "One size, knitted on the island.",
    manufacturer: "Quay & Co.",
    properties: { material: "wool", colour: "navy" },
    quantity: 25,
    novelty: true,
  },
];

/** Named as in the dictionaries. */
const SITE = "shop";
const STORE = "quay";
const BASE = "base";
/** Bought for 60 % of the price. */
const purchasePriceOf = (price: number) => Math.round(price * 60) / 100;

const GROUPS: Entry[] = [
  { id: 1, externalId: "quay", name: "Quay & Co." },
  { id: 2, externalId: "rigging", name: "Rigging", parentId: 1 },
  { id: 3, externalId: "aboard", name: "For those aboard", parentId: 1 },
];

const PROPERTIES: Entry[] = [
  { code: "material", name: "Material", isNumeric: false, visible: true, variative: false },
  { code: "colour", name: "Colour", isNumeric: false, visible: true, variative: true },
  { code: "diameter", name: "Diameter, mm", isNumeric: true, visible: true, variative: true },
  { code: "length", name: "Length, mm", isNumeric: true, visible: true, variative: true },
];

export function fillCatalogue({ products, productGroups }: Tables, updatedAt: string): void {
  for (const group of GROUPS) productGroups.put({ site: SITE, active: true, ...group });
  for (const goods of GOODS) products.put(summed(productOf(goods, updatedAt), BASE));
}

export const seedProperties = () => new Map(PROPERTIES.map((property) => [String(property.code), property]));

function productOf(goods: Goods & More, updatedAt: string): Product {
  const { id, name, article, path, description, manufacturer, novelty = false, popular = false } = goods;
  const externalId = article.toLowerCase();
  const picture = `/shop/${path}.svg`;
  return {
    id,
    externalId,
    article,
    type: "product",
    name,
    url: `/shop/${path}`,
    imageUrl: picture,
    description,
    manufacturer,
    popular,
    novelty,
    stock: false,
    recommended: false,
    markable: false,
    active: true,
    groups: [1, goods.group].map((group) => ({ id: group, externalId: String(GROUPS[group - 1]?.externalId) })),
    offers: [
      {
        id,
        externalId,
        xmlId: externalId,
        name,
        article,
        images: [picture],
        prices: [{ priceType: BASE, price: goods.price }],
        purchasePrice: purchasePriceOf(goods.price),
        vatRate: "none",
        properties: goods.properties,
        active: true,
        unit: { code: goods.unit },
        site: SITE,
        stores: [{ store: STORE, quantity: goods.quantity, purchasePrice: purchasePriceOf(goods.price) }],
      },
    ],
    updatedAt,
  };
}
