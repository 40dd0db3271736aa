import { isDeepStrictEqual } from "node:util";
import type { Context } from "hono";
import type { Env } from "../../exchange.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { type ListFilters, listed, notAfter, notBefore, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { apiKeyOf } from "./actor.ts";
import type { Actor, Change } from "./change.ts";
import { type Read, reading } from "./reading.ts";

export type FieldChange = Pick<Change, "field" | "oldValue" | "newValue" | "created" | "deleted" | "more">;

/** What a history tells of a kind of record. */
export interface Told {
  /** The field that tells of the creation. */
  created: string | Naming;
  /** Paths of fields, told in snake case, or fields that name other records. */
  fields: readonly (string | Naming)[];
  /** Parts of a record with entries of their own. */
  parts?(before: Entry, after: Entry): FieldChange[];
}

/** A field that names another record, told as `{code}` or `{id}`, or has a name of its own. */
export interface Naming {
  path: string;
  name: string;
  /** Absent: as it is. */
  as?: "code" | "id";
}

/** Adds what differs between two states of a record. */
export function tell(world: World, history: string, now: string, by: Actor, told: Told, after: Entry, before?: Entry) {
  record(world, history, now, by, Number(after.id), changesBetween(told, after, before));
}

/** Without an earlier state: the creation. */
export const changesBetween = (told: Told, after: Entry, before?: Entry): FieldChange[] =>
  before ? differences(told, before, after) : [creation(told, after)];

export function record(world: World, history: string, now: string, by: Actor, of: number, changes: FieldChange[]) {
  const entries = world.histories.get(history) ?? [];
  const { length } = entries;
  world.journal.note(() => void entries.splice(length));
  for (const change of changes) entries.push({ id: world.nextId(), createdAt: now, by, of, ...change });
  world.histories.set(history, entries);
}

function creation({ created }: Told, after: Entry): FieldChange {
  const { name, read, told } = tellingOf(created);
  return { field: name, oldValue: null, newValue: told(read(after) ?? null), created: true };
}

function differences({ fields, parts }: Told, before: Entry, after: Entry): FieldChange[] {
  return [...fieldsChanged(fields, before, after), ...(parts?.(before, after) ?? [])];
}

/** Of the told fields, and of custom ones. */
export function fieldsChanged(fields: Told["fields"], before: Entry, after: Entry): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const { name, read, told } of tellingsOf(fields)) {
    const [old, now] = [read(before) ?? null, read(after) ?? null];
    if (differ(old, now)) changes.push({ field: name, oldValue: told(old), newValue: told(now) });
  }
  return before.customFields === after.customFields ? changes : [...changes, ...customFields(before, after)];
}

const differ = (old: unknown, now: unknown): boolean => old !== now && !isDeepStrictEqual(old, now);

/** How a field is told. */
interface Telling {
  name: string;
  read: Read;
  told(value: unknown): unknown;
}

function tellingOf(field: string | Naming): Telling {
  const { path, name, as }: Naming = typeof field === "string" ? { path: field, name: toldName(field) } : field;
  return { name, read: reading(path), told: (value) => (as && value !== null ? { [as]: value } : value) };
}

/** Made once: each write tells its fields. */
const TELLINGS = new WeakMap<Told["fields"], Telling[]>();

function tellingsOf(fields: Told["fields"]): Telling[] {
  const known = TELLINGS.get(fields) ?? fields.map(tellingOf);
  TELLINGS.set(fields, known);
  return known;
}

function customFields(before: Entry, after: Entry): FieldChange[] {
  const [old, now] = [before.customFields ?? {}, after.customFields ?? {}] as [Entry, Entry];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((code) => {
    const [oldValue, newValue] = [old[code] ?? null, now[code] ?? null];
    return differ(oldValue, newValue) ? [{ field: `custom_${code}`, oldValue, newValue }] : [];
  });
}

/** `contragent.INN` is told as `contragent.inn`. */
export const toldName = (path: string) => path.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();

export interface HistoryList {
  history: string;
  /** The answer's field with the changed record. */
  one: string;
  /** Prefix of the filters by the record: `customer` for `customerId` and `customerExternalId`. */
  by: string;
  /** The changed record; undefined: it is gone. */
  record(id: number): Entry | undefined;
  /** As an entry names it. */
  named(record: Entry): Entry;
  /** As the entry of its creation shows it. */
  whole(record: Entry): Entry;
  /** Further filters. */
  filters?: ListFilters<Change>;
}

/** `sinceId` walks a history without its pages. */
export function historyListed(c: Context<Env>, world: World, now: string, list: HistoryList): Response {
  if (c.req.query("page") && c.req.query("filter[sinceId]"))
    throw new Refusal(400, "?page does not go with filter[sinceId]", "history pages by sinceId or by page");
  const entries = world.histories.get(list.history) ?? [];
  const since = Number(c.req.query("filter[sinceId]") ?? 0);
  return listed(c, {
    name: "history",
    entries: entries.slice(firstAfter(entries, since)),
    supported: {
      sinceId: () => () => true,
      startDate: notBefore(({ createdAt }) => createdAt),
      endDate: notAfter(({ createdAt }) => createdAt),
      [`${list.by}Id`]: oneOf(({ of }) => of),
      [`${list.by}ExternalId`]: oneOf(({ of }) => list.record(of)?.externalId),
      ...list.filters,
    },
    shown: (change) => toldAs(change, list, apiKeyOf(c)),
    more: { generatedAt: now },
  });
}

function toldAs(change: Change, { one, record, named, whole }: HistoryList, key: string): Entry {
  const known = record(change.of);
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
    [one]: known ? (created ? whole : named)(known) : { id: change.of },
    ...more,
  };
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
