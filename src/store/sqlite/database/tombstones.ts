import { createHmac } from "node:crypto";
import type Sqlite from "better-sqlite3";
import { newSecret } from "../../../domain/ids.ts";
import { type Address, ifOpens, SealError, type Sealer } from "../../secrets.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  has(of: Key): boolean;
  /** The channel's whole account was erased: nothing may be stored for it any more. */
  isGone(channelId: string): boolean;
  /** Call within a write. */
  bury(keys: Key[], now: number): void;
  buryChannels(channelIds: string[], now: number): void;
}

interface Key {
  channelId: string;
  direction: "inbound" | "outbound";
  dedupeKey: string | null;
}

/** In place of a hash: of an erased channel. */
const ALL = "*";
const KEY: Address = { table: "meta", row: "erasure_key", column: "value" };

/** `onUndo`: of the write that is running. */
export function createTombstones(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Tombstones {
  const list = sqlite.prepare<[], string>("SELECT DISTINCT channel_id FROM erased").pluck();
  const known = sqlite.prepare<[string, string, string]>(
    "SELECT 1 FROM erased WHERE channel_id = ? AND hash IN (?, ?)",
  );
  const add = sqlite.prepare("INSERT OR IGNORE INTO erased (channel_id, hash, at) VALUES (?, ?, ?)");
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
    sqlite.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('erasure_key', ?)").run(sealed().seal(made, KEY));
    return made;
  };
  /** Undefined when there is none yet, or it does not open: then repeats are not known, but messages go on. */
  const readKey = () => {
    const value = key === undefined ? stored.get() : undefined;
    if (value !== undefined) key = ifOpens(() => sealed().open(value, KEY));
    return key;
  };
  const hashOf = (withKey: string, { channelId, direction, dedupeKey }: Key) =>
    createHmac("sha256", withKey)
      .update(JSON.stringify([channelId, direction, dedupeKey]))
      .digest("base64url");
  const isMarked = (channelId: string) => {
    channels ??= new Set(list.all());
    return channels.has(channelId);
  };
  return {
    has(of) {
      if (!isMarked(of.channelId)) return false;
      const withKey = readKey();
      const hash = withKey === undefined || of.dedupeKey === null ? ALL : hashOf(withKey, of);
      return known.get(of.channelId, hash, ALL) !== undefined;
    },
    isGone: (channelId) => isMarked(channelId) && known.get(channelId, ALL, ALL) !== undefined,
    bury(keys, now) {
      onUndo(forget);
      key = readKey() ?? makeKey();
      for (const each of keys) if (each.dedupeKey !== null) add.run(each.channelId, hashOf(key, each), now);
      channels = undefined;
    },
    buryChannels(channelIds, now) {
      onUndo(forget);
      for (const id of channelIds) add.run(id, ALL, now);
      channels = undefined;
    },
  };
}
