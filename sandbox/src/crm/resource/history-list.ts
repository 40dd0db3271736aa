import type { Context, Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
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
  const changed = recordsOf(world, resource, entries);
  return listed(c, {
    name: "history",
    entries: entries.slice(firstAfter(entries, since)),
    supported: {
      sinceId: () => () => true,
      startDate: notBefore(({ createdAt }) => createdAt),
      endDate: notAfter(({ createdAt }) => createdAt),
      [`${by}Id`]: oneOf(({ of }) => of),
      [`${by}ExternalId`]: oneOf(({ of }) => changed(of)?.externalId),
      ...history.filters?.(gateway, changed),
    },
    shown: (change) => told(gateway, resource, change, changed(change.of), apiKeyOf(c)),
    more: { generatedAt: crmTime(clock.now()) },
  });
}

/** Finds changed records as they are now, and those that are gone as they were. */
function recordsOf(world: World, { table, history }: Resource, entries: readonly Change[]) {
  let gone: Map<number, Entry | undefined> | undefined;
  return (id: number): Entry | undefined => {
    const known = history?.record ? history.record(world, id) : world.tables[table].rows.get(id);
    if (known) return known;
    gone ??= new Map(entries.flatMap(({ of, deleted, was }) => (deleted ? [[of, was]] : [])));
    return gone.get(id);
  };
}

function told(gateway: Gateway, resource: Resource, change: Change, record: Entry | undefined, key: string): Entry {
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
    [resource.history?.one?.(gateway) ?? resource.one]: recordShown(gateway, resource, change, record),
    ...(more && (resource.history?.more?.(gateway, more) ?? more)),
  };
}

/** Recorded: whole, as it was, where it is created or deleted. */
function recordShown(gateway: Gateway, resource: Resource, change: Change, record: Entry | undefined): Entry {
  const { of, created, deleted, was = record } = change;
  const { named = byId, whole = resource.shown, gone = whole } = resource.history ?? {};
  if (!was || !record) return { id: of };
  if (created) return whole(gateway, was);
  return deleted ? gone(gateway, was) : named(gateway, record);
}

const byId = (_: Gateway, { id }: Entry): Entry => ({ id });

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
