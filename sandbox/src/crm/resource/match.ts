/** Decides about an entry. One that looks at the value at a single path says so: a table keeps those in columns. */
export interface Match<T> {
  (entry: T): boolean;
  at?: { path: string; has(value: unknown): boolean };
}

/** What finds those of its entries that all matches let through. */
export interface Searched<T> {
  matching(matches: readonly Match<T>[]): Iterable<T>;
}

/** A scan. */
export function* matching<T>(entries: Iterable<T>, matches: readonly Match<T>[]): Generator<T> {
  for (const entry of entries) if (matches.every((match) => match(entry))) yield entry;
}
