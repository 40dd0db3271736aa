import type { Verb } from "../../tables/engine.ts";
import type { Notifier } from "./notifier.ts";

type Load<T> = () => Verb<T | undefined>;

/**
 * Accounts and channels as objects, until they are written: for reads outside a transaction, and only while this process
 * hears of the writes of others.
 */
export interface RowCache {
  row<T>(table: string, id: string, load: Load<T>): Verb<T | undefined>;
  /** What else is read of them, by kind and key; forgotten at every write to them. */
  find<T>(what: string, key: string, load: Load<T>): Verb<T | undefined>;
  /** This process has written some, and has not heard of it yet. */
  forget(): void;
}

/** Rows that name their account. */
const ACCOUNT_OF: Record<string, (row: unknown) => string> = {
  account: (row) => (row as { id: string }).id,
  channel: (row) => (row as { accountId: string }).accountId,
};
/** Of one kind. */
const MAX_ROWS = 50_000;

export function createRowCache(notifier: Pick<Notifier, "isHearing" | "onRows">): RowCache {
  /** By account, then by table and id. */
  const rows = new Map<string, Map<string, unknown>>();
  const places = new Map<string, string>();
  const found = new Map<string, unknown>();
  /** What is read across a write may be older than it. */
  let writes = 0;
  const forget = (accountIds?: string[]) => {
    writes += 1;
    found.clear();
    for (const id of accountIds ?? rows.keys()) {
      for (const name of rows.get(id)?.keys() ?? []) places.delete(name);
      rows.delete(id);
    }
  };
  notifier.onRows(forget);
  function* keep<T>(known: unknown, load: Load<T>, add: (loaded: T) => void): Verb<T | undefined> {
    if (!notifier.isHearing()) return yield* load();
    if (known !== undefined) return known as T;
    const before = writes;
    const loaded = yield* load();
    if (loaded !== undefined && writes === before && notifier.isHearing()) add(loaded);
    return loaded;
  }
  return {
    row(table, id, load) {
      const accountOf = ACCOUNT_OF[table];
      if (!accountOf) return load();
      const name = `${table} ${id}`;
      return keep(rows.get(places.get(name) ?? "")?.get(name), load, (row) => {
        const account = accountOf(row);
        if (places.size >= MAX_ROWS) forget();
        places.set(name, account);
        rows.set(account, (rows.get(account) ?? new Map()).set(name, row));
      });
    },
    find(what, key, load) {
      const name = `${what} ${key}`;
      return keep(found.get(name), load, (one) => {
        if (found.size >= MAX_ROWS) found.clear();
        found.set(name, one);
      });
    },
    forget: () => forget(),
  };
}
