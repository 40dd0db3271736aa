import type { Gateway } from "../../gateway/gateway.ts";
import { type Entry, idOf } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { cents, money } from "./money.ts";

/** What follows an order's write. */
export function afterOrder({ gateway }: Writing, order: Entry, before?: Entry): void {
  sumUp(gateway, order.customer);
  if (before && idOf(before.customer) !== idOf(order.customer)) sumUp(gateway, before.customer);
}

/** Keeps a customer's sums. */
export function sumUp({ world }: Gateway, customer: unknown): void {
  const id = idOf(customer);
  const { customers, corporate, orders } = world.tables;
  const table = customers.rows.has(id) ? customers : corporate;
  const entry = table.rows.get(id);
  if (!entry) return;
  const own = orders.having("customer.id", id).map((each) => orders.rows.get(each) as Entry);
  table.put({ ...entry, ...sumsOf(own) });
}

/** A customer's sums; the days of its first and last order are of no answer. */
export function sumsOf(orders: readonly Entry[]): Entry {
  const total = (field: string) => orders.reduce((sum, order) => sum + cents(order[field]), 0);
  const [all, costs] = [total("totalSumm"), total("costSumm")];
  const count = orders.length;
  const days = orders.map(({ createdAt }) => String(createdAt)).sort();
  return {
    ordersCount: count,
    totalSumm: money(all),
    averageSumm: count > 0 ? money(all / count) : 0,
    costSumm: money(costs),
    marginSumm: money(all - costs),
    avgMarginSumm: count > 0 ? money((all - costs) / count) : 0,
    firstOrderAt: days[0],
    lastOrderAt: days.at(-1),
  };
}
