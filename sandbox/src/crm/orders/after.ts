import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { tellModules } from "../delivery/order-calls.ts";
import { type Entry, idOf } from "../records.ts";
import { remove, type Writing } from "../resource/resource.ts";
import { cents, money } from "./money.ts";
import { PACK } from "./packs.ts";

/** What follows an order's write. `order`: absent once it is gone. */
export function afterOrder(writing: Writing, order: Entry | undefined, before?: Entry): void {
  const { gateway } = writing;
  if (order) sumUp(gateway, order.customer);
  if (before && idOf(before.customer) !== idOf(order?.customer)) sumUp(gateway, before.customer);
  if (order && before) dropPacks(writing, order);
  tellModules(writing, order, before);
}

/** Packs of items that are no longer there go, too: by the CRM itself, as such deletions are recorded. */
function dropPacks({ gateway, now, site }: Writing, { id, items }: Entry): void {
  const { rows, having } = gateway.world.tables.packs;
  const left = new Set(((items ?? []) as Entry[]).map((item) => item.id));
  for (const each of having("orderId", id)) {
    const pack = rows.get(each) as Entry;
    if (!left.has(pack.itemId)) remove(PACK, { gateway, now, site, by: { source: "code" } }, pack);
  }
}

/** Keeps a customer's sums. */
export function sumUp({ world }: Gateway, customer: unknown): void {
  const id = idOf(customer);
  const { customers, corporate } = world.tables;
  const table = customers.rows.has(id) ? customers : corporate;
  const entry = table.rows.get(id);
  if (entry) table.put(summedUp(world, entry));
}

/** A customer with its sums; a firm also with those of its companies. */
export function summedUp({ tables: { orders } }: World, customer: Entry): Entry {
  const own = orders.having("customer.id", customer.id).map((each) => orders.rows.get(each) as Entry);
  const { companies } = customer as { companies?: Entry[] };
  return { ...withSums(customer, own), ...(companies && { companies: billed(companies, own) }) };
}

/** Who never had an order has no sums. */
const withSums = (entry: Entry, orders: readonly Entry[]): Entry =>
  orders.length > 0 || entry.ordersCount !== undefined ? { ...entry, ...sumsOf(orders) } : entry;

/** A firm's companies with the sums of the orders that are billed to them. */
const billed = (companies: readonly Entry[], orders: readonly Entry[]): Entry[] =>
  companies.map((company) =>
    withSums(
      company,
      orders.filter((order) => idOf(order.company) === company.id),
    ),
  );

/** The sums of a customer or a company; the days of its first and last order are of no answer. */
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
