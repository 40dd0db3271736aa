import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import { plainQuery } from "../normalize.ts";
import { Refusal } from "../refusal.ts";
import { type Match, matching, type Searched } from "./resource/match.ts";
import { isReal } from "./times.ts";

/** Read once a request; what it returns decides about each entry. */
export type Filter<T> = (values: string[], keys: string[]) => Match<T>;
/** A list's supported filters, by name. */
export type ListFilters<T> = Record<string, Filter<T>>;

export interface Listing<T> {
  /** The answer's field. */
  name: string;
  entries: Iterable<T> | Searched<T>;
  supported: ListFilters<T>;
  shown(entry: T): unknown;
  /** Further fields of the answer. */
  more?: object;
}
/** What a request asks of one filter: `filter[name]key=value`, where the key keeps its brackets. */
export interface Asked {
  values: string[];
  keys: string[];
}

const DEFAULT_LIMIT = 20;

/** The query's filters by name. */
export function askedFilters(query: URLSearchParams): Map<string, Asked> {
  const filters = new Map<string, Asked>();
  for (const [key, value] of query) {
    const filter = /^filter\[(\w+)\]/.exec(key)?.[1];
    if (!filter) continue;
    const asked = filters.get(filter) ?? { values: [], keys: [] };
    asked.values.push(value);
    asked.keys.push(key.slice(`filter[${filter}]`.length));
    filters.set(filter, asked);
  }
  return filters;
}

/** One page of the matching entries. Refuses filters that the sandbox does not support. */
export function listed<T>(c: Context<Env>, { name, entries, supported, shown, more }: Listing<T>): Response {
  const query = plainQuery(new URL(c.req.url).searchParams);
  const matches = [...askedFilters(query)].map(([filter, { values, keys }]) => {
    const made = Object.hasOwn(supported, filter) ? supported[filter] : undefined;
    if (!made) throw new Refusal(400, `?filter[${filter}] is not supported here`, UNSUPPORTED);
    if (OF_TIME.test(filter) && !values.every(isReal))
      throw new Refusal(400, `?filter[${filter}] is no time`, "a time filter has a day or a time");
    return made(values, keys);
  });
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  const currentPage = Number(query.get("page") ?? 1);
  const page = { first: (currentPage - 1) * limit, limit };
  const found = "matching" in entries ? entries.matching(matches, page) : matching(entries, matches, page);
  const totalCount = found.count;
  const totalPageCount = Math.max(1, Math.ceil(totalCount / limit));
  const pagination = { limit, totalCount, currentPage, totalPageCount };
  return c.json({ success: true, ...more, pagination, [name]: found.entries.map(shown) });
}

/** The contract leaves the text of some of them open. */
const OF_TIME = /(At|Date)(From|To)$/;
const UNSUPPORTED = "the sandbox does not support this filter; docs/sandbox.md lists those it does";

type Reading<T, V> = (entry: T) => V | null | undefined;

export const oneOf =
  <T>(read: Reading<T, unknown>): Filter<T> =>
  (values) => {
    const wanted = new Set(values);
    const has = (value: unknown) => wanted.has(String(value ?? ""));
    return (entry) => {
      const value = read(entry);
      return Array.isArray(value) ? value.some(has) : has(value);
    };
  };
export const containing =
  <T>(read: Reading<T, string>): Filter<T> =>
  ([part = ""]) => {
    const wanted = part.toLowerCase();
    return (entry) => (read(entry) ?? "").toLowerCase().includes(wanted);
  };
export const flagged =
  <T>(read: (entry: T) => boolean): Filter<T> =>
  ([flag = ""]) => {
    const wanted = ["true", "1"].includes(flag);
    return (entry) => read(entry) === wanted;
  };
export const atLeast =
  <T>(read: Reading<T, number>): Filter<T> =>
  ([given]) => {
    const min = Number(given);
    return (entry) => (read(entry) ?? Number.NaN) >= min;
  };
export const atMost =
  <T>(read: Reading<T, number>): Filter<T> =>
  ([given]) => {
    const max = Number(given);
    return (entry) => (read(entry) ?? Number.NaN) <= max;
  };

/** Times as the CRM writes them: they sort as text. */
export const notBefore =
  <T>(read: Reading<T, string>): Filter<T> =>
  ([since = ""]) =>
  (entry) =>
    (read(entry) ?? "") >= since;
export const notAfter =
  <T>(read: Reading<T, string>): Filter<T> =>
  ([until = ""]) => {
    // A day includes its times: they sort before the tilde.
    const end = `${until}~`;
    return (entry) => {
      const time = read(entry) ?? "";
      return time !== "" && time < end;
    };
  };
