import type { Gateway } from "../../gateway/gateway.ts";
import { CUSTOMER } from "../customers/customer.ts";
import type { Entry } from "../records.ts";
import { shownBy } from "../resource/writable.ts";
import { shownItem } from "./items.ts";

/** An order as answers show it, with its customer and its offers as they are now. */
export function shownOrder(gateway: Gateway, order: Entry): Entry {
  const { customer, items, payments, ...others } = order;
  const { rows } = gateway.world.tables.customers;
  const known = rows.get(Number((customer as Entry | undefined)?.id));
  const person = known && CUSTOMER.shown(gateway, known);
  const site = gateway.world.dictionaries.get("sites")?.get(String(order.site));
  return {
    slug: order.id,
    currency: site?.currency,
    call: false,
    expired: false,
    shipped: false,
    customFields: [],
    ...shownBy("Order", others),
    delivery: { cost: 0, netCost: 0, ...(order.delivery as Entry | undefined) },
    ...(person && { customer: person, contact: person }),
    items: ((items ?? []) as Entry[]).map((item) => shownItem(gateway, item)),
    payments: Object.fromEntries(((payments ?? []) as Entry[]).map((payment) => [String(payment.id), payment])),
  };
}
