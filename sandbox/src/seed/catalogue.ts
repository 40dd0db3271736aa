import type { Entry } from "../crm/records.ts";
import { type Offer, offersIn, type Product, putProduct } from "../crm/store/product.ts";
import type { World } from "../world.ts";
import type { Draw } from "./draw.ts";
import { KINDS, type Kind, MAKERS, SERIES } from "./words.ts";

/** Below the group of a new account's shop, and below one of the outlet's. */
const GROUPS: Record<string, { site: string; parent: string; names: Record<string, string> }> = {
  shop: {
    site: "shop",
    parent: "quay",
    names: { clothing: "Clothing", lights: "Lights", navigation: "Navigation" },
  },
  outlet: { site: "outlet", parent: "oportunidades", names: { amarre: "Amarre", ropa: "Ropa" } },
};
const BASE = "base";
const WHOLESALE = "wholesale";
const STORES = ["quay", "depot", "salon"];

/** What orders are made of: the offers of each site. */
export type Shelves = Record<string, Offer[]>;

/** Adds groups and products until there are `count`; returns all offers by site. */
export function fillCatalogue(world: World, draw: Draw, count: number, updatedAt: string): Shelves {
  const { products, productGroups } = world.tables;
  fillGroups(world);
  const groupIds = new Map([...productGroups.rows.values()].map(({ externalId, id }) => [externalId, Number(id)]));
  for (let n = 0; products.rows.size < count; n++) {
    const kind = KINDS[n % KINDS.length] as Kind;
    const { parent } = GROUPS[kind.site] as { parent: string };
    const groups = [parent, kind.group].map((externalId) => ({ id: groupIds.get(externalId) ?? 0, externalId }));
    putProduct(products, productOf(world, draw, { kind, n, groups }), BASE, updatedAt);
  }
  const shelves: Shelves = {};
  for (const { offer } of offersIn(products)) {
    const shelf = shelves[String(offer.site)] ?? [];
    shelf.push(offer);
    shelves[String(offer.site)] = shelf;
  }
  return shelves;
}

function fillGroups(world: World): void {
  const { productGroups } = world.tables;
  const put = (group: Entry) => productGroups.put({ id: world.nextId(), active: true, ...group });
  put({ site: "outlet", externalId: GROUPS.outlet?.parent, name: "Oportunidades" });
  for (const { site, parent, names } of Object.values(GROUPS)) {
    const [parentId] = productGroups.having("externalId", parent);
    for (const [externalId, name] of Object.entries(names))
      put({ site, externalId, name, parentId, parentExternalId: parent });
  }
}

interface Place {
  kind: Kind;
  /** Products before it. */
  n: number;
  groups: Product["groups"];
}

function productOf(world: World, draw: Draw, { kind, n, groups }: Place): Product {
  const series = Math.floor(n / KINDS.length);
  const round = Math.floor(series / SERIES.length);
  const name = `${kind.name} ${SERIES[series % SERIES.length]}${round > 0 ? ` ${round + 1}` : ""}`;
  const article = `${kind.code}-${series + 1}`;
  const externalId = article.toLowerCase();
  const price = Math.round(kind.price * (0.8 + 0.6 * draw.share()) * 20) / 20;
  const picture = `/shop/${externalId}.svg`;
  const common = { kind, price, picture, name, article };
  return {
    id: world.nextId(),
    externalId,
    article,
    type: "product",
    name,
    url: `/shop/${externalId}`,
    imageUrl: picture,
    description: `${name}: ${kind.property} ${kind.values.join(", ")}.`,
    manufacturer: draw.one(MAKERS),
    popular: draw.chance(0.1),
    novelty: draw.chance(0.1),
    stock: draw.chance(0.05),
    recommended: draw.chance(0.1),
    markable: false,
    active: draw.chance(0.97),
    groups,
    offers: kind.values.map((value) => offerOf(world, draw, { ...common, value })),
  };
}

interface Variant {
  kind: Kind;
  price: number;
  picture: string;
  name: string;
  article: string;
  value: string;
}

function offerOf(world: World, draw: Draw, { kind, price, picture, name, article, value }: Variant): Offer {
  const externalId = `${article}-${value}`.toLowerCase();
  const purchasePrice = Math.round(price * 60) / 100;
  const stores = STORES.filter(() => draw.chance(0.6));
  return {
    id: world.nextId(),
    externalId,
    xmlId: externalId,
    name: `${name}, ${value}`,
    article: `${article}-${value}`,
    images: [picture],
    prices: [
      { priceType: BASE, price },
      { priceType: WHOLESALE, price: Math.round(price * 85) / 100 },
    ],
    purchasePrice,
    vatRate: "none",
    weight: kind.weight,
    properties: { [kind.property]: value },
    active: true,
    unit: { code: kind.unit },
    site: kind.site,
    stores: stores.map((store) => ({ store, quantity: draw.whole(0, 60), purchasePrice })),
  };
}
