import { setImmediate } from "node:timers/promises";
import { and, asc, between, gt } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import { type ChannelId, fingerprint } from "gangway-messenger/ids";
import type { RawWebhook } from "gangway-messenger/port";
import type { Channel } from "../../../domain/channel.ts";
import type { MessageDirection, ParkedLoss } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { Swept } from "../../care.ts";
import type { JournalLimits, JournalRow, JournalStore, NewJournalRow } from "../../channels.ts";
import type { KeptWebhook, NewParked, Parked, ParkedStore, RawWebhookStore } from "../../messages.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { PARKED } from "../care/sealed.ts";
import { all, type Engine, first, run, type Transaction, type Verb } from "../engine.ts";
import { journal, rawWebhooks } from "../schema.ts";

type RawRow = typeof rawWebhooks.$inferSelect;
export type SealedWebhook = KeptWebhook & { account: AccountId };

export const keptRaw = (
  { id, accountId }: Pick<Channel, "id" | "accountId">,
  direction: MessageDirection,
  now: number,
  raw: RawWebhook,
): SealedWebhook => ({
  ...{ account: accountId, channelId: id, receivedAt: now, raw },
  source: direction === "inbound" ? "messenger" : "gateway",
});

/** The row's id is unknown when it is sealed, so the address uses the time. */
export const addressOf = ({ receivedAt }: Pick<RawRow, "receivedAt">): Address => ({
  table: "raw_webhook",
  row: String(receivedAt),
  column: "sealed",
});

/** Body characters sealed together: reading one webhook loads them all. */
const MAX_BATCH_CHARACTERS = 256 * 1024;

/** The rows of webhooks that are stored together. */
export function* rowsOfRaw(sealer: Sealer, webhooks: SealedWebhook[]): Generator<Omit<RawRow, "id">> {
  let batch: SealedWebhook[] = [];
  let length = 0;
  const row = ([first]: SealedWebhook[]) =>
    first ? [{ receivedAt: first.receivedAt, sealed: sealer.seal(JSON.stringify(batch), addressOf(first)) }] : [];
  for (const webhook of webhooks) {
    if (length + webhook.raw.body.length > MAX_BATCH_CHARACTERS) {
      yield* row(batch);
      batch = [];
      length = 0;
    }
    batch.push(webhook);
    length += webhook.raw.body.length;
  }
  yield* row(batch);
}

/** Undefined when it does not open. */
const openRaw = (sealer: Sealer, row: RawRow): SealedWebhook[] | undefined =>
  ifOpens(() => JSON.parse(sealer.open(row.sealed, addressOf(row))));

const LAST_RAW = "SELECT coalesce(max(id), 0) AS id FROM raw_webhook";
const NEXT_RAW = `SELECT id, sealed, received_at AS "receivedAt" FROM raw_webhook WHERE id > @after ORDER BY id LIMIT 1`;
const SAME = "id = @id AND sealed = @old RETURNING id";
const REMOVE_RAW = `DELETE FROM raw_webhook WHERE ${SAME}`;
const REPLACE_RAW = `UPDATE raw_webhook SET sealed = @sealed WHERE ${SAME}`;

/** The newest row's id; 0 when there is none. */
export function* lastRaw(): Verb<number> {
  return (yield* first<{ id: number }>(LAST_RAW))?.id ?? 0;
}

/** The row after `after` with its webhooks; none if it does not open, as nobody can read them. */
export function* nextRaw(sealer: Sealer, after: number): Verb<{ row: RawRow; all: SealedWebhook[] } | undefined> {
  const row = yield* first<RawRow>(NEXT_RAW, { after });
  return row && { row, all: openRaw(sealer, row) ?? [] };
}

/** Reseals the remaining webhooks of a row; undefined if none remain. */
export const sealedRest = (sealer: Sealer, row: RawRow, kept: SealedWebhook[]): string | undefined =>
  kept.length === 0 ? undefined : sealer.seal(JSON.stringify(kept), addressOf(row));

/** Within a write; false if the row has changed since it was read. */
export function* replaceRaw({ id, sealed: old }: RawRow, sealed: string | undefined): Verb<boolean> {
  const same = { id, old };
  return (
    (sealed === undefined ? yield* all(REMOVE_RAW, same) : yield* all(REPLACE_RAW, { ...same, sealed })).length === 1
  );
}

/** Maximum difference between row and webhook times, ms, unless the clock was set back. */
const SLACK_MS = 3_600_000;

