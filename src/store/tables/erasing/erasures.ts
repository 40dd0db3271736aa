import { createHmac } from "node:crypto";
import { and, eq, inArray } from "drizzle-orm";
import { newId, newSecret } from "gangway-messenger/ids";
import { slicesOf } from "../../../domain/counts.ts";
import type { MessageDirection } from "../../../domain/delivery.ts";
import type { Act, Erased } from "../../care.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { bookRefused } from "../accounts/ledger.ts";
import { ERASURE } from "../care/sealed.ts";
import {
  all,
  first,
  isLive,
  isOwed,
  just,
  metaOf,
  rowsListed,
  run,
  setMeta,
  type Transaction,
  type Verb,
} from "../engine.ts";
import type { Belongings } from "../messages/people.ts";
import { erased, type MessageRow, messages } from "../schema.ts";

// Erasures under way. They take many transactions; after the first, nothing they cover is sent or changed.

/** Erasure of a customer. */
export interface CustomerErasure extends Belongings {
  /** Newest message and journal row at the start: later ones belong to a new conversation. */
  upTo: { message: number; line: number };
}
/** Erasure of an account. */
export interface AccountErasure {
  channels: string[];
}
export interface Pending {
  id: string;
  accountId: string;
  by: Act;
  at: number;
  of: CustomerErasure | AccountErasure;
}

/** Numbers erased so far. */
export type Counts = Omit<Erased, "gone">;

interface Sealed {
  id: string;
  sealed: string;
}
const ERASURES = "SELECT id, sealed FROM erasure";
const ADD = "INSERT INTO erasure (id, sealed) VALUES (@id, @sealed)";
const COUNT = `UPDATE erasure SET messages = messages + @messages, files = files + @files,
  webhooks = webhooks + @webhooks, notes = notes + @notes WHERE id = @id`;
const END = "DELETE FROM erasure WHERE id = @id RETURNING messages, files, webhooks, notes";
/** Columns of a message that decide whether it is being erased. */
const COVERED = `SELECT id, channel_id AS "channelId", chat, carrier FROM message WHERE id = @id`;

const addressOf = (row: string): Address => ({ ...ERASURE, row });

/** Erasures whose sealed data opens. */
export function* pendingErasures(sealer: Sealer): Verb<Pending[]> {
  return (yield* all<Sealed>(ERASURES)).flatMap(({ id, sealed }) => {
    const plain = ifOpens(() => sealer.open(sealed, addressOf(id)));
    return plain === undefined ? [] : [JSON.parse(plain) as Pending];
  });
}

/** Whether a message is being erased. */
export function* isBeingErased(sealer: Sealer, id: number): Verb<boolean> {
  const pending = yield* pendingErasures(sealer);
  const row = pending.length > 0 ? yield* first<Covered>(COVERED, { id }) : undefined;
  return row !== undefined && pending.some(({ of }) => inclusion(of)(row));
}

// Call within a write.

export const beginErasure = (sealer: Sealer, erasure: Pending): Verb<void> =>
  run(ADD, { id: erasure.id, sealed: sealer.seal(JSON.stringify(erasure), addressOf(erasure.id)) });

export const countErased = (id: string, more: Partial<Counts>): Verb<void> =>
  run(COUNT, { messages: 0, files: 0, webhooks: 0, notes: 0, ...more, id });

/** Undefined when another process has ended it. */
export const endErasure = (id: string): Verb<Counts | undefined> => first<Counts>(END, { id });

export interface Covered {
  id: number;
  channelId: string;
  chat: string | null;
  carrier: number | null;
}

/** Whether an erasure covers a message. */
export function inclusion(of: Pending["of"]): (row: Covered) => boolean {
  if ("channels" in of) {
    const channels = new Set(of.channels);
    return ({ channelId }) => channels.has(channelId);
  }
  const [chats, rows] = [new Set(of.chats), new Set(of.rows)];
  return ({ id, channelId, chat, carrier }) =>
    channelId === of.channelId &&
    id <= of.upTo.message &&
    (chats.has(chat ?? "") || rows.has(id) || rows.has(carrier ?? Number.NaN));
}

// Tombstones of erased messages, chats, customers and accounts: keyed hashes, so that nobody can tell whose they were.

/** Stands for a channel's id where the names are account ids. */
export const ACCOUNTS = "accounts";
/** Stands for a hash: the channel's whole account was erased. */
export const ALL = "*";
/** Address of the key of the hashes. */
export const ERASURE_KEY: Address = { table: "meta", row: "erasure_key", column: "value" };

export interface MessageKey {
  channelId: string;
  direction: MessageDirection;
  dedupeKey: string | null;
}

const digest = (key: string, parts: unknown[]) =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

export const hashOf = (key: string, { channelId, direction, dedupeKey }: MessageKey): string =>
  digest(key, [channelId, direction, dedupeKey]);

export const nameHash = (key: string, channelId: string, name: string): string => digest(key, [channelId, name]);

// Erased people come back only with a new conversation.

/** A chat or customer. */
export interface Named {
  channelId: string;
  name: string;
}

