/** What a browser remembers of one channel; shared by its tabs where the browser lets it. */
export interface Memory {
  get(item: string): string | null;
  set(item: string, value: string | null): void;
  /** Names of items that begin so. */
  names(prefix: string): string[];
}

/** As much of `localStorage` as is used. */
export interface Items {
  readonly length: number;
  key(n: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Never a cookie. `storage` throws in private windows and when it is full: then it lasts as long as the page. */
export function memoryOf(channel: string, storage: () => Items): Memory {
  const prefix = `gangway:${channel}:`;
  // Holds only what the storage refused (null: to remove), so that what another tab has removed does not come back.
  const own = new Map<string, string | null>();
  const attempt = <T>(run: (items: Items) => T, otherwise: T): T => {
    try {
      return run(storage());
    } catch {
      return otherwise;
    }
  };
  const stored = (items: Items) => Array.from({ length: items.length }, (_, n) => items.key(n) ?? "");
  return {
    get: (item) => own.get(item) ?? (own.has(item) ? null : attempt((items) => items.getItem(prefix + item), null)),
    set(item, value) {
      own.set(item, value);
      attempt((items) => {
        if (value === null) items.removeItem(prefix + item);
        else items.setItem(prefix + item, value);
        own.delete(item);
      }, undefined);
    },
    names(start) {
      const kept = attempt(stored, []).filter((name) => name.startsWith(prefix + start));
      const mine = [...own.keys()].filter((name) => name.startsWith(start));
      return [...new Set([...kept.map((name) => name.slice(prefix.length)), ...mine])].filter(
        (name) => own.get(name) !== null,
      );
    },
  };
}