/** `sealer` must not feed the log's mask: raw webhooks are customers' text, not secrets. */
export function rawWebhookStore({ read }: Engine, sealer: Sealer): RawWebhookStore {
  return {
    list: async (accountId, { from, to, after = 0 }, rows) => {
      const { id, receivedAt } = rawWebhooks;
      // No index on time: a replay is rare and can afford a scan of a few days.
      const isNear = and(gt(id, after), between(receivedAt, from - SLACK_MS, to + SLACK_MS));
      const found = await read(({ orm }) =>
        all(orm.select().from(rawWebhooks).where(isNear).orderBy(asc(id)).limit(rows)),
      );
      const opened = found.map((row) => ({ row, all: openRaw(sealer, row) }));
      const isWanted = ({ account, receivedAt }: SealedWebhook) =>
        account === accountId && receivedAt >= from && receivedAt < to;
      return {
        webhooks: opened.flatMap(({ all }) => all?.filter(isWanted).map(({ account: _, ...kept }) => kept) ?? []),
        unreadable: opened.flatMap(({ row, all }) => (all ? [] : [{ row: row.id, at: row.receivedAt }])),
        next: found.length === rows ? found.at(-1)?.id : undefined,
      };
    },
  };
}

/** Prefix of `owner` for parts whose login has no channel. */
const STRANGER = "?";
const isStrange = (owner: string): boolean => owner.startsWith(STRANGER);

const HOUR_MS = 3_600_000;
/** As long as messengers repeat a refused request. */
const KEPT_MS = 7 * 24 * HOUR_MS;
/** Long enough for a channel that is being connected. */
const STRANGER_MS = HOUR_MS;

const MIB = 1024 ** 2;
/** Limits per login, and per owner over all logins. One part may have 3 MiB. */
const BOUNDS = { login: { parts: 1_000, bytes: 16 * MIB }, owner: { parts: 5_000, bytes: 64 * MIB } };
const OF_STRANGERS = { login: { parts: 50, bytes: 4 * MIB }, owner: { parts: 500, bytes: 16 * MIB } };
const IN_ALL = { parts: 20_000, bytes: 256 * MIB };
/** Deleted in one transaction. */
const BATCH = 100;

const ADD = `INSERT INTO parked (id, login, owner, channel_id, account_id, size, created_at, expires_at, sealed)
  VALUES (@id, @login, @owner, @channelId, @accountId, @size, @now, @expiresAt, @sealed)
  ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed WHERE parked.owner = excluded.owner`;
const REMOVE_PARKED = "DELETE FROM parked WHERE position = @position";
const LIST = "SELECT position, owner FROM parked WHERE login = @login ORDER BY position";
const READ = "SELECT position, id, owner, sealed FROM parked WHERE position = @position";
const DROP_OF_LOGIN = `DELETE FROM parked WHERE position = (SELECT min(position) FROM parked
  WHERE login = @login AND owner = @owner) RETURNING position`;
const DROP_OF_OWNER = `DELETE FROM parked WHERE position = (SELECT min(position) FROM parked
  WHERE owner = @owner) RETURNING position`;
const ADOPT = `UPDATE parked SET owner = @accountId, account_id = @accountId, channel_id = @channelId,
  expires_at = created_at + ${KEPT_MS} WHERE login = @login AND (owner = @own OR owner = '${STRANGER}')
    AND EXISTS (SELECT 1 FROM channel WHERE id = @channelId)`;
const EXPIRED = `DELETE FROM parked WHERE position IN (
  SELECT position FROM parked WHERE expires_at < @now LIMIT ${BATCH}) RETURNING position`;

const addressOfParked = (row: string): Address => ({ ...PARKED, row });

/** Includes the app: the same part from two apps is no repeat, since each has its own proof. */
const idOf = ({ login, request: { path, body }, from }: NewParked): string =>
  fingerprint(JSON.stringify([login, path, body, from]));
const exceeds = (sum: Sum | undefined, most: Sum): boolean =>
  sum !== undefined && (sum.parts > most.parts || sum.bytes > most.bytes);

interface Sum {
  parts: number;
  bytes: number;
}

const SUM = "count(*) AS parts, coalesce(sum(size), 0) AS bytes";
/** Sums for the owner's parts of a login, all of the owner's, and everyone's; answered from an index alone. */
const SUMS = `SELECT 1 AS n, ${SUM} FROM parked WHERE login = @login AND owner = @owner
  UNION ALL SELECT 2, ${SUM} FROM parked WHERE owner = @owner UNION ALL SELECT 3, ${SUM} FROM parked ORDER BY n`;
