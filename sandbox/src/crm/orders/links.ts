import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { type Entry, idOf } from "../records.ts";
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

/** Links with an order that goes become links with the one that stays. */
export function moveLinks({ tables: { orders } }: World, from: Entry, { id }: Entry): void {
  const into = orders.rows.get(Number(id)) as Entry;
  const linksOf = ({ links }: Entry) => (links ?? []) as Entry[];
  const others = ({ order }: Entry) => idOf(order) !== id && idOf(order) !== from.id;
  const kept = [...linksOf(into), ...linksOf(from)].filter(others);
  if (into.links || from.links) orders.put({ ...into, links: kept });
  for (const each of orders.having("links.order.id", from.id)) {
    const order = orders.rows.get(each) as Entry;
    const moved = (link: Entry) => (idOf(link.order) === from.id ? { ...link, order: referenceTo(into) } : link);
    orders.put({ ...order, links: linksOf(order).map(moved) });
  }
}

const referenceTo = ({ id, externalId, number }: Entry): Entry => ({ id, externalId, number });
