import type { Entry } from "../records.ts";
import { cents, money } from "./money.ts";

const total = (parts: unknown, value: (part: Entry) => number): number =>
  ((parts ?? []) as Entry[]).reduce((sum, part) => sum + value(part), 0);

/**
 * An order with its sums. What it costs the shop and what it earns are in no answer: the costs are the purchase and the
 * delivery's net cost.
 */
export function summed(order: Entry): Entry {
  const { items, payments, delivery } = order;
  const { cost, netCost } = (delivery ?? {}) as Entry;
  const goods = total(items, ({ initialPrice, discountTotal, quantity }) => {
    return (cents(initialPrice) - cents(discountTotal)) * Number(quantity);
  });
  const purchase = total(items, ({ purchasePrice, quantity }) => cents(purchasePrice) * Number(quantity));
  const paid = total(payments, ({ amount, paidAt }) => (paidAt ? cents(amount) : 0));
  const all = Math.round(goods) + cents(cost);
  const costs = Math.round(purchase) + cents(netCost);
  return {
    ...order,
    summ: money(goods),
    totalSumm: money(all),
    prepaySum: money(paid),
    purchaseSumm: money(purchase),
    costSumm: money(costs),
    marginSumm: money(all - costs),
    fullPaidAt: paid > 0 && paid >= all ? (order.fullPaidAt ?? lastPaidAt(payments as Entry[])) : undefined,
  };
}

const lastPaidAt = (payments: Entry[]) =>
  payments
    .map(({ paidAt }) => String(paidAt ?? ""))
    .sort()
    .at(-1);
