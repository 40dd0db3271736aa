import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { keep, writingBy } from "../resource/resource.ts";
import { ORDER } from "./order.ts";

/** Orders that are billed to a company become those of another. */
export function moveBills(gateway: Gateway, from: unknown, into: unknown): void {
  const { rows, having } = gateway.world.tables.orders;
  const writing = writingBy(gateway, { source: "combine" });
  for (const id of having("company.id", from)) {
    const order = rows.get(id) as Entry;
    keep(ORDER, writing, { ...order, company: { id: into } }, order);
  }
}

/** Orders of a customer who goes become those of another. */
export function moveOrders(gateway: Gateway, from: Entry, into: Entry): void {
  const { rows, having } = gateway.world.tables.orders;
  const writing = writingBy(gateway, { source: "combine" });
  for (const field of ["customer", "contact"] as const)
    for (const id of having(`${field}.id`, from.id)) {
      const order = rows.get(id) as Entry;
      keep(ORDER, writing, { ...order, [field]: { ...(order[field] as Entry), id: into.id } }, order);
    }
}
