import type { Hono } from "hono";
import type { Env } from "../exchange.ts";
import type { World } from "../world.ts";
import { type ListFilters, listed, notAfter, notBefore } from "./listing.ts";
import type { Entry } from "./records.ts";
import { at, equal, flags, range, within } from "./resource/filters.ts";
import { cameAndWent, record } from "./resource/history.ts";
import type { Writing } from "./resource/resource.ts";
import type { Tables } from "./tables.ts";

/** A dynamic segment holds the customers whose fields have these values; a static one those whose records name it. */
export interface Segment extends Entry {
  code: string;
  isDynamic: boolean;
  /** Of no answer. */
  rule?: Entry;
}

export interface NewSegment {
  code: string;
  name: string;
  active?: boolean;
  isTree?: boolean;
  /** Makes it dynamic. */
  rule?: Entry;
  /** Ids of those in a static segment. */
  customers?: number[];
}

const SEGMENTS: readonly Entry[] = [
  { id: 1, code: "vip", name: "VIP customers", isDynamic: true, rule: { vip: true } },
  { id: 2, code: "contacts", name: "Contact persons", isDynamic: true, rule: { isContact: true } },
  { id: 3, code: "regatta", name: "Guests of the regatta", isDynamic: false },
];

export function fillSegments({ segments }: Tables, createdAt: string): void {
  for (const segment of SEGMENTS) segments.put({ ...segment, createdAt, active: true, isTree: false });
}

/** The segments that a customer is in. */
export function segmentsOf({ tables }: World, customer: Entry): Segment[] {
  const named = new Set(((customer.segments ?? []) as Entry[]).map(({ code }) => code));
  const isIn = ({ code, rule }: Segment) =>
    rule ? Object.entries(rule).every(([field, value]) => customer[field] === value) : named.has(code);
  return ([...tables.segments.rows.values()] as Segment[]).filter(isIn);
}

/** Tells of the segments that a customer has come into or left: the CRM does so by itself (recorded). */
export function tellSegments(
  { gateway: { world }, now }: Pick<Writing, "gateway" | "now">,
  after: Entry,
  before?: Entry,
) {
  const codes = (customer?: Entry) => (customer ? segmentsOf(world, customer).map(({ code }) => code) : []);
  recordSegments(world, now, after, codes(before), codes(after));
}

function recordSegments(world: World, now: string, { id }: Entry, old: readonly string[], is: readonly string[]): void {
  const changes = cameAndWent("segments", old, is).map(({ oldValue, newValue, ...change }) => ({
    ...change,
    oldValue: oldValue && { code: oldValue },
    newValue: newValue && { code: newValue },
  }));
  if (changes.length > 0) record(world, "customers", now, { source: "code" }, Number(id), changes);
}

/** Throws an Error. */
export function createSegment(world: World, createdAt: string, given: NewSegment): Entry {
  const { tables, nextId } = world;
  const { customers = [], rule, ...named } = given;
  if (tables.segments.having("code", named.code).length > 0) throw new Error(`the segment ${named.code} exists`);
  const rows = customers.map((id) => tables.customers.rows.get(id));
  if (rows.includes(undefined)) throw new Error("one of the customers does not exist");
  const segment = {
    id: nextId(),
    createdAt,
    active: true,
    isTree: false,
    isDynamic: rule !== undefined,
    rule,
    ...named,
  };
  tables.segments.put(segment);
  for (const customer of rows as Entry[]) {
    const others = (customer.segments ?? []) as Entry[];
    tables.customers.put({ ...customer, segments: [...others, { code: named.code }] });
  }
  for (const customer of tables.customers.rows.values())
    if (segmentsOf(world, customer).some(({ code }) => code === named.code))
      recordSegments(world, createdAt, customer, [], [named.code]);
  return segmentShown(counted(world, segment));
}

export const segmentShown = ({ rule, isTree, ...segment }: Entry): Entry => segment;

const FILTERS: ListFilters<Entry> = {
  ...equal({ ids: "id" }),
  ...within({ name: "name" }),
  ...flags("active", "isTree"),
  ...range("CustomersCount", "customersCount"),
  dateFrom: notBefore(({ createdAt }) => createdAt as string | undefined),
  dateTo: notAfter(({ createdAt }) => createdAt as string | undefined),
  type:
    ([type]) =>
    ({ isDynamic }) =>
      isDynamic === (type === "dynamic"),
};

export function segmentRoute(site: Hono<Env>, world: World): void {
  site.get("/api/v5/segments", (c) =>
    listed(c, {
      name: "segments",
      entries: [...world.tables.segments.rows.values()].map((each) => counted(world, each)),
      supported: FILTERS,
      shown: segmentShown,
    }),
  );
}

/** A segment with the number of its customers. */
export function counted({ tables }: World, segment: Entry): Entry {
  const wanted = Object.entries((segment.rule ?? { "segments.code": segment.code }) as Entry);
  const matches = wanted.map(([path, value]) => at(path, () => (own) => [own].flat().includes(value))([], []));
  return { ...segment, customersCount: tables.customers.matching(matches, { first: 0, limit: 0 }).count };
}
