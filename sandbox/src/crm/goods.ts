import type { Hono } from "hono";
import type { Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { atLeast, atMost, containing, flagged, from, type ListFilters, listed, oneOf, upTo } from "./listing.ts";

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
const cost = (value: number) => ({ value, currency: CURRENCY });

interface Order {
  id: number;
  number: string;
  status: { code: "new" | "approval" | "assembling" | "delivery" | "complete" | "cancel"; name: string };
  date: string;
  items: { goods: Goods; quantity: number }[];
  delivery: { name: string; price: number; address: string; comment: string };
  paid: boolean;
}
const [rope, bag, cleat] = GOODS as [Goods, Goods, Goods];
export const ORDERS: readonly Order[] = [
  {
    id: 5001,
    number: "5001A",
    status: { code: "assembling", name: "Being packed" },
    date: "2026-01-15T10:20:30Z",
    items: [
      { goods: rope, quantity: 10 },
      { goods: cleat, quantity: 2 },
    ],
    delivery: { name: "Parcel", price: 6.9, address: "Harbour street 4, Valletta", comment: "Ring twice" },
    paid: true,
  },
  {
    id: 5002,
    number: "5002A",
    status: { code: "new", name: "New" },
    date: "2026-02-01T08:00:00Z",
    items: [{ goods: bag, quantity: 1 }],
    delivery: { name: "Pick-up", price: 0, address: "Quay 7", comment: "" },
    paid: false,
  },
];

const sum = ({ items, delivery }: Order) =>
  items.reduce((total, { goods, quantity }) => total + goods.price * quantity, delivery.price);
const address = (origin: string, goods: Goods) => `${origin}/shop/${goods.path}`;

export const productCard = (goods: Goods, origin: string) => ({
  id: goods.id,
  name: goods.name,
  article: goods.article,
  unit: goods.unit,
  url: address(origin, goods),
  img: `${origin}/shop/${goods.path}.svg`,
  cost: cost(goods.price),
});

export const orderCard = (order: Order, origin: string) => ({
  external_id: order.id,
  number: order.number,
  date: order.date,
  url: `${origin}/orders/${order.id}`,
  status: order.status,
  cost: cost(sum(order)),
  discount: cost(0),
  items: order.items.map(({ goods, quantity }) => ({
    external_id: goods.id,
    name: goods.name,
    url: address(origin, goods),
    img: `${origin}/shop/${goods.path}.svg`,
    price: cost(goods.price),
    quantity: { value: quantity, unit: goods.unit },
  })),
  delivery: { ...order.delivery, price: cost(order.delivery.price) },
  payments: [
    { name: "Bank card", amount: cost(sum(order)), status: { name: order.paid ? "Paid" : "Due", payed: order.paid } },
  ],
});

const GROUP = 1;

/** An entry of `GET /api/v5/store/products`, with version 5's fields. */
const productOf = (origin: string) => (goods: Goods) => ({
  id: goods.id,
  name: goods.name,
  article: goods.article,
  url: address(origin, goods),
  groups: [{ id: GROUP }],
  offers: [
    { id: goods.id, name: goods.name, price: goods.price, images: [], unit: { code: goods.unit, name: goods.unit } },
  ],
});

const productFilters = (origin: string): ListFilters<Goods> => ({
  ids: oneOf(({ id }) => id),
  offerIds: oneOf(({ id }) => id),
  groups: oneOf(() => GROUP),
  sinceId: ({ id }, [since]) => id > Number(since),
  name: containing(({ name }) => name),
  url: oneOf((goods) => address(origin, goods)),
  urlLike: containing((goods) => address(origin, goods)),
  minPrice: atLeast(({ price }) => price),
  maxPrice: atMost(({ price }) => price),
  active: flagged(() => true),
});

const TYPE = "bank-card";
const paymentOf = ({ paid }: Order) => (paid ? "paid" : "not-paid");

/** An entry of `GET /api/v5/orders`: payments as a collection, discounts per unit, units of measurement. */
const orderOf = (order: Order) => ({
  id: order.id,
  number: order.number,
  status: order.status.code,
  createdAt: order.date.replace("T", " ").replace("Z", ""),
  totalSumm: sum(order),
  fullPaidAt: order.paid ? order.date.replace("T", " ").replace("Z", "") : null,
  payments: [{ id: order.id, type: TYPE, status: paymentOf(order), amount: sum(order) }],
  items: order.items.map(({ goods, quantity }) => ({
    id: goods.id,
    initialPrice: goods.price,
    discountTotal: 0,
    vatRate: "none",
    quantity,
    offer: { id: goods.id, displayName: goods.name, vatRate: "none", unit: { code: goods.unit, name: goods.unit } },
  })),
});

const paidAt = ({ date, paid }: Order) => (paid ? Date.parse(date) : undefined);
const ORDER_FILTERS: ListFilters<Order> = {
  ids: oneOf(({ id }) => id),
  numbers: oneOf(({ number }) => number),
  // A status or its group.
  extendedStatus: oneOf(({ status: { code } }) => [code, `${code}-group`]),
  minPrice: atLeast(sum),
  maxPrice: atMost(sum),
  createdAtFrom: from(({ date }) => Date.parse(date)),
  createdAtTo: upTo(({ date }) => Date.parse(date)),
  fullPaidAtFrom: from(paidAt),
  fullPaidAtTo: upTo(paidAt),
  paymentTypes: oneOf(() => TYPE),
  paymentStatuses: oneOf(paymentOf),
  product: containing(({ items }) => items.map(({ goods }) => goods.name).join("\n")),
};

export function goodsRoutes(site: Hono<Env>, { origin }: Gateway): void {
  site.get("/api/v5/store/products", (c) =>
    listed(c, { name: "products", entries: GOODS, supported: productFilters(origin()), shown: productOf(origin()) }),
  );
  site.get("/api/v5/orders", (c) =>
    listed(c, { name: "orders", entries: ORDERS, supported: ORDER_FILTERS, shown: orderOf }),
  );
}

export const goodsPicture = ({ name, id }: Goods): string => {
  const hue = (id * 67) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240"><rect width="320" height="240" fill="hsl(${hue} 30% 82%)"/><circle cx="160" cy="104" r="62" fill="hsl(${hue} 35% 52%)"/><text x="160" y="214" font-family="sans-serif" font-size="18" text-anchor="middle" fill="hsl(${hue} 30% 22%)">${name}</text></svg>`;
};
