import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { plainQuery } from "../../normalize.ts";
import { Refusal } from "../../refusal.ts";
import { askedFilters, listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { actorOf } from "./actor.ts";
import { historyRoute } from "./history-list.ts";
import type { Searched } from "./match.ts";
import {
  type Call,
  create,
  edit,
  type Reference,
  type Resource,
  recordBy,
  remove,
  rename,
  type Writing,
  writingBy,
} from "./resource.ts";

type Body = Reference & Record<string, unknown>;

export const writingOf = (c: Context<Env>, gateway: Gateway): Writing =>
  writingBy(gateway, actorOf(c), bodyOf<Body>(c).site);

/** Serves a resource: its history, its list, and its calls. */
export function resourceRoutes(site: Hono<Env>, gateway: Gateway, resource: Resource): void {
  historyRoute(site, gateway, resource);
  listRoute(site, gateway, resource);
  for (const call of resource.calls ?? ORDINARY) CALLS[call](site, gateway, resource);
}

const ORDINARY: readonly Call[] = ["create", "get", "edit"];
const CALLS: Record<Call, (site: Hono<Env>, gateway: Gateway, resource: Resource) => void> = {
  create(site, gateway, resource) {
    site.post(`/api/v5/${resource.path}/create`, (c) => {
      const entry = create(resource, writingOf(c, gateway), givenIn(c, resource));
      return c.json({ success: true, ...answerOf(gateway, resource, entry, "create") }, 201);
    });
  },
  get(site, gateway, resource) {
    site.get(`/api/v5/${resource.path}/:key`, (c) => {
      const reference = { by: c.req.query("by"), site: c.req.query("site") };
      const entry = named(c, gateway, resource, "get", reference);
      return c.json({ success: true, [resource.one]: resource.shown(gateway, entry) });
    });
  },
  edit(site, gateway, resource) {
    site.post(`/api/v5/${resource.path}/:key/edit`, (c) => {
      const before = named(c, gateway, resource, "edit", bodyOf<Body>(c));
      const entry = edit(resource, writingOf(c, gateway), before, givenIn(c, resource));
      return c.json({ success: true, ...answerOf(gateway, resource, entry, "edit") });
    });
  },
  delete(site, gateway, resource) {
    site.post(`/api/v5/${resource.path}/:key/delete`, (c) => {
      const entry = named(c, gateway, resource, "delete", {});
      remove(resource, writingOf(c, gateway), entry);
      return c.json({ success: true });
    });
  },
};

function givenIn(c: Context<Env>, { one, beside = [] }: Resource): Entry {
  const body = bodyOf<Body>(c);
  return { ...(body[one] as Entry), ...Object.fromEntries(beside.map((field) => [field, body[field]])) };
}

/** Throws a Refusal. */
function named(c: Context<Env>, gateway: Gateway, resource: Resource, call: Call, reference: Reference): Entry {
  const { table, byId, unknown } = resource;
  const key = c.req.param("key") ?? "";
  if (!byId) return recordBy(gateway, table, key, reference);
  const refusal = unknown?.[call];
  if (refusal && !gateway.world.tables[table].rows.has(Number(key))) throw refusal(key);
  return recordBy(gateway, table, key, { by: "id" });
}

const answerOf = (gateway: Gateway, { answer }: Resource, entry: Entry, call: Call): Entry =>
  answer ? answer(gateway, entry, call) : { id: entry.id };

export function listRoute(site: Hono<Env>, gateway: Gateway, resource: Resource): void {
  const shown = (entry: Entry) => resource.shown(gateway, entry);
  site.get(`/api/v5/${resource.path}`, (c) =>
    listed(c, {
      name: resource.many,
      entries: candidates(c, gateway, resource),
      supported: resource.filters(gateway),
      shown,
    }),
  );
}

/** What an index finds, else all. */
function candidates(
  c: Context<Env>,
  { world }: Gateway,
  { table, indexed }: Resource,
): Iterable<Entry> | Searched<Entry> {
  const { rows, having } = world.tables[table];
  for (const [filter, { values }] of askedFilters(plainQuery(new URL(c.req.url).searchParams))) {
    const field = indexed[filter];
    if (!field) continue;
    const named = (value: string) => (field === "id" ? [Number(value)] : having(String(field), value));
    const ids = typeof field === "function" ? field(world, values) : values.flatMap(named);
    return [...new Set(ids)]
      .sort((one, other) => one - other)
      .map((id) => rows.get(id))
      .filter((entry) => entry !== undefined);
  }
  return world.tables[table];
}

/** Gives records, named by id, their externalIds. */
export function fixExternalIdsRoute(site: Hono<Env>, gateway: Gateway, resource: Resource): void {
  const { path, many, table } = resource;
  site.post(`/api/v5/${path}/fix-external-ids`, (c) => {
    const rows = bodyOf<Record<string, { id?: number; externalId?: string }[]>>(c)[many] ?? [];
    if (rows.some(({ id }) => !Number.isInteger(id)))
      throw new Refusal(400, `/${many}/0/id must be integer`, "rows have ids");
    const entries = rows.map(({ id, externalId }) => ({
      ...recordBy(gateway, table, String(id), { by: "id" }),
      externalId,
    }));
    rename(resource, writingOf(c, gateway), entries);
    return c.json({ success: true });
  });
}
