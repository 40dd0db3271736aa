import { ifOpens, type Sealer } from "../secrets.ts";
import { all, first, type Work } from "../tables/engine.ts";
import { ALL, ERASURE_KEY, nameHash } from "../tables/erased.ts";

const STORED = "SELECT value FROM meta WHERE key = 'erasure_key'";
const FIND = `SELECT hash, at FROM erased WHERE channel_id = @channelId
  AND hash IN (SELECT json_array_elements_text(CAST(@hashes AS json)))`;

export interface Buried {
  /** All of the channel is. */
  gone: boolean;
  /** When one of the names was, last; undefined: never, or it was lifted. */
  at?: number;
}

/** What was buried in a channel. */
export function* buriedIn(sealer: Sealer, channelId: string, names: string[]): Work<Buried> {
  const stored = yield* first<{ value: string }>(STORED);
  // One that does not open: then erased names are not known, but messages go on.
  const key = stored && ifOpens(() => sealer.open(stored.value, ERASURE_KEY));
  const hashes = key === undefined ? [] : names.map((name) => nameHash(key, channelId, name));
  const found = yield* all<{ hash: string; at: number }>(FIND, { channelId, hashes: JSON.stringify([...hashes, ALL]) });
  const times = found.filter(({ hash }) => hash !== ALL).map(({ at }) => at);
  return { gone: found.length > times.length, at: times.length > 0 ? Math.max(...times) : undefined };
}
