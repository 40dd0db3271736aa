import type { Clock } from "../../domain/clock.ts";

/** How fast somebody may ask: so many at once, then so many a second. */
export interface Rate {
  burst: number;
  perSecond: number;
}

/** Most of a kind that are remembered; the one that asked longest ago is forgotten first, and begins anew. */
const MOST_KNOWN = 10_000;

/** Token buckets by name, in memory: after a restart everybody begins with a full one. */
export function createRates(clock: Clock, { burst, perSecond }: Rate) {
  const buckets = new Map<string, { left: number; at: number }>();
  /** Seconds until this name may ask again; 0: it may, and has. */
  return (name: string): number => {
    const now = clock.now();
    const known = buckets.get(name);
    const left = known ? Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond) : burst;
    // Moved to the end: a Map keeps its order of insertion.
    buckets.delete(name);
    if (buckets.size >= MOST_KNOWN) buckets.delete(buckets.keys().next().value ?? "");
    buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond);
  };
}

/** What a visitor has brought and not sent yet. */
export interface Unsent {
  /** Keeps room for a file of at most so many bytes; undefined when the visitor has brought too much. */
  begin(visitor: string, bytes: number): Bringing | undefined;
  /** These were sent. */
  sent(visitor: string, ids: string[]): void;
}
interface Bringing {
  kept(id: string, bytes: number): void;
  failed(): void;
}

/** Files and bytes a visitor may have brought without sending them, and after how long that is forgotten, ms. */
const MOST_UNSENT = 30;
const MOST_UNSENT_BYTES = 100 * 1024 * 1024;
const FORGOTTEN_MS = 3_600_000;

export function createUnsent(clock: Clock): Unsent {
  const visitors = new Map<string, Map<string, { bytes: number; at: number }>>();
  let last = 0;
  const filesOf = (visitor: string) => {
    const files = visitors.get(visitor) ?? new Map<string, { bytes: number; at: number }>();
    for (const [id, { at }] of files) if (at + FORGOTTEN_MS <= clock.now()) files.delete(id);
    visitors.delete(visitor);
    if (visitors.size >= MOST_KNOWN) visitors.delete(visitors.keys().next().value ?? "");
    visitors.set(visitor, files);
    return files;
  };
  return {
    begin(visitor, bytes) {
      const files = filesOf(visitor);
      const sum = [...files.values()].reduce((total, file) => total + file.bytes, bytes);
      if (files.size >= MOST_UNSENT || sum > MOST_UNSENT_BYTES) return undefined;
      last += 1;
      const place = `place ${last}`;
      files.set(place, { bytes, at: clock.now() });
      return {
        kept(id, size) {
          files.delete(place);
          files.set(id, { bytes: size, at: clock.now() });
        },
        failed: () => void files.delete(place),
      };
    },
    sent(visitor, ids) {
      const files = visitors.get(visitor);
      for (const id of ids) files?.delete(id);
      if (files?.size === 0) visitors.delete(visitor);
    },
  };
}
