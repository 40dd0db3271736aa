/** Key-value store of one channel in the browser; shared by tabs if the browser allows it. */
export interface Memory {
  get(item: string): string | null;
  set(item: string, value: string | null): void;
  /** Names of items with this prefix. */
  names(prefix: string): string[];
  /** Stores what could not be stored before. */
  keep(): void;
}

/** The part of `localStorage` that we use. */
export interface Items {
  readonly length: number;
  key(n: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Uses no cookies. If `storage` throws (private window, full), or may not be used yet, values live as long as the page. */
export function memoryOf(channel: string, storage: () => Items, mayKeep = () => true): Memory {
  const prefix = `gangway:${channel}:`;
  // Only what the storage refused (null: removed), so that items removed by another tab do not come back.
  const overrides = new Map<string, string | null>();
  const attempt = <T>(run: (items: Items) => T, fallback: T): T => {
    try {
      return run(storage());
    } catch {
      return fallback;
    }
  };
  const stored = (items: Items) => Array.from({ length: items.length }, (_, n) => items.key(n) ?? "");
  const set = (item: string, value: string | null) => {
    overrides.set(item, value);
    if (value !== null && !mayKeep()) return;
    attempt((items) => {
      if (value === null) items.removeItem(prefix + item);
      else items.setItem(prefix + item, value);
      overrides.delete(item);
    }, undefined);
  };
  return {
    get: (item) =>
      overrides.get(item) ?? (overrides.has(item) ? null : attempt((items) => items.getItem(prefix + item), null)),
    set,
    keep() {
      for (const [item, value] of [...overrides]) set(item, value);
    },
    names(start) {
      const inStorage = attempt(stored, []).filter((name) => name.startsWith(prefix + start));
      const overridden = [...overrides.keys()].filter((name) => name.startsWith(start));
      return [...new Set([...inStorage.map((name) => name.slice(prefix.length)), ...overridden])].filter(
        (name) => overrides.get(name) !== null,
      );
    },
  };
}
