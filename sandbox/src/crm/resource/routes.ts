import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { plainQuery } from "../../normalize.ts";
import { Refusal } from "../../refusal.ts";
import { worded } from "../errors.ts";
import { askedFilters, listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { crmTime } from "../times.ts";
import { actorOf } from "./actor.ts";
import { type HistoryList, historyListed } from "./history.ts";
import { create, edit, type Reference, type Resource, recordBy, rename, type Writing, writingBy } from "./resource.ts";

type Body = Reference & Record<string, unknown>;

export const writingOf = (c: Context<Env>, gateway: Gateway): Writing =>
  writingBy(gateway, actorOf(c), bodyOf<Body>(c).site);

/** The list, creating, reading and editing. `answer` adds to what a write answers. */
export function resourceRoutes(
  site: Hono<Env>,
  gateway: Gateway,
  resource: Resource,
  answer: (entry: Entry) => Entry = () => ({}),
): void {
  const { path, one, table } = resource;
  const root = `/api/v5/${path}`;
  const given = (c: Context<Env>) => bodyOf<Body>(c)[one] as Entry;
  const named = (c: Context<Env>, reference: Reference) =>
    recordBy(gateway, table, c.req.param("key") ?? "", reference);
  const shown = (entry: Entry) => resource.shown(gateway, entry);
  listRoute(site, gateway, resource);
  site.post(`${root}/create`, (c) => {
    const entry = create(resource, writingOf(c, gateway), given(c));
    return c.json({ success: true, id: entry.id, ...answer(entry) }, 201);
  });
  site.get(`${root}/:key`, (c) => {
    const reference = { by: c.req.query("by"), site: c.req.query("site") };
    return c.json({ success: true, [one]: shown(named(c, reference)) });
  });
  site.post(`${root}/:key/edit`, (c) => {
    const entry = edit(resource, writingOf(c, gateway), named(c, bodyOf<Body>(c)), given(c));
    return c.json({ success: true, id: entry.id, ...answer(entry) });
  });
}

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
function candidates(c: Context<Env>, { world }: Gateway, { table, indexed }: Resource): Iterable<Entry> {
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
  return rows.values();
}

export function historyRoute(site: Hono<Env>, gateway: Gateway, path: string, list: HistoryList): void {
  site.get(`/api/v5/${path}/history`, (c) => historyListed(c, gateway.world, crmTime(gateway.clock.now()), list));
}

export interface Upload {
  /** The form's field. */
  many: string;
  uploaded: string;
  failed: string;
  /** The words for an upload with failures. */
  words: string;
  /** Orders' errors are a list. */
  errors: "map" | "list";
  /** Adds to the answer. */
  answer?(entries: Entry[], writing: Writing): Entry;
}

/** Creates records, each on its own: those that are refused leave the others be. */
export function uploadRoute(site: Hono<Env>, gateway: Gateway, resource: Resource, upload: Upload): void {
  site.post(`/api/v5/${resource.path}/upload`, (c) => {
    const writing = writingOf(c, gateway);
    const errors: Fault[] = [];
    const entries: Entry[] = [];
    const failed: Entry[] = [];
    for (const given of bodyOf<Body>(c)[upload.many] as Entry[])
      try {
        entries.push(create(resource, writing, given));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        failed.push(given.externalId === undefined ? {} : { externalId: given.externalId });
        errors.push(...faultsOf(resource, error));
      }
    const rows = entries.map(({ id, externalId }) => ({ id, ...(externalId !== undefined && { externalId }) }));
    const body = { [upload.uploaded]: rows, [upload.failed]: failed, ...upload.answer?.(entries, writing) };
    if (failed.length === 0) return c.json({ success: true, ...body });
    const told = upload.errors === "map" ? Object.fromEntries(errors) : errors.map(inWords);
    return c.json({ success: false, errorMsg: upload.words, errors: told, ...body }, 460 as 400);
  });
}

type Fault = [field: string, words: string];

/** Errors without a field are the record's. */
function faultsOf({ one }: Resource, { message, more }: Refusal): Fault[] {
  const { errors, errorMsg } = { ...worded(message), ...more };
  if (Array.isArray(errors)) return errors.map((words) => [one, words]);
  return errors ? Object.entries(errors) : [[one, errorMsg]];
}

const inWords = ([field, words]: Fault) => `${field}: ${words}`;

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
