import type { World } from "../../world.ts";
import { ORDERS, orderOf } from "../orders/demo.ts";
import type { Entry } from "../records.ts";

export interface OrderRef {
  id?: number;
  externalId?: string;
  number?: string;
}

export const orderById = (_: World, id: unknown): Entry | undefined => orderBy({ id: Number(id) });

/** By the first of these names that is given. */
const NAMES = ["id", "externalId", "number"] as const;

export function orderBy(given: OrderRef): Entry | undefined {
  const name = NAMES.find((each) => given[each] !== undefined);
  return name && ORDERS.map((order): Entry => orderOf(order)).find((order) => order[name] === given[name]);
}