/** What was, or is being, erased. */
export interface Gone {
  /** Channels of erased accounts. */
  channels: ReadonlySet<string>;
  has(of: MessageKey): boolean;
  /** When a chat or customer was erased, ms; undefined once they have written again. */
  buriedAt(of: Named): number | undefined;
  /** Call when they write again: removes their tombstones. */
  liftTombstones(names: Named[]): Verb<void>;
}
export const NOTHING_GONE: Gone = {
  ...{ channels: new Set(), has: () => false },
  ...{ buriedAt: () => undefined, liftTombstones: () => just(undefined) },
};

const nameOf = ({ channelId, direction, dedupeKey }: MessageKey) => `${channelId} ${direction} ${dedupeKey}`;
const findTombstones = (list: string) =>
  `SELECT channel_id AS "channelId", hash, at FROM erased WHERE (channel_id, hash) IN (VALUES ${list})`;
const deleteTombstones = (list: string) => `DELETE FROM erased WHERE (channel_id, hash) IN (VALUES ${list})`;
const findStored = (
  list: string,
) => `SELECT id, channel_id AS "channelId", chat, carrier, direction, dedupe_key AS "dedupeKey"
  FROM message WHERE dedupe_key IS NOT NULL AND (channel_id, direction, dedupe_key) IN (VALUES ${list})`;

/** Looks up what was erased of these messages, names and channels (at least one). */
export function* findGone(
  { find }: Pick<Transaction, "find">,
  sealer: Sealer,
  channelIds: string[],
  { messages, names = [] }: { messages: MessageKey[]; names?: Named[] },
): Verb<Gone> {
  const key = yield* find("erasure key", "", () => erasureKey(sealer));
  const keyed = messages.filter(({ dedupeKey }) => dedupeKey !== null);
  const hashes = new Map(key === undefined ? [] : keyed.map((of) => [nameOf(of), hashOf(key, of)]));
  const own = key === undefined ? [] : keyed.map((of) => [of.channelId, hashes.get(nameOf(of))]);
  // First: rows that an erasure removes in between are found below by their hashes.
  const underWay = yield* beingErased(sealer, keyed);
  const known = new Map<string, string>();
  const hashOfName = ({ channelId, name }: Named) => {
    const of = `${channelId} ${name}`;
    const made = known.get(of) ?? (key === undefined ? ALL : nameHash(key, channelId, name));
    known.set(of, made);
    return made;
  };
  const named = names.map((of) => [of.channelId, hashOfName(of)]);
  const asked = [...channelIds.map((id) => [id, ALL]), ...own, ...named];
  const buried = yield* inSlices<{ channelId: string; hash: string; at: number }>(findTombstones, asked);
  const times = new Map(buried.map(({ channelId, hash, at }) => [`${channelId} ${hash}`, at]));
  const buriedHashes = new Set(buried.map(({ hash }) => hash));
  const channels = new Set(buried.flatMap(({ channelId, hash }) => (hash === ALL ? [channelId] : [])));
  return {
    channels,
    has: (of) =>
      channels.has(of.channelId) ||
      (of.dedupeKey !== null && (buriedHashes.has(hashes.get(nameOf(of)) ?? "") || underWay.has(nameOf(of)))),
    buriedAt: (of) => times.get(`${of.channelId} ${hashOfName(of)}`),
    *liftTombstones(names) {
      if (key === undefined) return;
      const channelOf = new Map(names.map((of) => [hashOfName(of), of.channelId]));
      const rows = [...channelOf].map(([hash, channelId]) => [channelId, hash]);
      for (const { list, values } of slicesListed(rows)) yield* run(deleteTombstones(list), values);
    },
  };
}

const slicesListed = (rows: unknown[][]) => [...slicesOf(rows, MAX_VALUES)].map(rowsListed);

function* inSlices<Row>(statement: (list: string) => string, rows: unknown[][]): Verb<Row[]> {
  const answers: Row[] = [];
  for (const { list, values } of slicesListed(rows)) answers.push(...(yield* all<Row>(statement(list), values)));
  return answers;
}

/** By name. */
function* beingErased(sealer: Sealer, keyed: MessageKey[]): Verb<Set<string>> {
  if (keyed.length === 0) return new Set();
  const pending = yield* pendingErasures(sealer);
  if (pending.length === 0) return new Set();
  const rows = yield* inSlices<Covered & MessageKey>(
    findStored,
    keyed.map((of) => [of.channelId, of.direction, of.dedupeKey]),
  );
  const includes = pending.map(({ of }) => inclusion(of));
  return new Set(rows.filter((row) => includes.some((is) => is(row))).map(nameOf));
}

/** Undefined when there is no key yet or it does not open: then erased data is not recognized, but messages flow. */
export function* erasureKey(sealer: Sealer): Verb<string | undefined> {
  const stored = yield* metaOf(ERASURE_KEY.row);
  return stored === undefined ? undefined : ifOpens(() => sealer.open(stored, ERASURE_KEY));
}

// Writing tombstones, within a write.

