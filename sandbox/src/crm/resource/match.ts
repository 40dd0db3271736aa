/** What is asked of a value. It looks at nothing but the value. */
export interface Test {
  has(value: unknown): boolean;
  /** From the lowest value to the highest its answer changes once: a time or a number is compared. */
  ordered: boolean;
}
/** Decides about an entry. One that looks at the value at a single path says so: a table keeps those in columns. */
export interface Match<T> {
  (entry: T): boolean;
  at?: Test & { path: string };
}

/** A part of what is found. */
export interface Page {
  first: number;
  limit: number;
}
export interface Found<T> {
  /** Of all that is found. */
  count: number;
  /** Those of the page. */
  entries: T[];
}

/** What finds those of its entries that all matches let through, in their order. */
export interface Searched<T> {
  matching(matches: readonly Match<T>[], page?: Page): Found<T>;
}

/** A scan. */
export function matching<T>(entries: Iterable<T>, matches: readonly Match<T>[], { first, limit }: Page): Found<T> {
  const found = [...entries].filter((entry) => matches.every((match) => match(entry)));
  return { count: found.length, entries: found.slice(first, first + limit) };
}
