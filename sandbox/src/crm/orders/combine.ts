import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { moveShipments } from "../delivery/shipments.ts";
import { moveFiles } from "../files/attachment.ts";
import type { Entry } from "../records.ts";
import { keep, supersede, type Writing, writingBy } from "../resource/resource.ts";
import { moveTasks } from "../tasks/moved.ts";
import { afterOrder } from "./after.ts";
import { moveLinks } from "./links.ts";
import { ORDER, reckoned } from "./order.ts";

type Technique = "ours" | "summ" | "theirs" | "merge";
interface Given {
  technique?: Technique;
  order: { id?: number };
  resultOrder: { id?: number };
}

/** Combines an order into another, whose data stay. */
export function combineRoute(site: Hono<Env>, gateway: Gateway): void {
  const { rows } = gateway.world.tables.orders;
  site.post("/api/v5/orders/combine", (c) => {
    const { technique = "ours", order, resultOrder } = bodyOf<Given>(c);
    const from = rows.get(Number(order.id));
    const into = rows.get(Number(resultOrder.id));
    if (!from || !into || from === into)
      throw new Refusal(400, "Invalid input parameters", "an order is combined into another that exists");
    const writing = writingBy(gateway, { source: "combine" });
    const payments = [...parts(into.payments), ...parts(from.payments)];
    const items = itemsOf(technique, parts(into.items), parts(from.items));
    const result = reckoned(gateway, false, { ...into, items, payments });
    drop(writing, from, result);
    keep(ORDER, writing, result, into);
    moveLinks(gateway.world, from, result);
    return c.json({ success: true, errors: [] });
  });
}

const parts = (value: unknown) => (value ?? []) as Entry[];

/**
 * Items of both orders. Where both have the same offer at one price, the quantity is that of the final order, of the
 * other one, or the sum; `merge` keeps both.
 */
function itemsOf(technique: Technique, ours: Entry[], theirs: Entry[]): Entry[] {
  const items = [...ours];
  for (const their of theirs) {
    const at = technique === "merge" ? -1 : items.findIndex((our) => isSame(our, their));
    const our = items[at];
    if (our) items[at] = { ...our, quantity: quantityOf(technique, Number(our.quantity), Number(their.quantity)) };
    else items.push(their);
  }
  return items;
}

/** The id of the item that an item has become. */
function standingFor(id: unknown, theirs: Entry[], items: Entry[]): unknown {
  const their = theirs.find((each) => each.id === id);
  if (!their || items.some((each) => each.id === id)) return id;
  return items.find((each) => isSame(each, their))?.id;
}

function isSame(one: Entry, other: Entry): boolean {
  const [offer, same] = [one.offer, other.offer] as { id: number }[];
  return offer !== undefined && offer.id === same?.id && one.initialPrice === other.initialPrice;
}

function quantityOf(technique: Technique, our: number, their: number): number {
  if (technique === "summ") return our + their;
  return technique === "theirs" ? their : our;
}

/** Takes an order away; what refers to it then refers to the other. */
function drop(writing: Writing, from: Entry, into: Entry): void {
  const { world } = writing.gateway;
  const { id, items } = into;
  const { packs } = world.tables;
  for (const each of packs.having("orderId", from.id)) {
    const pack = packs.rows.get(each) as Entry;
    packs.put({ ...pack, orderId: id, itemId: standingFor(pack.itemId, parts(from.items), parts(items)) });
  }
  moveTasks(writing.gateway, "order", from, into);
  moveFiles(world, "order", from, into);
  moveShipments(world, from, into);
  supersede(ORDER, writing, from, Number(id));
  afterOrder(writing, undefined, from);
}