/** The owner with the most bytes. */
const LARGEST = "SELECT owner FROM parked GROUP BY owner ORDER BY sum(size) DESC LIMIT 1";
const OWNERS = "SELECT DISTINCT owner FROM parked WHERE login = @login";
const LOGINS = "SELECT DISTINCT login FROM parked";
const FIGURES = `SELECT ${SUM}, count(*) FILTER (WHERE substr(owner, 1, 1) = '${STRANGER}') AS strangers FROM parked`;

/** `sealer` must not feed the log's mask: requests are customers' text, not secrets. */
export function parkedStore({ read, write }: Engine, sealer: Sealer, clock: Clock): ParkedStore {
  const dropped: Record<ParkedLoss, number> = { full: 0, expired: 0 };
  const may = (owner: string, accountId: string) => owner === accountId || isStrange(owner);
  /** Resolves with the number of dropped parts. Outside the parking transaction: its reads would slow down others. */
  const makeRoom = async (login: string, owner: string) => {
    let gone = 0;
    while (await read(() => overfull(login, owner))) gone += await write(() => dropOldest(login, owner));
    return gone;
  };
  return {
    async park(part) {
      const { login, channel, from } = part;
      const owner = channel?.accountId ?? STRANGER + (from ?? "");
      const id = idOf(part);
      const sealed = sealer.seal(
        JSON.stringify({ request: part.request, proven: part.proven ?? false }),
        addressOfParked(id),
      );
      await write(function* (tx): Verb<void> {
        const isErased = channel ? !(yield* tx.mayStore(channel.id, [])) : from && (yield* tx.isAccountErased(from));
        if (isErased) return;
        const now = clock.now();
        yield* run(ADD, {
          ...{ id, login, owner, now, sealed, channelId: channel?.id ?? null },
          accountId: channel?.accountId ?? from ?? null,
          size: Buffer.byteLength(part.request.body),
          expiresAt: now + (channel ? KEPT_MS : STRANGER_MS),
        });
      });
      const gone = await makeRoom(login, owner);
      dropped.full += gone;
      return gone;
    },
    waits: async (login, accountId) =>
      (await read(() => all<{ owner: string }>(OWNERS, { login }))).some(({ owner }) => may(owner, accountId)),
    logins: async () => (await read(() => all<{ login: string }>(LOGINS))).map(({ login }) => login),
    of: async (login, accountId) =>
      (await read(() => all<Pick<ParkedRow, "position" | "owner">>(LIST, { login })))
        .filter(({ owner }) => may(owner, accountId))
        .map(({ position }) => position),
    read: async (position, accountId) => {
      const row = await read(() => first<ParkedRow>(READ, { position }));
      const isOwn = [accountId, STRANGER, STRANGER + accountId].includes(row?.owner ?? "");
      return row && { position, isOwn, part: opened(row, sealer) };
    },
    remove: (position) => write(() => run(REMOVE_PARKED, { position })),
    adopt: (login, { id: channelId, accountId }) =>
      write(() => run(ADOPT, { login, channelId, accountId, own: STRANGER + accountId })),
    async expire() {
      let gone = 0;
      for (let found = BATCH; found === BATCH; gone += found)
        found = (await write(() => all(EXPIRED, { now: clock.now() }))).length;
      dropped.expired += gone;
      return gone;
    },
    figures: async () => {
      const sums = (await read(() => first<Sum & { strangers: number }>(FIGURES))) as Sum & { strangers: number };
      return { ...sums, dropped: { ...dropped } };
    },
  };
}

/** The statement that drops the oldest part of whoever has too many; undefined if nobody has. */
function* overfull(login: string, owner: string): Verb<{ drop: string; values: Record<string, string> } | undefined> {
  const most = isStrange(owner) ? OF_STRANGERS : BOUNDS;
  const [ofLogin, ofOwner, inAll] = yield* all<Sum>(SUMS, { login, owner });
  if (exceeds(ofLogin, most.login)) return { drop: DROP_OF_LOGIN, values: { login, owner } };
  if (exceeds(ofOwner, most.owner)) return { drop: DROP_OF_OWNER, values: { owner } };
  if (!exceeds(inAll, IN_ALL)) return undefined;
  return { drop: DROP_OF_OWNER, values: { owner: (yield* first<{ owner: string }>(LARGEST))?.owner ?? "" } };
}

