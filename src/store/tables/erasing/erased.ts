import { createHmac } from "node:crypto";
import { and, eq, inArray } from "drizzle-orm";
import { newSecret } from "../../../domain/ids.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { all, first, run, type Transaction, type Verb } from "../engine.ts";
import { erased } from "./erasure-schema.ts";

// What remains of erased messages, chats, customers and accounts: keyed hashes, so that nobody can tell whose they were.

/** In place of a channel's id: for names that are accounts' ids. */
export const ACCOUNTS = "accounts";
/** In place of a hash: the channel's whole account was erased. */
export const ALL = "*";
/** Of the hashes' key. */
export const ERASURE_KEY: Address = { table: "meta", row: "erasure_key", column: "value" };

export interface MessageKey {
  channelId: string;
  direction: "inbound" | "outbound";
  dedupeKey: string | null;
}

const digest = (key: string, parts: unknown[]) =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

export const hashOf = (key: string, { channelId, direction, dedupeKey }: MessageKey): string =>
  digest(key, [channelId, direction, dedupeKey]);

export const nameHash = (key: string, channelId: string, name: string): string => digest(key, [channelId, name]);

const KEY = "SELECT value FROM meta WHERE key = 'erasure_key'";
const SET_KEY = `INSERT INTO meta (key, value) VALUES ('erasure_key', @value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** Undefined when there is none yet, or it does not open: then what was erased is not known, but messages go on. */
export function* erasureKey(sealer: Sealer): Verb<string | undefined> {
  const stored = yield* first<{ value: string }>(KEY);
  return stored && ifOpens(() => sealer.open(stored.value, ERASURE_KEY));
}

// Burying, within a write.

function* ownKey(sealer: Sealer): Verb<string> {
  const known = yield* erasureKey(sealer);
  if (known !== undefined) return known;
  const made = newSecret();
  yield* run(SET_KEY, { value: sealer.seal(made, ERASURE_KEY) });
  return made;
}

type Orm = Pick<Transaction, "orm">;

function* mark({ orm }: Orm, channelId: string, hashes: string[], now: number): Verb<void> {
  if (hashes.length === 0) return;
  // Anew at the end: rows expire in the order of their making.
  yield* run(orm.delete(erased).where(and(eq(erased.channelId, channelId), inArray(erased.hash, hashes))));
  yield* run(orm.insert(erased).values(hashes.map((hash) => ({ channelId, hash, at: now }))));
}

/** Messages of one channel: a repeat counts as known. */
export function* buryMessages(tx: Orm, sealer: Sealer, messages: MessageKey[], now: number): Verb<void> {
  const [one] = messages;
  if (!one) return;
  const key = yield* ownKey(sealer);
  const hashes = messages.flatMap((of) => (of.dedupeKey === null ? [] : [hashOf(key, of)]));
  yield* mark(tx, one.channelId, [...new Set(hashes)], now);
}

/** Chats and customers: work that began earlier must store nothing about them. */
export function* buryNames(tx: Orm, sealer: Sealer, channelId: string, names: string[], now: number): Verb<void> {
  const key = yield* ownKey(sealer);
  yield* mark(tx, channelId, [...new Set(names.map((name) => nameHash(key, channelId, name)))], now);
}

/** The whole account: nothing more may be stored for it. */
export function* buryChannels(tx: Orm, channelIds: string[], now: number): Verb<void> {
  for (const id of channelIds) yield* mark(tx, id, [ALL], now);
}

/** Skips from channel to channel: each may have many hashes. */
export const BURIED_IN = `WITH RECURSIVE next (id) AS (SELECT min(channel_id) FROM erased UNION ALL
  SELECT (SELECT min(channel_id) FROM erased WHERE channel_id > next.id) FROM next WHERE next.id IS NOT NULL)
  SELECT id FROM next WHERE id IS NOT NULL`;
const GONE = `SELECT id FROM (${BURIED_IN}) AS buried
  WHERE EXISTS (SELECT 1 FROM erased WHERE channel_id = buried.id AND hash = '${ALL}')`;

/** Channels of erased accounts. */
export function* goneChannels(): Verb<string[]> {
  return (yield* all<{ id: string }>(GONE)).map(({ id }) => id);
}
