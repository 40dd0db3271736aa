import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";

/** By the first of these that is given. */
const NAMES = ["id", "externalId", "number"] as const;

/** What names an order elsewhere; undefined: nothing does. */
export const nameIn = (given: Entry) => NAMES.find((name) => given[name] !== undefined);

export function orderNamed({ tables: { orders } }: World, given: Entry): Entry | undefined {
  const name = nameIn(given);
  if (!name) return undefined;
  return orders.rows.get(name === "id" ? Number(given.id) : (orders.having(name, given[name])[0] ?? 0));
}
