import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { Entry } from "../records.ts";
import { keep, type Writing } from "../resource/resource.ts";
import { writingOf } from "../resource/routes.ts";
import { ofShop } from "../resource/table.ts";
import { entityFault } from "../writing.ts";
import { nameIn, orderNamed } from "./named.ts";
import { ORDER } from "./order.ts";
import { paymentOf } from "./payments.ts";
import { checkPaymentTypes } from "./references.ts";
import { summed } from "./sums.ts";

const FORM = "payment";
type Body = { payment: Entry; by?: string };
const paymentsIn = ({ payments }: Entry) => (payments ?? []) as Entry[];

/** Payments of orders, each on its own. */
export function paymentRoutes(site: Hono<Env>, gateway: Gateway): void {
  const root = "/api/v5/orders/payments";
  site.post(`${root}/create`, (c) => {
    const { payment: given } = bodyOf<Body>(c);
    const writing = writingOf(c, gateway);
    const order = orderOf(writing, given);
    const payment = paymentOf(writing, given, undefined, "", FORM);
    pay(writing, order, [...paymentsIn(order), payment]);
    return c.json({ success: true, id: payment.id }, 201);
  });
  site.post(`${root}/:key/edit`, (c) => {
    const { payment: given, by } = bodyOf<Body>(c);
    const writing = writingOf(c, gateway);
    const { order, payment } = found(writing, c.req.param("key"), by === "id" ? "id" : "externalId");
    const changed = paymentOf(writing, given, payment, "", FORM);
    pay(
      writing,
      order,
      paymentsIn(order).map((each) => (each === payment ? changed : each)),
    );
    return c.json({ success: true, id: payment.id });
  });
  site.post(`${root}/:key/delete`, (c) => {
    const writing = writingOf(c, gateway);
    const { order, payment } = found(writing, c.req.param("key"), "id");
    pay(
      writing,
      order,
      paymentsIn(order).filter((each) => each !== payment),
    );
    return c.json({ success: true });
  });
}

/** Keeps an order with other payments. Throws a Refusal. */
function pay(writing: Writing, before: Entry, payments: Entry[]): void {
  const order = summed({ ...before, payments });
  checkPaymentTypes(writing.gateway.world, order);
  keep(ORDER, writing, order, before);
}

/** Throws a Refusal. */
function orderOf({ gateway: { world }, site }: Writing, { order }: Entry): Entry {
  const given = (order ?? {}) as Entry;
  if (!nameIn(given)) throw entityFault(FORM, "order", "Set one of the following fields: id, externalId, number");
  const known = orderNamed(world, given, site);
  if (!known) throw entityFault(FORM, "order", "This value is not valid.");
  return known;
}

/** Throws a Refusal. */
function found(
  { gateway: { world }, site }: Writing,
  key: string,
  by: "id" | "externalId",
): { order: Entry; payment: Entry } {
  const { rows, having } = world.tables.orders;
  const known = having(`payments.${by}`, key).map((id) => rows.get(id) as Entry);
  const order = ofShop(known, undefined, site);
  const payment = order && paymentsIn(order).find((each) => String(each[by]) === key);
  if (!order || !payment) throw new Refusal(404, "Payment not found", "the payment exists");
  return { order, payment };
}
