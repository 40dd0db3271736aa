import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { atLeast, atMost, containing, flagged, type ListFilters, listed, oneOf } from "../listing.ts";

// A small shop: cards for agents to send and data for modules to read.

export interface Goods {
  id: number;
  name: string;
  article: string;
  price: number;
  unit: string;
  path: string;
}
export const GOODS: readonly Goods[] = [
  { id: 101, name: "Three-strand rope, 12 mm", article: "ROPE-12", price: 4, unit: "m", path: "rope" },
  { id: 102, name: "Deck bag, waxed canvas", article: "BAG-01", price: 89.5, unit: "pc", path: "bag" },
  { id: 103, name: "Brass cleat, 150 mm", article: "CLEAT-150", price: 23, unit: "pc", path: "cleat" },
  { id: 104, name: "Wool watch cap", article: "CAP-02", price: 31, unit: "pc", path: "cap" },
];
const CURRENCY = "EUR";
export const cost = (value: number) => ({ value, currency: CURRENCY });

export const goodsUrl = (origin: string, goods: Goods) => `${origin}/shop/${goods.path}`;

export const productCard = (goods: Goods, origin: string) => ({
  id: goods.id,
  name: goods.name,
  article: goods.article,
  unit: goods.unit,
  url: goodsUrl(origin, goods),
  img: `${origin}/shop/${goods.path}.svg`,
  cost: cost(goods.price),
});

const GROUP = 1;

/** An entry of `GET /api/v5/store/products`, with version 5's fields. */
const productOf = (origin: string) => (goods: Goods) => ({
  id: goods.id,
  name: goods.name,
  article: goods.article,
  url: goodsUrl(origin, goods),
  groups: [{ id: GROUP }],
  offers: [
    { id: goods.id, name: goods.name, price: goods.price, images: [], unit: { code: goods.unit, name: goods.unit } },
  ],
});

const productFilters = (origin: string): ListFilters<Goods> => ({
  ids: oneOf(({ id }) => id),
  offerIds: oneOf(({ id }) => id),
  groups: oneOf(() => GROUP),
  sinceId:
    ([since]) =>
    ({ id }) =>
      id > Number(since),
  name: containing(({ name }) => name),
  url: oneOf((goods) => goodsUrl(origin, goods)),
  urlLike: containing((goods) => goodsUrl(origin, goods)),
  minPrice: atLeast(({ price }) => price),
  maxPrice: atMost(({ price }) => price),
  active: flagged(() => true),
});

export function goodsRoutes(site: Hono<Env>, { origin }: Gateway): void {
  site.get("/api/v5/store/products", (c) =>
    listed(c, { name: "products", entries: GOODS, supported: productFilters(origin()), shown: productOf(origin()) }),
  );
}

export const goodsPicture = ({ name, id }: Goods): string => {
  const hue = (id * 67) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240"><rect width="320" height="240" fill="hsl(${hue} 30% 82%)"/><circle cx="160" cy="104" r="62" fill="hsl(${hue} 35% 52%)"/><text x="160" y="214" font-family="sans-serif" font-size="18" text-anchor="middle" fill="hsl(${hue} 30% 22%)">${name}</text></svg>`;
};
