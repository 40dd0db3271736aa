import type Sqlite from "better-sqlite3";
import { ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { ALL, BURIED_IN, ERASURE_KEY, hashOf, type MessageKey, nameHash } from "../../tables/erased.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  has(of: MessageKey): boolean;
  /** The channel's whole account was erased: nothing may be stored for it any more. */
  isGone(channelId: string): boolean;
  /** They write again: a new conversation. */
  lift(channelId: string, names: string[]): void;
  /** When one of them was buried last; undefined: never, or it was lifted. */
  buriedAt(channelId: string, names: string[]): number | undefined;
}

const AT = "SELECT at FROM erased WHERE channel_id = ? AND hash = ?";

/** `onUndo`: of the write that is running. */
export function createTombstones(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Tombstones {
  const list = sqlite.prepare<[], string>(BURIED_IN).pluck();
  const known = sqlite.prepare<[string, string, string]>(
    "SELECT 1 FROM erased WHERE channel_id = ? AND hash IN (?, ?)",
  );
  const whenBuried = sqlite.prepare<[string, string], number>(AT).pluck();
  const remove = sqlite.prepare("DELETE FROM erased WHERE channel_id = ? AND hash = ?");
  const stored = sqlite.prepare<[], string>("SELECT value FROM meta WHERE key = 'erasure_key'").pluck();
  let channels: Set<string> | undefined;
  let key: string | undefined;
  const forget = () => {
    channels = undefined;
    key = undefined;
  };
  others.onWritten(forget);
  // A temporary trigger sees every writer of this connection.
  sqlite.function("buried", (channelId: string) => {
    channels?.add(channelId);
    onUndo(forget);
  });
  sqlite.exec("CREATE TEMP TRIGGER erased_INSERT AFTER INSERT ON erased BEGIN SELECT buried(NEW.channel_id); END");
  const sealed = () => {
    if (!sealer) throw new SealError("erased messages are hashed with a sealed key");
    return sealer;
  };
  /** Undefined when there is none yet, or it does not open: then repeats are not known, but messages go on. */
  const readKey = () => {
    const value = key === undefined ? stored.get() : undefined;
    if (value !== undefined) key = ifOpens(() => sealed().open(value, ERASURE_KEY));
    return key;
  };
  const isMarked = (channelId: string) => {
    channels ??= new Set(list.all());
    return channels.has(channelId);
  };
  const isGone = (channelId: string) => isMarked(channelId) && known.get(channelId, ALL, ALL) !== undefined;
  /** Empty for most channels, at no cost. */
  const hashesOf = (channelId: string, names: string[]) => {
    const withKey = isMarked(channelId) ? readKey() : undefined;
    return withKey === undefined ? [] : names.map((name) => nameHash(withKey, channelId, name));
  };
  return {
    has(of) {
      if (!isMarked(of.channelId)) return false;
      const withKey = readKey();
      const hash = withKey === undefined || of.dedupeKey === null ? ALL : hashOf(withKey, of);
      return known.get(of.channelId, hash, ALL) !== undefined;
    },
    isGone,
    lift(channelId, names) {
      for (const hash of hashesOf(channelId, names)) remove.run(channelId, hash);
    },
    buriedAt(channelId, names) {
      const times = hashesOf(channelId, names).flatMap((hash) => whenBuried.get(channelId, hash) ?? []);
      return times.length === 0 ? undefined : Math.max(...times);
    },
  };
}
