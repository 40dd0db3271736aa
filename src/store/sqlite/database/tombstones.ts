import type Sqlite from "better-sqlite3";
import { ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { ALL, BURIED_IN, ERASURE_KEY, hashOf, type MessageKey, nameHash } from "../../tables/erasing/erased.ts";
import type { RowCache } from "./row-cache.ts";

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  /** Whether the channel has any. */
  areIn(channelId: string): boolean;
  has(of: MessageKey): boolean;
  /** The channel's whole account was erased: nothing more may be stored for it. */
  isGone(channelId: string): boolean;
  /** They write again: a new conversation. */
  lift(channelId: string, names: string[]): void;
  /** When one of them was buried last; undefined: never, or it was lifted. */
  buriedAt(channelId: string, names: string[]): number | undefined;
}

const AT = "SELECT at FROM erased WHERE channel_id = ? AND hash = ?";

export function createTombstones(sqlite: Sqlite.Database, rows: RowCache, sealer?: Sealer): Tombstones {
  const list = sqlite.prepare<[], string>(BURIED_IN).pluck();
  const known = sqlite.prepare<[string, string, string]>(
    "SELECT 1 FROM erased WHERE channel_id = ? AND hash IN (?, ?)",
  );
  const whenBuried = sqlite.prepare<[string, string], number>(AT).pluck();
  const remove = sqlite.prepare("DELETE FROM erased WHERE channel_id = ? AND hash = ?");
  const stored = sqlite.prepare<[], string>("SELECT value FROM meta WHERE key = 'erasure_key'").pluck();
  const sealed = () => {
    if (!sealer) throw new SealError("erased messages are hashed with a sealed key");
    return sealer;
  };
  const open = () => {
    const value = stored.get();
    return value === undefined ? undefined : ifOpens(() => sealed().open(value, ERASURE_KEY));
  };
  /** Undefined when there is none yet, or it does not open: then repeats are not known, but messages go on. */
  const readKey = () => rows.find("erasure key", "", open);
  const areIn = (channelId: string) =>
    rows.find("erased", "channels", () => new Set(list.all()))?.has(channelId) === true;
  const isGone = (channelId: string) => areIn(channelId) && known.get(channelId, ALL, ALL) !== undefined;
  /** Empty for most channels, at no cost. */
  const hashesOf = (channelId: string, names: string[]) => {
    const withKey = areIn(channelId) ? readKey() : undefined;
    return withKey === undefined ? [] : names.map((name) => nameHash(withKey, channelId, name));
  };
  return {
    has(of) {
      if (!areIn(of.channelId)) return false;
      const withKey = readKey();
      const hash = withKey === undefined || of.dedupeKey === null ? ALL : hashOf(withKey, of);
      return known.get(of.channelId, hash, ALL) !== undefined;
    },
    ...{ areIn, isGone },
    lift(channelId, names) {
      for (const hash of hashesOf(channelId, names)) remove.run(channelId, hash);
    },
    buriedAt(channelId, names) {
      const times = hashesOf(channelId, names).flatMap((hash) => whenBuried.get(channelId, hash) ?? []);
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
}
