import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { keep, writingBy } from "../resource/resource.ts";
import { TASK } from "./task.ts";

/** Tasks about a customer or an order that goes are then about another. */
export function moveTasks(gateway: Gateway, about: "customer" | "order", from: Entry, into: Entry): void {
  const { rows, having } = gateway.world.tables.tasks;
  const writing = writingBy(gateway, { source: "combine" });
  for (const id of having(`${about}.id`, from.id)) {
    const task = rows.get(id) as Entry;
    keep(TASK, writing, { ...task, [about]: { ...(task[about] as Entry), id: into.id } }, task);
  }
}
