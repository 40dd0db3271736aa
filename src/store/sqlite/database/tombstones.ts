import { createHmac } from "node:crypto";
import type Sqlite from "better-sqlite3";
import { newSecret } from "../../../domain/ids.ts";
import { type Address, SealError, type Sealer } from "../../secrets.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Keys of erased messages, as keyed hashes: a repeat of the message counts as known, and nobody can tell whose it was. */
export interface Tombstones {
  has(of: Key): boolean;
  /** Call within a write. */
  bury(keys: Key[], now: number): void;
}

interface Key {
  channelId: string;
  direction: "inbound" | "outbound";
  dedupeKey: string | null;
}

const KEY: Address = { table: "meta", row: "erasure_key", column: "value" };

/** `onUndo`: of the write that is running. */
export function createTombstones(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
  sealer?: Sealer,
): Tombstones {
  const list = sqlite.prepare<[], string>("SELECT DISTINCT channel_id FROM erased").pluck();
  const known = sqlite.prepare<[string, string]>("SELECT 1 FROM erased WHERE channel_id = ? AND hash = ?");
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
    sqlite.prepare("INSERT INTO meta (key, value) VALUES ('erasure_key', ?)").run(sealed().seal(made, KEY));
    return made;
  };
  const theKey = () => {
    const value = key === undefined ? stored.get() : undefined;
    key ??= value === undefined ? makeKey() : sealed().open(value, KEY);
    return key;
  };
  const hashOf = ({ channelId, direction, dedupeKey }: Key) =>
    createHmac("sha256", theKey())
      .update(JSON.stringify([channelId, direction, dedupeKey]))
      .digest("base64url");
  return {
    has(of) {
      channels ??= new Set(list.all());
      return of.dedupeKey !== null && channels.has(of.channelId) && known.get(of.channelId, hashOf(of)) !== undefined;
    },
    bury(keys, now) {
      onUndo(forget);
      for (const each of keys) if (each.dedupeKey !== null) add.run(each.channelId, hashOf(each), now);
      channels = undefined;
    },
  };
}
