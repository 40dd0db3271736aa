import type { Entry } from "../records.ts";
import { GOODS } from "../store/goods.ts";
import type { Tables } from "../tables.ts";
import { discounted } from "./discounts.ts";
import { summed } from "./sums.ts";

// The orders of a new account.

interface Demo {
  id: number;
  status: string;
  createdAt: string;
  items: [article: string, quantity: number][];
  delivery: Entry;
  paid: boolean;
}
const DEMO: readonly Demo[] = [
  {
    id: 5001,
    status: "assembling",
    createdAt: "2026-01-15 10:20:30",
    items: [
      ["ROPE-12", 10],
      ["CLEAT-150", 2],
    ],
    delivery: { code: "parcel", cost: 6.9, address: { text: "Harbour street 4, Valletta", notes: "Ring twice" } },
    paid: true,
  },
  {
    id: 5002,
    status: "new",
    createdAt: "2026-02-01 08:00:00",
    items: [["BAG-01", 1]],
    delivery: { code: "self-delivery", cost: 0, address: { text: "Quay 7" } },
    paid: false,
  },
];

export function fillOrders({ orders }: Tables): void {
  for (const demo of DEMO) orders.put(orderOf(demo));
}

function itemOf(id: number, createdAt: string, article: string, quantity: number): Entry {
  const goods = GOODS.find((each) => each.article === article);
  return {
    id,
    createdAt,
    initialPrice: goods?.price,
    quantity,
    vatRate: "none",
    purchasePrice: 0,
    status: "new",
    offer: { id: goods?.id },
  };
}

function orderOf({ id, status, createdAt, items, delivery, paid }: Demo): Entry {
  const payment = { id, type: "bank-card", status: paid ? "paid" : "not-paid", ...(paid && { paidAt: createdAt }) };
  const order = summed({
    id,
    number: `${id}A`,
    site: "shop",
    fromApi: true,
    orderType: "main",
    orderMethod: "shopping-cart",
    privilegeType: "none",
    createdAt,
    status,
    statuses: [status],
    statusUpdatedAt: createdAt,
    delivery,
    items: discounted(
      items.map(([article, quantity], n) => itemOf(10 * id + n, createdAt, article, quantity)),
      { amount: undefined, percent: undefined, rounded: false },
    ),
    payments: [payment],
  });
  return summed({ ...order, payments: [{ ...payment, amount: order.totalSumm }] });
}
