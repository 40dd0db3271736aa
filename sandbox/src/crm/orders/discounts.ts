import type { Entry } from "../records.ts";
import { entityFault } from "../writing.ts";
import { cents, money } from "./money.ts";

/** An order's own discount. */
export interface OrderDiscount {
  amount: unknown;
  percent: unknown;
  /** Takes the nearest amount that the units can share, where the given one is none. */
  rounded: boolean;
}
const NOT_VALID = "This value is not valid.";

/**
 * Items with their discounts per unit: the item's own, and the unit's share of the order's. An amount is spread evenly over
 * all units, a percentage is that of each price. Throws a Refusal.
 */
export function discounted(items: readonly Entry[], { amount, percent, rounded }: OrderDiscount): Entry[] {
  const units = items.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  const share = units > 0 ? shareOf(cents(amount), units, rounded) : 0;
  return items.map((item, n) => {
    const price = cents(item.initialPrice);
    const own = checked(
      partOf(price, item.discountManualPercent) + cents(item.discountManualAmount),
      price,
      item.discountManualAmount === undefined ? `items.${n}.discountManualPercent` : `items.${n}.discountManualAmount`,
    );
    const left = price - own;
    const field = amount === undefined ? "discountManualPercent" : "discountManualAmount";
    const ofOrder = checked(partOf(left, percent) + share, left, field);
    return {
      ...item,
      discountTotal: money(own + ofOrder),
      discounts: told({ manual_product: own, manual_order: ofOrder }),
      prices: [{ price: money(left - ofOrder), quantity: item.quantity }],
    };
  });
}

const partOf = (price: number, percent: unknown) => Math.round((price * Number(percent ?? 0)) / 100);

/** Nothing costs less than nothing. Throws a Refusal. */
function checked(discount: number, price: number, field: string): number {
  if (discount < 0 || discount > Math.max(price, 0)) throw entityFault("order", field, NOT_VALID);
  return discount;
}

/** One unit's cents. Throws a Refusal for what cannot be divided. */
function shareOf(amount: number, units: number, rounded: boolean): number {
  const share = Math.round(amount / units);
  const isDivided = Math.abs(share * units - amount) < 1e-6;
  if (!isDivided && !rounded)
    throw entityFault("order", "discountManualAmount", `This value cannot be divided between ${units} units.`);
  return share;
}

const told = (amounts: Record<string, number>): Entry[] =>
  Object.entries(amounts).flatMap(([type, amount]) => (amount === 0 ? [] : { type, amount: money(amount) }));
