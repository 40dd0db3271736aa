import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { nameOf } from "../customers/customer.ts";
import { containing, type ListFilters, oneOf } from "../listing.ts";
import { orderNamed } from "../orders/named.ts";
import { type Entry, idOf, picked } from "../records.ts";
import { equal, period, within } from "../resource/filters.ts";
import type { Resource, Writing } from "../resource/resource.ts";
import { recordIn } from "../resource/table.ts";
import { shownBy } from "../resource/writable.ts";
import { BLANK, checkUser, demand, entityFault, merged } from "../writing.ts";

/** A task of an agent, about a customer or an order. Those that the API creates have no creator. */
export const TASK: Resource = {
  path: "tasks",
  table: "tasks",
  byId: true,
  one: "task",
  many: "tasks",
  schema: "Task",
  indexed: { ids: "id" },
  filters: ({ world }): ListFilters<Entry> => ({
    ...equal({ ids: "id", performers: "performer", creators: "creator" }),
    orderNumber: oneOf((task) => orderIn(world, task)?.number),
    ...within({ text: "text" }),
    ...period("date", "datetime"),
    ...period("createdAt", "createdAt"),
    ...period("completedAt", "completedAt"),
    status:
      ([status]) =>
      ({ complete }) =>
        complete === (status === "completed"),
    customer: containing((task) => nameOf(customerIn(world, task) ?? {})),
  }),
  apply,
  shown,
  answer: (_, { id }, call) => (call === "create" ? { id } : {}),
  history: {
    name: "tasks",
    created: "id",
    fields: [
      "text",
      "commentary",
      "datetime",
      "complete",
      "phone",
      { path: "performer", name: "performer", as: "id" },
      { path: "customer.id", name: "customer", as: "id" },
      { path: "order.id", name: "order", as: "id" },
    ],
  },
};

const customerIn = ({ tables: { customers, corporate } }: World, { customer }: Entry): Entry | undefined =>
  customers.rows.get(idOf(customer)) ?? corporate.rows.get(idOf(customer));
const orderIn = ({ tables: { orders } }: World, { order }: Entry): Entry | undefined => orders.rows.get(idOf(order));

/** With the names of its customer and its order as they are now. */
function shown({ world }: Gateway, task: Entry): Entry {
  const [customer, order] = [customerIn(world, task), orderIn(world, task)];
  return {
    ...shownBy("Task", task),
    ...(customer && { customer: picked(customer, ["type", "id", "externalId", "site"]) }),
    ...(order && { order: picked(order, ["id", "number", "externalId", "site"]) }),
  };
}

/** Throws a Refusal. */
function apply({ gateway: { world }, now, by, site }: Writing, change: Entry, { site: _, ...before }: Entry): Entry {
  const { performerId = before.performer, customer, order, ...fields } = change;
  const creator = by.source === "user" && { creator: by.user };
  const task = merged({ complete: false, performerType: "user", ...creator, ...before }, fields);
  demand("task", { ...task, performerId }, { text: BLANK, performerId: BLANK });
  checkUser(world, "task", performerId, "performerId");
  return {
    ...task,
    performer: performerId,
    ...(customer !== undefined && { customer: customerOf(world, customer as Entry, site) }),
    ...(order !== undefined && { order: orderOf(world, order as Entry, site) }),
    completedAt: task.complete ? (before.completedAt ?? now) : undefined,
  };
}

/** A customer, corporate or not. Throws a Refusal. */
function customerOf({ tables: { customers, corporate } }: World, given: Entry, own: string): Entry {
  const known = recordIn(customers, given, own) ?? recordIn(corporate, given, own);
  if (!known) throw entityFault("task", "customer", "This value is not valid.");
  return { type: known.type, id: known.id };
}

/** Throws a Refusal. */
function orderOf(world: World, given: Entry, own: string): Entry {
  const known = orderNamed(world, given, own);
  if (!known) throw entityFault("task", "order", "This value is not valid.");
  return { id: known.id };
}
