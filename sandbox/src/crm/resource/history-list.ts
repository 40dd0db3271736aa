import type { Context, Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { listed, notAfter, notBefore, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { crmTime } from "../times.ts";
import { apiKeyOf } from "./actor.ts";
import type { Change } from "./change.ts";
import type { History } from "./history.ts";
import type { Resource } from "./resource.ts";

/** Serves a resource's history, if it has one. */
export function historyRoute(site: Hono<Env>, gateway: Gateway, resource: Resource): void {
  const { path, history } = resource;
  if (history) site.get(`/api/v5/${path}/history`, (c) => historyListed(c, gateway, resource, history));
}

/** `sinceId` walks a history without its pages. */
function historyListed(c: Context<Env>, gateway: Gateway, resource: Resource, history: History): Response {
  if (c.req.query("page") && c.req.query("filter[sinceId]"))
    throw new Refusal(400, "?page does not go with filter[sinceId]", "history pages by sinceId or by page");
  const { world, clock } = gateway;
  const entries = world.histories.get(history.name) ?? [];
  const since = Number(c.req.query("filter[sinceId]") ?? 0);
  const by = history.by ?? resource.one;
  return listed(c, {
    name: "history",
    entries: entries.slice(firstAfter(entries, since)),
    supported: {
      sinceId: () => () => true,
      startDate: notBefore(({ createdAt }) => createdAt),
      endDate: notAfter(({ createdAt }) => createdAt),
      [`${by}Id`]: oneOf(({ of }) => of),
      [`${by}ExternalId`]: oneOf(({ of }) => changed(gateway, resource, of)?.externalId),
      ...history.filters?.(gateway),
    },
    shown: (change) => told(gateway, resource, change, apiKeyOf(c)),
    more: { generatedAt: crmTime(clock.now()) },
  });
}

function changed({ world }: Gateway, { table, history }: Resource, id: number): Entry | undefined {
  return history?.record ? history.record(world, id) : world.tables[table].rows.get(id);
}

function told(gateway: Gateway, resource: Resource, change: Change, key: string): Entry {
  const { id, createdAt, by, field, oldValue, newValue, created, deleted, more } = change;
  return {
    id,
    createdAt,
    ...(created && { created }),
    ...(deleted && { deleted }),
    source: by.source,
    ...(by.source === "user" && { user: { id: by.user } }),
    ...(by.source === "api" && { apiKey: { current: by.key === key } }),
    field,
    oldValue,
    newValue,
    [resource.history?.one?.(gateway) ?? resource.one]: recordOf(gateway, resource, change),
    ...more,
  };
}

function recordOf(gateway: Gateway, resource: Resource, { of, created }: Change): Entry {
  const entry = changed(gateway, resource, of);
  if (!entry) return { id: of };
  const { named = ({ id }: Entry) => ({ id }), whole = resource.shown } = resource.history ?? {};
  return created ? whole(gateway, entry) : named(entry);
}

/** Ids ascend. */
function firstAfter(entries: readonly Change[], since: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.id ?? 0) <= since) low = middle + 1;
    else high = middle;
  }
  return low;
}
