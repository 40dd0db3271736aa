import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { World } from "../world.ts";
import { nameOf } from "./customers/customer.ts";
import { containing, from, type ListFilters, listed, msOf, oneOf, upTo } from "./listing.ts";
import { ORDERS } from "./orders/demo.ts";
import { crmTime } from "./people.ts";
import { type Entry, found } from "./records.ts";
import { BLANK, demand, entityFault, merged } from "./writing.ts";

// Tasks of agents, about a customer or an order. Those that the API creates have no creator.

type Reference = { id?: number; externalId?: string; number?: string };

const time = (field: string) => (task: Entry) => msOf(task[field] as string | undefined);
const within = (name: string, field: string): ListFilters<Entry> => ({
  [`${name}From`]: from(time(field)),
  [`${name}To`]: upTo(time(field)),
});

const filtersOf = (customerName: (customerId: unknown) => string): ListFilters<Entry> => ({
  ids: oneOf(({ id }) => id),
  text: containing(({ text }) => String(text)),
  status:
    ([status]) =>
    ({ complete }) =>
      complete === (status === "completed"),
  performers: oneOf(({ performer }) => performer),
  creators: oneOf(({ creator }) => creator),
  orderNumber: oneOf(({ order }) => (order as Reference | undefined)?.number),
  customer: containing(({ customer }) => customerName((customer as Reference | undefined)?.id)),
  ...within("date", "datetime"),
  ...within("createdAt", "createdAt"),
  ...within("completedAt", "completedAt"),
});

export function taskRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  const customerName = (id: unknown) => nameOf(world.tables.customers.rows.get(Number(id)) ?? {});
  const taskBy = (id: string) => found(world.tasks, id, "the task exists");
  const given = (body: unknown) => (body as { task: Entry }).task;
  site.get("/api/v5/tasks", (c) =>
    listed(c, {
      name: "tasks",
      entries: world.tasks.values(),
      supported: filtersOf(customerName),
      shown: (task) => task,
    }),
  );
  site.post("/api/v5/tasks/create", (c) => {
    const id = world.nextId();
    const now = crmTime(clock.now());
    const task = { id, complete: false, performerType: "user", createdAt: now };
    world.tasks.set(String(id), written(gateway, task, given(bodyOf(c))));
    return c.json({ success: true, id }, 201);
  });
  site.get("/api/v5/tasks/:id", (c) => c.json({ success: true, task: taskBy(c.req.param("id")) }));
  site.post("/api/v5/tasks/:id/edit", (c) => {
    const id = c.req.param("id");
    world.tasks.set(id, written(gateway, taskBy(id), given(bodyOf(c))));
    return c.json({ success: true });
  });
}

/** Fields that the API writes; it ignores the others. */
const WRITTEN = ["text", "commentary", "datetime", "complete", "phone", "phoneSite"];

/** Throws a Refusal. */
function written({ world, clock }: Gateway, before: Entry, change: Entry): Entry {
  const { performerId = before.performer, customer, order } = change;
  const plain = Object.fromEntries(WRITTEN.flatMap((field) => (field in change ? [[field, change[field]]] : [])));
  const task = merged(before, plain);
  demand("task", { ...task, performerId }, { text: BLANK, performerId: BLANK });
  if (![...world.users.values()].some(({ externalId }) => externalId === String(performerId)))
    throw entityFault("task", "performerId", "This value is not valid.");
  return {
    ...task,
    performer: performerId,
    ...(customer !== undefined && { customer: customerOf(world, customer) }),
    ...(order !== undefined && { order: orderOf(order) }),
    completedAt: task.complete ? (before.completedAt ?? crmTime(clock.now())) : undefined,
  };
}

/** A customer, corporate or not. */
function customerOf({ tables: { customers, corporate } }: World, given: unknown): Entry {
  const known = pick("customer", [...customers.rows.values(), ...corporate.rows.values()], given as Reference);
  const { type, id, externalId } = known;
  return { type, id, ...(externalId !== undefined && { externalId }) };
}

function orderOf(given: unknown): Entry {
  const { id, number } = pick("order", ORDERS, given as Reference);
  return { id, number };
}

/** By the first of these that is given. */
const NAMES = ["id", "externalId", "number"] as const;

function pick<T extends { id?: unknown }>(field: string, all: Iterable<T>, given: Reference): T {
  const name = NAMES.find((each) => given[each] !== undefined);
  const known = name && [...all].find((each) => (each as Reference)[name] === given[name]);
  if (!known) throw entityFault("task", field, "This value is not valid.");
  return known;
}
