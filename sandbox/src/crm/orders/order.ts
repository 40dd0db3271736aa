import type { Gateway } from "../../gateway/gateway.ts";
import { checkCustomValues } from "../custom-values.ts";
import type { Entry } from "../records.ts";
import { defaultCode } from "../reference/defaults.ts";
import type { Resource, Writing } from "../resource/resource.ts";
import { merged } from "../writing.ts";
import { afterOrder } from "./after.ts";
import { ordersOfNamed } from "./customer-filters.ts";
import { discounted } from "./discounts.ts";
import { orderFilters } from "./filters.ts";
import { itemsOf, shownItem } from "./items.ts";
import { chatOf, withParties } from "./parties.ts";
import { paymentsOf } from "./payments.ts";
import { checkPaymentTypes, checkReferences } from "./references.ts";
import { shownOrder, toldOrder, withPaymentList } from "./shown.ts";
import { summed } from "./sums.ts";
import { ORDER_TOLD } from "./told.ts";

/** An order of the shop. It keeps its customer and its offers by id; answers show them whole. */
export const ORDER: Resource = {
  path: "orders",
  table: "orders",
  one: "order",
  many: "orders",
  schema: "Order",
  taken: ["customer", "contact", "company", "items", "payments"],
  exists: "Order already exists.",
  indexed: {
    ...{ ids: "id", externalIds: "externalId", numbers: "number", customerId: "customer.id" },
    deliveryExternalId: "delivery.data.externalId",
    customerExternalId: ordersOfNamed,
  },
  filters: orderFilters,
  apply,
  after: afterOrder,
  shown: shownOrder,
  answer: (gateway, order, call) => ({
    id: order.id,
    order: call === "create" ? withPaymentList(gateway, order) : shownOrder(gateway, order),
  }),
  history: {
    name: "orders",
    ...ORDER_TOLD,
    whole: toldOrder,
    more: (gateway, more) => (more.item ? { ...more, item: shownItem(gateway, more.item as Entry) } : more),
    named: (_, { id, externalId, managerId, site, status }) => ({ id, externalId, managerId, site, status }),
  },
};

const parts = (value: unknown) => (value ?? []) as Entry[];

/** Throws a Refusal. */
function apply(writing: Writing, change: Entry, before: Entry): Entry {
  const { gateway, now } = writing;
  const { world } = gateway;
  const { customer, contact, company, items, payments, applyRound, ...fields } = change;
  checkReferences(world, fields);
  checkCustomValues(world, "order", "order", fields.customFields);
  if (fields.dialogId !== undefined) chatOf(gateway, fields.dialogId);
  const isNew = before.number === undefined;
  const plain = merged(isNew ? { ...before, ...defaultsOf(writing, before) } : ofType(before, fields), fields);
  const order = reckoned(gateway, applyRound === true, {
    ...plain,
    ...(plain.status !== before.status && statusOf(before, plain, fields, now)),
    items: items ? itemsOf(writing, parts(items), parts(before.items)) : parts(before.items),
    payments:
      payments && gateway.unknowns().orderPayments === "take"
        ? paymentsOf(writing, parts(payments), parts(before.payments))
        : parts(before.payments),
  });
  checkPaymentTypes(world, order);
  // Last: it may create a customer.
  return withParties(writing, { customer, contact, company }, order, isNew);
}

/** What another delivery type has of its own. */
const OF_TYPE = { integrationCode: undefined, data: undefined };

function ofType(before: Entry, { delivery }: Entry): Entry {
  const known = before.delivery as Entry | undefined;
  const { code } = (delivery ?? {}) as Entry;
  return code === undefined || code === known?.code ? before : { ...before, delivery: { ...known, ...OF_TYPE } };
}

/** An order with its discounts and sums. Throws a Refusal. */
export function reckoned({ unknowns }: Gateway, rounded: boolean, order: Entry): Entry {
  const { discountManualAmount: amount, discountManualPercent: percent } = order;
  const discount = { amount, percent, rounded: rounded || unknowns().indivisibleDiscount === "round" };
  return summed({ ...order, items: discounted(parts(order.items), discount) });
}

function defaultsOf({ gateway: { world }, by }: Writing, { id }: Entry): Entry {
  const fromApi = by.source === "api";
  return {
    number: `${id}${fromApi ? "A" : "C"}`,
    fromApi,
    orderType: defaultCode(world, "order-types", by),
    orderMethod: defaultCode(world, "order-methods", by),
    privilegeType: "none",
    status: "new",
  };
}

/** Of no answer: the statuses that the order has had, for its filter. */
const statusOf = (before: Entry, { status, createdAt }: Entry, fields: Entry, now: string): Entry => ({
  statusUpdatedAt: fields.statusUpdatedAt ?? (before.status === undefined ? createdAt : now),
  statuses: [...((before.statuses ?? []) as string[]), status],
});
