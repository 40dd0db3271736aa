import type { Module } from "../../world.ts";
import { ORDER_TOLD } from "../orders/told.ts";
import type { Entry } from "../records.ts";
import { tell } from "../resource/history.ts";
import type { Writing } from "../resource/resource.ts";
import { merged } from "../writing.ts";
import { statusesOf } from "./modules.ts";

// An order's delivery, as its module tells of it: `delivery.data`.

export const typeOf = ({ delivery }: Entry): unknown => (delivery as Entry | undefined)?.code;
export const dataOf = ({ delivery }: Entry): Entry => ((delivery as Entry | undefined)?.data ?? {}) as Entry;
/** The module's own id of it, once it has told it. */
export const deliveryIdOf = (order: Entry): unknown => dataOf(order).externalId;

/** Keeps it. Unlike other writes, this calls no module. */
export function learn({ gateway: { world }, now, by }: Writing, order: Entry, data: Entry): void {
  const learned = merged(order, { delivery: { data } });
  world.tables.orders.put(learned);
  tell(world, "orders", now, by, ORDER_TOLD, learned, order);
}

/** A status with what is known of it; an unknown time or comment takes the old one away. */
export const statusIn = (module: Module, status: string, statusDate?: string, statusComment?: string): Entry => ({
  status,
  statusText: statusesOf(module).find(({ code }) => code === status)?.name,
  statusDate,
  statusComment,
});

/** PHP writes an empty object as a list. */
export const extraDataIn = (given: unknown): Entry => (given && !Array.isArray(given) ? { extraData: given } : {});

/** Of a delivery that its module has deleted. */
export const NOTHING: Entry = Object.fromEntries(
  ["externalId", "trackNumber", "status", "statusText", "statusDate", "statusComment", "cost"].map((field) => [
    field,
    undefined,
  ]),
);