function* erasureKeyOrNew(sealer: Sealer): Verb<string> {
  const known = yield* erasureKey(sealer);
  if (known !== undefined) return known;
  const made = newSecret();
  yield* setMeta(ERASURE_KEY.row, sealer.seal(made, ERASURE_KEY));
  return made;
}

type Orm = Pick<Transaction, "orm">;

function* storeTombstones({ orm }: Orm, channelId: string, hashes: string[], now: number): Verb<void> {
  if (hashes.length === 0) return;
  // Reinsert at the end: rows expire in order of insertion.
  yield* run(orm.delete(erased).where(and(eq(erased.channelId, channelId), inArray(erased.hash, hashes))));
  yield* run(orm.insert(erased).values(hashes.map((hash) => ({ channelId, hash, at: now }))));
}

/** Buries messages of one channel: a repeat counts as known. */
export function* buryMessages(tx: Orm, sealer: Sealer, messages: MessageKey[], now: number): Verb<void> {
  const [one] = messages;
  if (!one) return;
  const key = yield* erasureKeyOrNew(sealer);
  const hashes = messages.flatMap((of) => (of.dedupeKey === null ? [] : [hashOf(key, of)]));
  yield* storeTombstones(tx, one.channelId, [...new Set(hashes)], now);
}

/** Buries chats and customers: work that began earlier must store nothing about them. */
export function* buryNames(tx: Orm, sealer: Sealer, channelId: string, names: string[], now: number): Verb<void> {
  const key = yield* erasureKeyOrNew(sealer);
  yield* storeTombstones(tx, channelId, [...new Set(names.map((name) => nameHash(key, channelId, name)))], now);
}

const LATER = "SELECT at FROM erased WHERE channel_id = @channelId AND hash = @hash AND at >= @at";

/** Whether one of these chats or customers was erased since then, and has not come back. */
export function* erasedSince(sealer: Sealer, channelId: string, names: string[], at: number): Verb<boolean> {
  const key = yield* erasureKey(sealer);
  if (key === undefined) return false;
  for (const name of names)
    if (yield* first(LATER, { channelId, hash: nameHash(key, channelId, name), at })) return true;
  return false;
}

/** Buries a whole account: nothing more may be stored for it. */
export function* buryChannels(tx: Orm, channelIds: string[], now: number): Verb<void> {
  for (const id of channelIds) yield* storeTombstones(tx, id, [ALL], now);
}

/** Skip scan over channels, since each may have many hashes. */
export const BURIED_IN = `WITH RECURSIVE next (id) AS (SELECT min(channel_id) FROM erased UNION ALL
  SELECT (SELECT min(channel_id) FROM erased WHERE channel_id > next.id) FROM next WHERE next.id IS NOT NULL)
  SELECT id FROM next WHERE id IS NOT NULL`;
const GONE = `SELECT id FROM (${BURIED_IN}) AS buried
  WHERE EXISTS (SELECT 1 FROM erased WHERE channel_id = buried.id AND hash = '${ALL}')`;

/** Channels of erased accounts. */
export function* goneChannels(): Verb<string[]> {
  return (yield* all<{ id: string }>(GONE)).map(({ id }) => id);
}

// Ends messages that are being erased, with bookings, so that the ledger shows no hole.

export type Dropped = Pick<
  MessageRow,
  "id" | "accountId" | "channelId" | "direction" | "kind" | "state" | "ack" | "events" | "album"
>;
export const DROPPED = `id, account_id AS "accountId", channel_id AS "channelId", direction, kind, state, ack, events, album`;

/** Values per statement. */
const MAX_VALUES = 1_000;

/** Books the end of their work and acks. */
export function* dropWork(tx: Transaction, rows: Dropped[]): Verb<void> {
  const live = rows.filter(({ state }) => isLive(state));
  const held = rows.filter(({ state }) => state === "held");
  const acks = rows.filter(({ ack }) => isOwed(ack));
  yield* bookRefused(tx, { live, held, acks });
  yield* endAll(tx, [...live, ...held, ...acks]);
}

/** Ends messages without bookings. */
export function* endAll({ orm }: Transaction, rows: Pick<Dropped, "id">[]): Verb<void> {
  const ended = { state: "dropped" as const, head: 0, ack: null };
  const all = [...new Set(rows.map(({ id }) => id))];
  // Heads last: otherwise the trigger would make each of the others the head in turn.
  for (const head of [0, 1])
    for (const ids of slicesOf(all, MAX_VALUES))
      yield* run(
        orm
          .update(messages)
          .set(ended)
          .where(and(eq(messages.head, head), inArray(messages.id, ids))),
      );
}

// Whether unused space may still hold erased data; stored, to survive a crash.

const DONE = "DELETE FROM meta WHERE key = 'traces' AND value = @mark";

/** Call within a write that erases. */
export const oweTraces = (): Verb<void> => setMeta("traces", newId<string>());

/** A mark that each erasure changes; undefined if nothing is owed. */
export const owedTraces = (): Verb<string | undefined> => metaOf("traces");

/** Records that nothing up to the mark is left. */
export const removedTraces = (mark: string): Verb<void> => run(DONE, { mark });
