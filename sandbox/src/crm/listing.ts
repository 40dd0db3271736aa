import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import { plainQuery } from "../normalize.ts";
import { Refusal } from "../refusal.ts";

type Filter<T> = (entry: T, values: string[]) => boolean;
/** A list's supported filters, by name. */
export type ListFilters<T> = Record<string, Filter<T>>;

export interface Listing<T> {
  /** The answer's field. */
  name: string;
  entries: Iterable<T>;
  supported: ListFilters<T>;
  shown(entry: T): unknown;
}

const DEFAULT_LIMIT = 20;

/** One page of the matching entries. Refuses filters that the sandbox does not support. */
export function listed<T>(c: Context<Env>, { name, entries, supported, shown }: Listing<T>): Response {
  const query = plainQuery(new URL(c.req.url).searchParams);
  const filters = new Map<string, string[]>();
  for (const [key, value] of query) {
    const filter = /^filter\[(\w+)\]/.exec(key)?.[1];
    if (filter) filters.set(filter, [...(filters.get(filter) ?? []), value]);
  }
  for (const filter of filters.keys())
    if (!Object.hasOwn(supported, filter))
      throw new Refusal(400, `?filter[${filter}] is not supported here`, UNSUPPORTED);
  const wanted = [...entries].filter((entry) =>
    [...filters].every(([filter, values]) => supported[filter]?.(entry, values)),
  );
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  const currentPage = Number(query.get("page") ?? 1);
  const totalPageCount = Math.max(1, Math.ceil(wanted.length / limit));
  const page = wanted.slice((currentPage - 1) * limit, currentPage * limit);
  const pagination = { limit, totalCount: wanted.length, currentPage, totalPageCount };
  return c.json({ success: true, pagination, [name]: page.map(shown) });
}

const UNSUPPORTED = "the sandbox does not support this filter; docs/sandbox.md lists those it does";

type Read<T, V> = (entry: T) => V | null | undefined;

export const oneOf =
  <T>(read: Read<T, unknown>): Filter<T> =>
  (entry, values) => {
    const value = read(entry);
    return (Array.isArray(value) ? value : [value]).some((each) => values.includes(String(each ?? "")));
  };
export const containing =
  <T>(read: Read<T, string>): Filter<T> =>
  (entry, [part = ""]) =>
    (read(entry) ?? "").toLowerCase().includes(part.toLowerCase());
export const flagged =
  <T>(read: (entry: T) => boolean): Filter<T> =>
  (entry, [flag = ""]) =>
    read(entry) === ["true", "1"].includes(flag);
export const atLeast =
  <T>(read: Read<T, number>): Filter<T> =>
  (entry, [min]) =>
    (read(entry) ?? Number.NaN) >= Number(min);
export const atMost =
  <T>(read: Read<T, number>): Filter<T> =>
  (entry, [max]) =>
    (read(entry) ?? Number.NaN) <= Number(max);

const DAY_MS = 24 * 3_600_000;
/** Of a time or a day as the CRM writes it; NaN without one. */
export const msOf = (text = ""): number =>
  Date.parse(`${text.replace(" ", "T")}${text.includes(" ") ? "" : "T00:00:00"}Z`);

export const from =
  <T>(read: Read<T, number>): Filter<T> =>
  (entry, [since]) =>
    (read(entry) ?? Number.NaN) >= msOf(since);
/** A day lasts to its end, as does a second. */
export const upTo =
  <T>(read: Read<T, number>): Filter<T> =>
  (entry, [until = ""]) =>
    (read(entry) ?? Number.NaN) < msOf(until) + (until.includes(" ") ? 1_000 : DAY_MS);