function* dropOldest(login: string, owner: string): Verb<number> {
  const full = yield* overfull(login, owner);
  return full ? (yield* all(full.drop, full.values)).length : 0;
}

interface ParkedRow {
  position: number;
  id: string;
  owner: string;
  sealed: string;
}

const opened = ({ id, sealed }: ParkedRow, sealer: Sealer): Parked["part"] =>
  ifOpens(() => JSON.parse(sealer.open(sealed, addressOfParked(id))));

/** Undefined when it is gone or does not open. */
export function* parkedRequest(sealer: Sealer, position: number): Verb<RawWebhook | undefined> {
  const row = yield* first<ParkedRow>(READ, { position });
  return row && opened(row, sealer)?.request;
}

/** Files checked together, and journal rows read at once. */
const FILES_AT_ONCE = 100;
const ROWS_AT_ONCE = 500;
const OLD = "FROM kept_file WHERE created_at > @after AND created_at";
const LAST_FILE = `SELECT max(at) AS at FROM (
  SELECT created_at AS at ${OLD} < @before ORDER BY created_at LIMIT ${FILES_AT_ONCE}) AS found`;
const FILES = `SELECT id, created_at AS at ${OLD} <= @last ORDER BY created_at`;
const DROP = "DELETE FROM kept_file WHERE id = @id";
const LINES = "SELECT position, entry FROM journal WHERE position > @after ORDER BY position";
const LINE_FROM = `SELECT position, created_at AS at FROM journal
  WHERE position >= @position ORDER BY position LIMIT 1`;
const END = "SELECT coalesce(max(position), 0) + 1 AS position FROM journal";

interface FileRow {
  id: string;
  at: number;
}

/**
 * Deletes files that were never sent. A journal entry names a sent file soon after it was stored, so the journal is
 * read from there until every file is found. `after` and `next` are times, ms.
 */
export function unsentFiles({ read, write }: Engine): (before: number, after: number) => Promise<Swept> {
  return async (before, after) => {
    const files = await read(() => batch(before, after));
    const [oldest, last] = [files[0], files.at(-1)];
    if (!oldest || !last) return { deleted: 0 };
    const unnamed = new Set(files.map(({ id }) => id));
    let position = await read(() => positionAt(oldest.at - SLACK_MS));
    for (let more = true; more && unnamed.size > 0; await setImmediate())
      ({ position, more } = await read(() => removeNamed(position, unnamed, ROWS_AT_ONCE)));
    const deleted = unnamed.size === 0 ? 0 : await write(() => drop(position, unnamed));
    return { deleted, next: last.at };
  };
}

/** The next files by time, including all of the last one's millisecond. */
function* batch(before: number, after: number): Verb<FileRow[]> {
  const last = (yield* first<{ at: number | null }>(LAST_FILE, { before, after }))?.at ?? null;
  return last === null ? [] : yield* all<FileRow>(FILES, { after, last });
}

/** Rereads the journal's end within the transaction: a message may have arrived since. */
function* drop(position: number, perhaps: ReadonlySet<string>): Verb<number> {
  const unnamed = new Set(perhaps);
  yield* removeNamed(position, unnamed);
  for (const id of unnamed) yield* run(DROP, { id });
  return unnamed.size;
}

const ID = /[\w-]+/g;

/** Removes from `unnamed` the files that the next journal rows name. */
function* removeNamed(after: number, unnamed: Set<string>, limit?: number): Verb<{ position: number; more: boolean }> {
  const text = limit === undefined ? LINES : `${LINES} LIMIT ${limit}`;
  const rows = yield* all<{ position: number; entry: string }>(text, { after });
  for (const { entry } of rows) for (const id of entry.match(ID) ?? []) unnamed.delete(id);
  return { position: rows.at(-1)?.position ?? after, more: rows.length === limit };
}

/** The position before the first entry at or after `time`: a binary search, as positions grow with time. */
function* positionAt(time: number): Verb<number> {
  type Found = { position: number; at: number };
  let low = (yield* first<Found>(LINE_FROM, { position: 0 }))?.position ?? 0;
  let high = (yield* first<{ position: number }>(END))?.position ?? 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* first<Found>(LINE_FROM, { position: middle });
    if (found && found.at < time) low = found.position + 1;
    else high = middle;
  }
  return low - 1;
}

interface Row {
  position: number;
  at: number;
  entry: string;
}
const toRow = (row: Row): JournalRow => ({ ...row, entry: JSON.parse(row.entry) });

