import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import { recordIn } from "../resource/table.ts";

/** By the first of these that is given. */
const NAMES = ["id", "externalId", "number"] as const;

/** What names an order elsewhere; undefined: nothing does. */
export const nameIn = (given: Entry) => NAMES.find((name) => given[name] !== undefined);

export function orderNamed({ tables: { orders } }: World, given: Entry): Entry | undefined {
  const name = nameIn(given);
  if (!name) return undefined;
  if (name !== "number") return recordIn(orders, given);
  return orders.rows.get(orders.having("number", given.number)[0] ?? 0);
}
