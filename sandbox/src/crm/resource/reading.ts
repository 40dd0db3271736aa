import type { Entry } from "../records.ts";

export type Read = (entry: Entry) => unknown;

/** Reads a dotted path. Where it crosses a list, all that the list's entries hold there. */
export function reading(path: string): Read {
  const [first = "", ...rest] = path.split(".");
  if (rest.length === 0) return (entry) => entry[first];
  const next = reading(rest.join("."));
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.length === 1 ? inside(value[0]) : value.flatMap((each) => inside(each) ?? []);
    return typeof value === "object" && value !== null ? next(value as Entry) : undefined;
  };
  return (entry) => inside(entry[first]);
}
