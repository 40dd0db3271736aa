import type { Gateway } from "../../gateway/gateway.ts";
import { COMPANY, companyOf } from "../corporate/company.ts";
import { CORPORATE } from "../corporate/corporate.ts";
import { CUSTOMER } from "../customers/customer.ts";
import { type Entry, idOf } from "../records.ts";
import { currencyOf } from "../reference/defaults.ts";
import { shownBy } from "../resource/writable.ts";
import { NO_BONUSES, shownItem } from "./items.ts";

/** An order as answers show it, with its customer and its offers as they are now. */
export function shownOrder(gateway: Gateway, order: Entry): Entry {
  const { customer: _, contact: __, company: ___, items, payments, ...others } = order;
  return {
    slug: order.id,
    currency: currencyOf(gateway.world, order.site),
    ...NO_BONUSES,
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

/** Recorded: a new order's payments are a list, which an edit and reading answer by id. */
export const withPaymentList = (gateway: Gateway, order: Entry): Entry => ({
  ...shownOrder(gateway, order),
  payments: order.payments ?? [],
});

/** An order as its history shows it whole (recorded). */
export function toldOrder(gateway: Gateway, order: Entry): Entry {
  const told = withPaymentList(gateway, order);
  const delivery = told.delivery as Entry;
  const address = delivery.address as Entry | undefined;
  return { ...told, delivery: { ...delivery, ...(address && { address: { id: order.id, ...address } }) } };
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
