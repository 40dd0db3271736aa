import { isDeepStrictEqual } from "node:util";
import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import type { ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import type { Actor, Change } from "./change.ts";
import { type Read, reading } from "./reading.ts";

export type FieldChange = Pick<Change, "field" | "oldValue" | "newValue" | "created" | "deleted" | "was" | "more">;

/** What a history tells of a kind of record. */
export interface Told {
  /** The field that tells of the creation. */
  created: string | Naming;
  /** Paths of fields, told in snake case, or fields that name other records. */
  fields: readonly (string | Naming)[];
  /** Parts of a record with entries of their own. */
  parts?(before: Entry, after: Entry): FieldChange[];
}

/** The history of a kind of record: what it tells, and how its list names the records. */
export interface History extends Told {
  name: string;
  /** The entries' field with the changed record. Absent: that of the record's form. */
  one?(gateway: Gateway): string;
  /** Prefix of the filters by record: `customer` for `customerId` and `customerExternalId`. Absent: as `one`. */
  by?: string;
  /** The changed record; undefined: it is gone. Absent: that of the table. */
  record?(world: World, id: number): Entry | undefined;
  /** As an entry names it. Absent: by id. */
  named?(gateway: Gateway, entry: Entry): Entry;
  /** As the entry of its creation shows it. Absent: as answers do. */
  whole?(gateway: Gateway, entry: Entry): Entry;
  /** The entry's further fields. Absent: as kept. */
  more?(gateway: Gateway, more: Entry): Entry;
  /** As the entry of its deletion shows it. Absent: as that of its creation. */
  gone?(gateway: Gateway, entry: Entry): Entry;
  /** Further filters. `changed` is a change's record, also one that is gone. */
  filters?(gateway: Gateway, changed: (id: number) => Entry | undefined): ListFilters<Change>;
}

/** A field that names another record, told as `{code}` or `{id}`, or has a name of its own. */
export interface Naming {
  path: string;
  name: string;
  /** Absent: as it is. */
  as?: "code" | "id";
  /** What a record without the field has. */
  absent?: unknown;
  /** Of a list: each value that came or went is told on its own. */
  each?: true;
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
  return { field: name, oldValue: null, newValue: told(read(after) ?? null), created: true, was: after };
}

/** The creation's field, emptied. */
export function deletion({ created }: Told, was: Entry, more?: Entry): FieldChange {
  const { name, read, told } = tellingOf(created);
  return { field: name, oldValue: told(read(was) ?? null), newValue: null, deleted: true, was, more };
}

function differences({ fields, parts }: Told, before: Entry, after: Entry): FieldChange[] {
  return [...fieldsChanged(fields, before, after), ...(parts?.(before, after) ?? [])];
}

/** Of the told fields, and of custom ones. */
export function fieldsChanged(fields: Told["fields"], before: Entry, after: Entry): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const { name, read, told, each } of tellingsOf(fields)) {
    if (each) changes.push(...cameAndWent(name, listOf(read(before)), listOf(read(after))));
    if (each) continue;
    const [old, now] = [read(before) ?? null, read(after) ?? null];
    if (differ(old, now)) changes.push({ field: name, oldValue: told(old), newValue: told(now) });
  }
  return before.customFields === after.customFields ? changes : [...changes, ...customFields(before, after)];
}

const listOf = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat());

/** An entry for each value of a list that came or went. */
export function cameAndWent(field: string, old: readonly unknown[], now: readonly unknown[]): FieldChange[] {
  const [gone, added] = [old.filter((each) => !now.includes(each)), now.filter((each) => !old.includes(each))];
  return [
    ...gone.map((oldValue) => ({ field, oldValue, newValue: null })),
    ...added.map((newValue) => ({ field, oldValue: null, newValue })),
  ];
}

const differ = (old: unknown, now: unknown): boolean => old !== now && !isDeepStrictEqual(old, now);

/** How a field is told. */
interface Telling {
  name: string;
  read: Read;
  told(value: unknown): unknown;
  each?: true;
}

function tellingOf(field: string | Naming): Telling {
  const { path, name, as, absent, each }: Naming =
    typeof field === "string" ? { path: field, name: toldName(field) } : field;
  const own = reading(path);
  const read: Read = absent === undefined ? own : (entry) => own(entry) ?? absent;
  return { name, read, told: (value) => (as && value !== null ? { [as]: value } : value), each };
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
