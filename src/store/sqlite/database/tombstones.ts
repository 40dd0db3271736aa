import type Sqlite from "better-sqlite3";
import { newSecret } from "../../../domain/ids.ts";
import { ifOpens, SealError, type Sealer } from "../../secrets.ts";
import { ALL, ERASURE_KEY, hashOf, type MessageKey, nameHash } from "../../tables/erased.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  has(of: MessageKey): boolean;
  /** The channel's whole account was erased: nothing may be stored for it any more. */
  isGone(channelId: string): boolean;
  /** Call within a write. */
  bury(keys: MessageKey[], now: number): void;
  buryChannels(channelIds: string[], now: number): void;
  /** Chats and customers: what began before must store nothing about them any more. */
  buryNames(channelId: string, names: string[], now: number): void;
  /** They write again: a new conversation. */
  lift(channelId: string, names: string[]): void;
  /** When one of them was buried last; undefined: never, or it was lifted. */
  buriedAt(channelId: string, names: string[]): number | undefined;
  /** Channels of erased accounts. */
  gone(): string[];
}

/** Skips from channel to channel: each may have many hashes. */
const CHANNELS = `WITH RECURSIVE next (id) AS (SELECT min(channel_id) FROM erased UNION ALL
  SELECT (SELECT min(channel_id) FROM erased WHERE channel_id > next.id) FROM next WHERE next.id IS NOT NULL)
  SELECT id FROM next WHERE id IS NOT NULL`;
const AT = "SELECT at FROM erased WHERE channel_id = ? AND hash = ?";

/** `onUndo`: of the write that is running. */
export function createTombstones(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Tombstones {
  const list = sqlite.prepare<[], string>(CHANNELS).pluck();
  const known = sqlite.prepare<[string, string, string]>(
    "SELECT 1 FROM erased WHERE channel_id = ? AND hash IN (?, ?)",
  );
  const whenBuried = sqlite.prepare<[string, string], number>(AT).pluck();
  const remove = sqlite.prepare("DELETE FROM erased WHERE channel_id = ? AND hash = ?");
  // Anew at the end: rows expire in the order of their ids.
  const add = sqlite.prepare("INSERT OR REPLACE INTO erased (channel_id, hash, at) VALUES (?, ?, ?)");
  const stored = sqlite.prepare<[], string>("SELECT value FROM meta WHERE key = 'erasure_key'").pluck();
  let channels: Set<string> | undefined;
  let key: string | undefined;
  const forget = () => {
    channels = undefined;
    key = undefined;
  };
  others.onWritten(forget);
  const sealed = () => {
    if (!sealer) throw new SealError("erased messages are hashed with a sealed key");
    return sealer;
  };
  const makeKey = () => {
    const made = newSecret();
    sqlite
      .prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('erasure_key', ?)")
      .run(sealed().seal(made, ERASURE_KEY));
    return made;
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
  const mark = (channelId: string, hashes: string[], now: number) => {
    onUndo(forget);
    for (const hash of hashes) add.run(channelId, hash, now);
    channels?.add(channelId);
  };
  const ownKey = () => {
    key = readKey() ?? makeKey();
    return key;
  };
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
    bury(keys, now) {
      for (const each of keys) if (each.dedupeKey !== null) mark(each.channelId, [hashOf(ownKey(), each)], now);
    },
    buryChannels(channelIds, now) {
      for (const id of channelIds) mark(id, [ALL], now);
    },
    buryNames(channelId, names, now) {
      const withKey = ownKey();
      mark(
        channelId,
        names.map((name) => nameHash(withKey, channelId, name)),
        now,
      );
    },
    lift(channelId, names) {
      for (const hash of hashesOf(channelId, names)) remove.run(channelId, hash);
    },
    buriedAt(channelId, names) {
      const times = hashesOf(channelId, names).flatMap((hash) => whenBuried.get(channelId, hash) ?? []);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    gone() {
      channels ??= new Set(list.all());
      return [...channels].filter(isGone);
    },
  };
}
