import { ifOpens, type Sealer } from "../../secrets.ts";
import { all, first, type Verb } from "../../tables/engine.ts";
import { ALL, ERASURE_KEY, erasureKey, nameHash } from "../../tables/erasing/erased.ts";

/** Until the transaction ends no erasure in the channel begins: that would change its row. */
const KEEP = `SELECT value FROM channel LEFT JOIN meta ON key = 'erasure_key' WHERE id = @channelId FOR SHARE OF channel`;
const FIND = `SELECT hash, at FROM erased WHERE channel_id = @channelId
  AND hash IN (SELECT json_array_elements_text(CAST(@hashes AS json)))`;

export interface Buried {
  /** All of the channel is. */
  gone: boolean;
  /** When one of the names was, last; undefined: never, or it was lifted. */
  at?: number;
}

/** What was buried in a channel. */
export function* buriedIn(sealer: Sealer, channelId: string, names: string[]): Verb<Buried> {
  return yield* buriedUnder(yield* erasureKey(sealer), channelId, names);
}

/** Within a write, as its first statement: the same, and nothing more is buried there until it ends. */
export function* keptBuried(sealer: Sealer, channelId: string, names: string[]): Verb<Buried> {
  const stored = yield* first<{ value: string | null }>(KEEP, { channelId });
  const { value } = stored ?? {};
  return yield* buriedUnder(value ? ifOpens(() => sealer.open(value, ERASURE_KEY)) : undefined, channelId, names);
}

function* buriedUnder(key: string | undefined, channelId: string, names: string[]): Verb<Buried> {
  const hashes = key === undefined ? [] : names.map((name) => nameHash(key, channelId, name));
  const found = yield* all<{ hash: string; at: number }>(FIND, { channelId, hashes: JSON.stringify([...hashes, ALL]) });
  const times = found.filter(({ hash }) => hash !== ALL).map(({ at }) => at);
  return { gone: found.length > times.length, at: times.length > 0 ? Math.max(...times) : undefined };
}
