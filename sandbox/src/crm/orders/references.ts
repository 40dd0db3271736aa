import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import { reading } from "../resource/reading.ts";
import { checkUser, unknownCode } from "../writing.ts";

/** What an order, an item or a payment refers to by code: its field, the dictionary, and the CRM's name of an entry. */
type Reference = [field: string, dictionary: string, what: string];
const OF_ORDERS: Reference[] = [
  ["orderType", "order-types", "OrderType"],
  ["orderMethod", "order-methods", "OrderMethod"],
  ["status", "statuses", "Status"],
  ["shipmentStore", "stores", "Store"],
  ["delivery.code", "delivery-types", "DeliveryType"],
  ["delivery.service.code", "delivery-services", "DeliveryService"],
];
export const OF_ITEMS: Reference[] = [
  ["status", "product-statuses", "ProductStatus"],
  ["priceType.code", "price-types", "PriceType"],
];
export const OF_PAYMENTS: Reference[] = [
  ["type", "payment-types", "PaymentType"],
  ["status", "payment-statuses", "PaymentStatus"],
];

/** Throws a Refusal for a code that its dictionary lacks. `prefix` leads to the part of the order. */
export function checkCodes(
  { dictionaries }: World,
  references: Reference[],
  given: Entry,
  prefix = "",
  form = "order",
) {
  for (const [field, dictionary, what] of references) {
    const code = reading(field)(given);
    if (code && !dictionaries.get(dictionary)?.has(String(code)))
      throw unknownCode(form, `${prefix}${field}`, what, code);
  }
}

/** Throws a Refusal. */
export function checkReferences(world: World, given: Entry): void {
  checkCodes(world, OF_ORDERS, given);
  checkUser(world, "order", given.managerId);
}

/** A delivery type may take some payment types only, and the other way round. Throws a Refusal. */
export function checkPaymentTypes({ dictionaries }: World, { delivery, payments = [] }: Entry): void {
  const code = String((delivery as Entry | undefined)?.code ?? "");
  const taking = dictionaries.get("delivery-types")?.get(code);
  for (const { type } of payments as Entry[]) {
    const payment = dictionaries.get("payment-types")?.get(String(type));
    if (taking && !(allows(taking.paymentTypes, type) && allows(payment?.deliveryTypes, code)))
      throw new Refusal(400, "Order is not loaded", "the delivery type takes the payment type", {
        errors: [UNSUPPORTED],
      });
  }
}

const UNSUPPORTED = "This payment type is not supported for the type of delivery";
const allows = (codes: unknown, code: unknown) => !Array.isArray(codes) || codes.length === 0 || codes.includes(code);
