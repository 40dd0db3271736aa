import type { Gateway } from "../../gateway/gateway.ts";
import { COMPANY, companyOf } from "../corporate/company.ts";
import { CORPORATE } from "../corporate/corporate.ts";
import { CUSTOMER } from "../customers/customer.ts";
import { type Entry, idOf } from "../records.ts";
import { shownBy } from "../resource/writable.ts";
import { shownItem } from "./items.ts";

/** An order as answers show it, with its customer and its offers as they are now. */
export function shownOrder(gateway: Gateway, order: Entry): Entry {
  const { customer: _, contact: __, company: ___, items, payments, ...others } = order;
  const site = gateway.world.dictionaries.get("sites")?.get(String(order.site));
  return {
    slug: order.id,
    currency: site?.currency,
    call: false,
    expired: false,
    shipped: false,
    customFields: [],
    ...shownBy("Order", others),
    delivery: deliveryOf(gateway, order),
    ...partiesOf(gateway, order),
    items: ((items ?? []) as Entry[]).map((item) => shownItem(gateway, item)),
    payments: Object.fromEntries(((payments ?? []) as Entry[]).map((payment) => [String(payment.id), payment])),
  };
}

function deliveryOf({ world }: Gateway, order: Entry): Entry {
  const delivery = (order.delivery ?? {}) as Entry;
  const type = world.dictionaries.get("delivery-types")?.get(String(delivery.code));
  return {
    ...{ cost: 0, netCost: 0, ...delivery },
    ...(type?.integrationCode !== undefined && { integrationCode: type.integrationCode }),
  };
}

/** A person is the contact of the own orders (recorded). */
function partiesOf(gateway: Gateway, { customer, contact, company }: Entry): Entry {
  const { customers, corporate } = gateway.world.tables;
  const personAt = (reference: unknown) => {
    const known = customers.rows.get(idOf(reference));
    return known && CUSTOMER.shown(gateway, known);
  };
  const firm = corporate.rows.get(idOf(customer));
  const person = firm ? personAt(contact) : personAt(customer);
  const own = firm && company ? companyOf(firm, company) : undefined;
  return {
    customer: firm ? CORPORATE.shown(gateway, firm) : person,
    contact: person,
    company: firm && own && COMPANY.shown(gateway, firm, own),
  };
}
