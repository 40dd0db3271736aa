import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import type { ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import { defaultShop } from "../reference/defaults.ts";
import { refuseRemoved } from "../removed.ts";
import type { TableName } from "../tables.ts";
import { crmTime } from "../times.ts";
import { entityFault, unknownCode } from "../writing.ts";
import type { Actor } from "./change.ts";
import { deletion, type History, record, tell } from "./history.ts";
import { takes, written } from "./writable.ts";

/** Who writes, when, and in which shop. */
export interface Writing {
  gateway: Gateway;
  now: string;
  by: Actor;
  site: string;
}

/** What the API does with one record. */
export type Call = "create" | "get" | "edit" | "delete";

/** A kind of record: a description, served by `resourceRoutes`. */
export interface Resource {
  /** Below `/api/v5/`. */
  path: string;
  table: TableName;
  /** Absent: all but `delete`. */
  calls?: readonly Call[];
  /** Its records are named by id alone. Absent: by externalId, or by id with `by=id`. */
  byId?: true;
  /** Refusals of an id of no record. Absent: 404 `Not found`. */
  unknown?: Partial<Record<Call, (key: string) => Refusal>>;
  /** The form's field and the answer's. */
  one: string;
  /** The field of the list's answer. */
  many: string;
  /** The contract's schema: it tells the fields that the API writes. */
  schema: string;
  filters(gateway: Gateway): ListFilters<Entry>;
  /** Fields taken whole, whatever direction the contract gives their parts: references, and collections of parts. */
  taken?: readonly string[];
  /** Form fields beside the record's own that a write takes as fields of the record. */
  beside?: readonly string[];
  /** The CRM's words for an externalId of another record. */
  exists?: string;
  /** Filters that need no scan: with the field of the table's index, or with what finds the ids. */
  indexed: Record<string, string | ((world: World, values: readonly string[]) => readonly number[])>;
  /** The record after a write. `change` holds writable fields only. Throws a Refusal. */
  apply(writing: Writing, change: Entry, before: Entry): Entry;
  /** Carries a write on to other records, after it is kept. */
  after?(writing: Writing, entry: Entry, before?: Entry): void;
  shown(gateway: Gateway, entry: Entry): Entry;
  /** What creating and editing answer beside `success`. Absent: the id. */
  answer?(gateway: Gateway, entry: Entry, call: Call): Entry;
  history?: History;
}

/** A write in the name of `by`. */
export const writingBy = (gateway: Gateway, by: Actor, site = ""): Writing => ({
  gateway,
  now: crmTime(gateway.clock.now()),
  by,
  site: siteFor(gateway, site),
});

/** The shop that a new record belongs to. Throws a Refusal. */
function siteFor({ world }: Gateway, site: string): string {
  if (site && !world.dictionaries.get("sites")?.has(site)) throw unknownCode("site", "site", "Site", site);
  return site || defaultShop(world);
}

/** Adds a record. Throws a Refusal, and then has changed nothing. */
export function create(resource: Resource, writing: Writing, given: Entry): Entry {
  const { gateway, now, site } = writing;
  const change = changeIn(resource, writing, given);
  if (Object.keys(change).length === 0 && takes(resource.schema, "externalId"))
    throw new Refusal(400, `Parameter 'externalId' in '${resource.one}' is missing`, "a new record has fields");
  mustBeFree(resource, writing, change);
  const id = gateway.world.nextId();
  return kept(resource, writing, change, { id, createdAt: now, site });
}

/** Changes a record. Throws a Refusal, and then has changed nothing. */
export function edit(resource: Resource, writing: Writing, before: Entry, given: Entry): Entry {
  const change = changeIn(resource, writing, given);
  mustBeFree(resource, writing, change, before);
  return kept(resource, writing, change, before, before);
}

/** What is to be written of a given record. Its id stays, whatever the contract says of the field. Throws a Refusal. */
function changeIn({ one, schema, taken = [] }: Resource, { gateway }: Writing, given: Entry): Entry {
  if (gateway.unknowns().removedFields === "refuse") refuseRemoved(one, given);
  const { id: _, ...fields } = written(schema, given);
  return {
    ...fields,
    ...Object.fromEntries(taken.flatMap((field) => (field in given ? [[field, given[field]]] : []))),
  };
}

const kept = (resource: Resource, writing: Writing, change: Entry, begun: Entry, before?: Entry): Entry =>
  writing.gateway.world.journal.whole(() => keep(resource, writing, resource.apply(writing, change, begun), before));

/** Keeps a record's new state, and tells of the change. */
export function keep(resource: Resource, writing: Writing, entry: Entry, before?: Entry): Entry {
  const { gateway, now, by } = writing;
  const { history } = resource;
  gateway.world.tables[resource.table].put(entry);
  if (history) tell(gateway.world, history.name, now, by, history, entry, before);
  resource.after?.(writing, entry, before);
  return entry;
}

/** Deletes a record. `more`: further fields of the history's entry. */
export function remove({ table, history }: Resource, writing: Writing, entry: Entry, more?: Entry): void {
  const { gateway, now, by } = writing;
  const id = Number(entry.id);
  gateway.world.tables[table].remove(id);
  if (history) record(gateway.world, history.name, now, by, id, [deletion(history, entry, more)]);
}

/** Takes a record away in favour of the one that it was combined into; its names then lead there. */
export function supersede(resource: Resource, writing: Writing, entry: Entry, into: number): void {
  const { table } = resource;
  const { combined } = writing.gateway.world;
  remove(resource, writing, entry, { combinedTo: { id: into } });
  combined.set(`${table}/${entry.id}`, into);
  if (entry.externalId) combined.set(`${table}/externalId/${entry.externalId}`, into);
}

const USED = "This value is already used.";

/** An externalId names one record of a shop. */
function mustBeFree({ table, one, exists }: Resource, { gateway, site }: Writing, change: Entry, before?: Entry): void {
  const { externalId } = change;
  if (!externalId || namesakes(gateway, table, { id: before?.id, site: before?.site ?? site, externalId }).length === 0)
    return;
  if (exists) throw new Refusal(400, exists, "the externalId is free");
  throw entityFault(one, "externalId", USED);
}

/** The ids of the shop's other records that have the externalId. */
function namesakes({ world }: Gateway, table: TableName, { id: own, site, externalId }: Entry): number[] {
  const { rows, having } = world.tables[table];
  return having("externalId", externalId).filter((id) => id !== own && rows.get(id)?.site === site);
}

/** Gives records their externalIds: all of them, or none. Throws a Refusal. */
export function rename(resource: Resource, writing: Writing, entries: Entry[]): void {
  const { table, many } = resource;
  const ids = new Set(entries.map(({ id }) => id));
  for (const [n, { id, site, externalId }] of entries.entries()) {
    const others = namesakes(writing.gateway, table, { id, site, externalId }).filter((other) => !ids.has(other));
    const isSame = (each: Entry) => each.site === site && each.externalId === externalId;
    const isTwice = externalId !== undefined && entries.slice(0, n).some(isSame);
    if (isTwice || others.length > 0) throw entityFault(many, `${n}.externalId`, USED);
  }
  const { rows } = writing.gateway.world.tables[table];
  for (const entry of entries) keep(resource, writing, entry, rows.get(Number(entry.id)));
}

export interface Reference {
  by?: string;
  site?: string;
}

/** By externalId, or by id with `by=id`. Throws a Refusal with 404, which says what the record was combined to. */
export function recordBy({ world }: Gateway, table: TableName, key: string, { by, site }: Reference): Entry {
  const { rows, having } = world.tables[table];
  const ids = by === "id" ? [Number(key)] : having("externalId", key);
  const entry = ids.map((id) => rows.get(id)).find((each) => each && (!site || each.site === site));
  if (entry) return entry;
  const into = world.combined.get(`${table}/${by === "id" ? key : `externalId/${key}`}`);
  throw new Refusal(404, "Not found", "the record exists", into === undefined ? {} : { combinedTo: { id: into } });
}