/** Chats affected by a row: its own, and the one it is erased with. */
export const chatsOf = ({ chat, of }: Pick<NewJournalRow, "chat" | "of">): string[] =>
  of === undefined ? [chat] : [chat, of];

/**
 * Key range of rows in other logs that are erased with the chat. Quoting prevents one key from being another's prefix;
 * ";" follows ":".
 */
export function keysOf(chat: string): { from: string; to: string } {
  const name = `of:${JSON.stringify(chat)}`;
  return { from: `${name}:`, to: `${name};` };
}

/** The chat whose erasure deletes the row. */
export function ownerOf({ chat, key }: { chat: string; key: string }): string {
  const [, name] = /^of:("(?:[^"\\]|\\.)*"):/.exec(key) ?? [];
  return name === undefined ? chat : JSON.parse(name);
}

const storedKey = ({ key, of }: Pick<NewJournalRow, "key" | "of">): string =>
  of === undefined ? key : keysOf(of).from + key;

export function* writeJournal(
  { orm }: Pick<Transaction, "orm">,
  now: number,
  channelId: ChannelId,
  entries: NewJournalRow[],
): Verb<void> {
  if (entries.length === 0) return;
  const values = entries.map(({ chat, key, of, entry }) => ({
    ...{ channelId, chat, key: storedKey({ key, of }) },
    ...{ entry: JSON.stringify(entry), createdAt: now },
  }));
  yield* run(orm.insert(journal).values(values).onConflictDoNothing());
}

/** Rows read at once: a chat may be long, and its entries large. */
const PAGE = 20;
const ROW = "SELECT position, created_at AS at, entry FROM journal";
const CHAT = "channel_id = @channelId AND chat = @chat";
const AFTER = `${ROW} WHERE ${CHAT} AND position > @from ORDER BY position LIMIT ${PAGE}`;
const BEFORE = `${ROW} WHERE ${CHAT} AND position < @from ORDER BY position DESC LIMIT ${PAGE}`;
// Two range scans of the key index, whose cost a visitor cannot inflate: no index is on the expression of the chat. ";" is the
// character after ":".
const OF_KEY = "channel_id = @channelId AND chat || '' = @chat";
export const UNDER = `SELECT * FROM (
  ${ROW} WHERE ${OF_KEY} AND key = @key UNION ALL
  ${ROW} WHERE ${OF_KEY} AND key > @key || ':' AND key < @key || ';') AS found ORDER BY position`;

/** As many as fit, but at least one. */
function* takeWithin(
  query: string,
  at: { channelId: ChannelId; chat: string; from: number },
  { entries, bytes }: JournalLimits,
): Verb<JournalRow[]> {
  const taken: Row[] = [];
  let size = 0;
  for (let from = at.from; ; from = taken.at(-1)?.position ?? from) {
    const rows = yield* all<Row>(query, { ...at, from });
    for (const row of rows) {
      size += Buffer.byteLength(row.entry);
      if (taken.length > 0 && size > bytes) return taken.map(toRow);
      taken.push(row);
      if (taken.length >= entries) return taken.map(toRow);
    }
    if (rows.length < PAGE) return taken.map(toRow);
  }
}

/** The store, except for what depends on other writers. */
export function journalStore({ read, write }: Engine, clock: Clock): Omit<JournalStore, "follow"> {
  return {
    append: (channelId, rows) =>
      write(function* (tx) {
        // Appending locks the chat, so that rows are committed in order of position.
        for (const chat of [...new Set(rows.flatMap(chatsOf))].sort()) yield* tx.holdLanes(channelId, chat);
        const kept: NewJournalRow[] = [];
        for (const row of rows) if (yield* tx.mayStore(channelId, chatsOf(row))) kept.push(row);
        yield* writeJournal(tx, clock.now(), channelId, kept);
      }, "lanes"),
    after: (channelId, chat, from, limits) => read(() => takeWithin(AFTER, { channelId, chat, from }, limits)),
    latest: async (channelId, chat, limits, from = Number.MAX_SAFE_INTEGER) => {
      const rows = await read(() => takeWithin(BEFORE, { channelId, chat, from }, limits));
      return rows.reverse();
    },
    under: async (channelId, chat, key, of) => {
      const rows = await read(() => all<Row>(UNDER, { channelId, chat, key: storedKey({ key, of }) }));
      return rows.map(toRow);
    },
  };
}
