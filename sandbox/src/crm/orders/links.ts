import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { keep } from "../resource/resource.ts";
import { writingOf } from "../resource/routes.ts";
import { entityFault } from "../writing.ts";
import { orderNamed } from "./named.ts";
import { ORDER } from "./order.ts";

/** Links orders to each other. */
export function linkRoute(site: Hono<Env>, gateway: Gateway): void {
  site.post("/api/v5/orders/links/create", (c) => {
    const { comment, orders = [] } = bodyOf<{ link: { comment?: string; orders?: Entry[] } }>(c).link;
    const writing = writingOf(c, gateway);
    const known = orders.map((given) => orderNamed(gateway.world, given, writing.site));
    if (known.length < 2 || known.some((order) => !order))
      throw entityFault("link", "orders", "This value is not valid.");
    for (const order of known as Entry[]) {
      const others = (known as Entry[]).filter((each) => each !== order);
      const links = others.map((each) => ({ comment, order: referenceTo(each), createdAt: writing.now }));
      keep(ORDER, writing, { ...order, links: [...((order.links ?? []) as Entry[]), ...links] }, order);
    }
    return c.json({ success: true }, 201);
  });
}

const referenceTo = ({ id, externalId, number }: Entry): Entry => ({ id, externalId, number });
