import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { World } from "../world.ts";
import { nameOf } from "./customers/customer.ts";
import { containing, type ListFilters } from "./listing.ts";
import { orderNamed } from "./orders/named.ts";
import type { Entry } from "./records.ts";
import { equal, period, within } from "./resource/filters.ts";
import { create, edit, type Resource, recordBy, type Writing } from "./resource/resource.ts";
import { historyRoute, listRoute, writingOf } from "./resource/routes.ts";
import { recordIn } from "./resource/table.ts";
import { shownBy } from "./resource/writable.ts";
import { BLANK, checkUser, demand, entityFault, merged } from "./writing.ts";

/** A task of an agent, about a customer or an order. Those that the API creates have no creator. */
export const TASK: Resource = {
  path: "tasks",
  table: "tasks",
  one: "task",
  many: "tasks",
  schema: "Task",
  indexed: { ids: "id" },
  filters: ({ world }): ListFilters<Entry> => ({
    ...equal({ ids: "id", performers: "performer", creators: "creator", orderNumber: "order.number" }),
    ...within({ text: "text" }),
    ...period("date", "datetime"),
    ...period("createdAt", "createdAt"),
    ...period("completedAt", "completedAt"),
    status:
      ([status]) =>
      ({ complete }) =>
        complete === (status === "completed"),
    customer: containing(({ customer }) => nameOf(customerBy(world, (customer as Reference | undefined)?.id))),
  }),
  apply,
  shown: (_, entry) => shownBy("Task", entry),
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

type Reference = { id?: number; externalId?: string };

const customerBy = ({ tables: { customers, corporate } }: World, id: unknown): Entry =>
  customers.rows.get(Number(id)) ?? corporate.rows.get(Number(id)) ?? {};

/** Throws a Refusal. */
function apply({ gateway: { world }, now, by }: Writing, change: Entry, { site: _, ...before }: Entry): Entry {
  const { performerId = before.performer, customer, order, ...fields } = change;
  const creator = by.source === "user" && { creator: by.user };
  const task = merged({ complete: false, performerType: "user", ...creator, ...before }, fields);
  demand("task", { ...task, performerId }, { text: BLANK, performerId: BLANK });
  checkUser(world, "task", performerId, "performerId");
  return {
    ...task,
    performer: performerId,
    ...(customer !== undefined && { customer: customerOf(world, customer as Reference) }),
    ...(order !== undefined && { order: orderOf(world, order) }),
    completedAt: task.complete ? (before.completedAt ?? now) : undefined,
  };
}

/** A customer, corporate or not. */
function customerOf({ tables: { customers, corporate } }: World, given: Reference): Entry {
  const names = { id: given.id, externalId: given.externalId };
  const known = recordIn(customers, names) ?? recordIn(corporate, names);
  if (!known) throw entityFault("task", "customer", "This value is not valid.");
  const { type, id, externalId } = known;
  return { type, id, ...(externalId !== undefined && { externalId }) };
}

function orderOf(world: World, given: unknown): Entry {
  const known = orderNamed(world, given as Entry);
  if (!known) throw entityFault("task", "order", "This value is not valid.");
  const { id, number } = known;
  return { id, number };
}

export function taskRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { rows } = gateway.world.tables.tasks;
  const taskBy = (id: string) => recordBy(gateway, "tasks", id, { by: "id" });
  const given = (body: unknown) => (body as { task: Entry }).task;
  const shown = (task: Entry) => TASK.shown(gateway, task);
  historyRoute(site, gateway, "tasks", {
    history: "tasks",
    one: "task",
    by: "task",
    record: (id) => rows.get(id),
    named: ({ id }) => ({ id }),
    whole: shown,
  });
  listRoute(site, gateway, TASK);
  site.post("/api/v5/tasks/create", (c) => {
    const { id } = create(TASK, writingOf(c, gateway), given(bodyOf(c)));
    return c.json({ success: true, id }, 201);
  });
  site.get("/api/v5/tasks/:id", (c) => c.json({ success: true, task: shown(taskBy(c.req.param("id"))) }));
  site.post("/api/v5/tasks/:id/edit", (c) => {
    edit(TASK, writingOf(c, gateway), taskBy(c.req.param("id")), given(bodyOf(c)));
    return c.json({ success: true });
  });
}
