import type { Context } from "hono";
import type { Env } from "./exchange.ts";

/** What the gateway's common list filters read. */
interface Listed {
  id: number;
  createdAt: number;
  updatedAt?: number | null;
}

const DEFAULT_LIMIT = 100;

/** Empty counts as absent. */
const given = (c: Context<Env>, name: string): string | undefined => c.req.query(name) || undefined;

export const several = (c: Context<Env>, name: string): string[] | undefined => {
  const values = (c.req.queries(name) ?? []).filter((value) => value !== "");
  return values.length > 0 ? values : undefined;
};

export const number = (c: Context<Env>, name: string): number | undefined => {
  const value = given(c, name);
  return value === undefined ? undefined : Number(value);
};

const isSet = (value: string | undefined): boolean => value === "true" || value === "1";
export const flag = (c: Context<Env>, name: string): boolean => isSet(given(c, name));

type Value = string | number | boolean | undefined;

/** Keeps entries that equal every filter given. */
export function matching<T>(c: Context<Env>, reads: Record<string, (entry: T) => Value>): (entry: T) => boolean {
  const filters = Object.entries(reads).flatMap(([name, read]) => {
    const wanted = given(c, name);
    return wanted === undefined ? [] : [{ wanted, read }];
  });
  return (entry) => filters.every(({ wanted, read }) => equals(wanted, read(entry)));
}

function equals(wanted: string, value: Value): boolean {
  if (typeof value === "number") return Number(wanted) === value;
  return value === (typeof value === "boolean" ? isSet(wanted) : wanted);
}

/** Newest first; oldest first with `since` or `since_id`. Times are those of the last change. */
export function page<T extends Listed>(c: Context<Env>, all: Iterable<T>, keep: (entry: T) => boolean): T[] {
  const time = (name: string) => {
    const value = given(c, name);
    return value === undefined ? undefined : Date.parse(value);
  };
  const [since, until, sinceId, untilId] = [time("since"), time("until"), number(c, "since_id"), number(c, "until_id")];
  const ids = (several(c, "id") ?? []).map(Number);
  const wanted = [...all].filter((entry) => {
    const at = entry.updatedAt ?? entry.createdAt;
    return (
      (ids.length === 0 || ids.includes(entry.id)) &&
      (since === undefined || at >= since) &&
      (until === undefined || at <= until) &&
      (sinceId === undefined || entry.id > sinceId) &&
      (untilId === undefined || entry.id < untilId) &&
      keep(entry)
    );
  });
  const forward = since !== undefined || sinceId !== undefined;
  wanted.sort((a, b) => (forward ? a.id - b.id : b.id - a.id));
  return wanted.slice(0, number(c, "limit") ?? DEFAULT_LIMIT);
}
