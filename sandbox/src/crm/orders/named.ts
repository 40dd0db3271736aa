import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import { ofShop, recordIn } from "../resource/table.ts";

/** By the first of these that is given. */
const NAMES = ["id", "externalId", "number"] as const;

/** What names an order elsewhere; undefined: nothing does. */
export const nameIn = (given: Entry) => NAMES.find((name) => given[name] !== undefined);

/** `own`: the shop whose order is rather meant, where several have the name. */
export function orderNamed({ tables: { orders } }: World, given: Entry, own: string): Entry | undefined {
  const name = nameIn(given);
  if (!name) return undefined;
  if (name !== "number") return recordIn(orders, given, own);
  const known = orders.having("number", given.number).map((id) => orders.rows.get(id) as Entry);
  return ofShop(known, given.site, own);
}
