import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import { atLeast, atMost, containing, from, type ListFilters, listed, oneOf, upTo } from "../listing.ts";
import { GOODS, type Goods } from "../store/goods.ts";

interface Order {
  id: number;
  number: string;
  status: { code: "new" | "approval" | "assembling" | "delivery" | "complete" | "cancel"; name: string };
  date: string;
  items: { goods: Goods; quantity: number }[];
  delivery: { name: string; price: number; address: string; comment: string };
  paid: boolean;
}
const [rope, bag, cleat] = GOODS as unknown as [Goods, Goods, Goods];
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

const CURRENCY = "EUR";
const cost = (value: number) => ({ value, currency: CURRENCY });
const goodsUrl = (origin: string, goods: Goods) => `${origin}/shop/${goods.path}`;

const sum = ({ items, delivery }: Order) =>
  items.reduce((total, { goods, quantity }) => total + goods.price * quantity, delivery.price);
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
    url: goodsUrl(origin, goods),
    img: `${origin}/shop/${goods.path}.svg`,
    price: cost(goods.price),
    quantity: { value: quantity, unit: goods.unit },
  })),
  delivery: { ...order.delivery, price: cost(order.delivery.price) },
  payments: [
    { name: "Bank card", amount: cost(sum(order)), status: { name: order.paid ? "Paid" : "Due", payed: order.paid } },
  ],
});

const TYPE = "bank-card";
const paymentOf = ({ paid }: Order) => (paid ? "paid" : "not-paid");

/** An entry of `GET /api/v5/orders`: payments as a collection, discounts per unit, units of measurement. */
export const orderOf = (order: Order) => ({
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

export function orderRoutes(site: Hono<Env>): void {
  site.get("/api/v5/orders", (c) =>
    listed(c, { name: "orders", entries: ORDERS, supported: ORDER_FILTERS, shown: orderOf }),
  );
}
