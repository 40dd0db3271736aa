import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../domain/clock.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Act } from "../audit.ts";
import type { ExpiringNotes } from "../care.ts";
import { ASIDE, FILES } from "../disk/folder.ts";
import type { Erased, ErasureStore, KnownBackup } from "../erasure.ts";
import type { Sealer } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import type { MessageRow } from "../sqlite/database/schema.ts";
import { oweRewrite, owesRewrite, rewriteNow } from "../sqlite/database/traces.ts";
import { isOwed } from "../sqlite/tables/acks.ts";
import { writeAudit } from "../sqlite/tables/audit.ts";
import { isNoteOf, noteId } from "../sqlite/tables/notes.ts";
import { lastRaw, rewriteRaw, type SealedWebhook } from "../sqlite/tables/raw-webhooks.ts";
import { book, bookEnd } from "../sqlite/tables/tally.ts";
import { type Belongings, belongingsOf, channelsOf, findPeople } from "./people.ts";

/** `sealer` must not feed the log's mask: raw webhooks are customers' text, not secrets. */
export function erasureStore(
  db: Database,
  sealer: Sealer,
  clock: Clock,
  folder: string,
  expiring: ExpiringNotes[] = [],
): ErasureStore {
  const { sqlite } = db;
  // Only the process that watches the files may shrink them.
  const removeTraces = () => (db.databaseFiles ? rewriteNow(sqlite, db.databaseFiles) : !owesRewrite(sqlite));
  /** Raw webhooks first and rows last: after a crash the person is still found, and can be erased again. */
  const erase = async (isTheirs: (webhook: SealedWebhook) => boolean, rows: () => Rows): Promise<Erased> => {
    const before = await eraseRaw(db, sealer, isTheirs);
    let webhooks = before.count;
    const lateWebhooks = () => {
      webhooks = before.count + rewriteRaw(db, sealer, isTheirs, { after: before.last }).count;
    };
    const { files, ...rest } = await db.write(() => {
      // At the commit, after the raw webhooks of messages that were accepted in the same transaction.
      db.atCommit(lateWebhooks, undefined);
      oweRewrite(sqlite);
      return rows();
    });
    const counts = { ...rest, webhooks };
    // A crash leaves them to housekeeping.
    for (const id of files) await rm(join(folder, FILES, id), { force: true });
    return { ...counts, files: files.length, gone: removeTraces() };
  };
  return {
    find: (accountId, text) => findPeople(db, accountId, text),
    async customer(accountId, person, by) {
      const theirs = await belongingsOf(db, accountId, person);
      if (!theirs) return undefined;
      const named = namedBy(theirs.names);
      const isTheirs = ({ account, channelId, raw }: SealedWebhook) =>
        account === accountId && channelId === theirs.channelId && named(textOf(raw));
      return erase(isTheirs, () => eraseRows(db, theirs, { accountId, expiring, now: clock.now(), by }));
    },
    async account(accountId, by) {
      const off = sqlite.prepare("SELECT 1 FROM account WHERE id = ? AND active = 0");
      if (!off.get(accountId)) return undefined;
      return erase(
        ({ account }) => account === accountId,
        () => eraseAccount(db, accountId, clock.now(), by),
      );
    },
    removeTraces: async () => removeTraces(),
    backups: async () => [...recordedBackups(db), ...asideIn(folder)].sort((a, b) => b.at - a.at),
  };
}

/** Backups that were made, and those that were restored: they exist, too. */
const recordedBackups = ({ sqlite }: Database): KnownBackup[] =>
  sqlite
    .prepare<[], KnownBackup>(
      `SELECT at, detail ->> 'file' AS file FROM audit WHERE action IN ('backup made', 'backup restored')`,
    )
    .all()
    .map(({ at, file }) => ({ at, file: file ?? undefined }));

/** What a restore has put aside. */
const asideIn = (folder: string): KnownBackup[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(ASIDE))
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));

interface Rows extends Omit<Erased, "webhooks" | "files" | "gone"> {
  files: string[];
}

/** Few at once: they are large, and other writers wait. */
const RAW_AT_ONCE = 4;

async function eraseRaw(db: Database, sealer: Sealer, isTheirs: (webhook: SealedWebhook) => boolean) {
  const end = lastRaw(db);
  let [count, last] = [0, 0];
  while (last < end) {
    const done = await db.write(() => rewriteRaw(db, sealer, isTheirs, { after: last, limit: RAW_AT_ONCE }));
    count += done.count;
    last = done.last ?? end;
    await setImmediate();
  }
  return { count, last: end };
}

/** All that a webhook says, also what its JSON writes in escapes. */
function textOf({ path, headers, body }: SealedWebhook["raw"]): string {
  const parts = [path, JSON.stringify(headers), body];
  try {
    parts.push(JSON.stringify(JSON.parse(body)));
  } catch {
    // No JSON: its text says it all.
  }
  return parts.join("\n");
}

/** Whether a text contains one of the names as a whole: not an id within a longer one. */
function namedBy(names: string[]): (text: string) => boolean {
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\w-])(?:${escaped.join("|")})(?![\\w-])`, "u");
  return (text) => pattern.test(text);
}

function eraseRows(
  db: Database,
  theirs: Belongings,
  { accountId, expiring, now, by }: { accountId: AccountId; expiring: ExpiringNotes[]; now: number; by: Act },
): Rows {
  const { channelId, chats, rows } = theirs;
  const { sqlite } = db;
  const at = { channelId, chats: JSON.stringify(chats), rows: JSON.stringify(rows) };
  const found = sqlite
    .prepare<[object], Row>(
      `SELECT ${COLUMNS} FROM message WHERE channel_id = @channelId
        AND (chat IN (SELECT value FROM json_each(@chats)) OR id IN (SELECT value FROM json_each(@rows))
          OR carrier IN (SELECT value FROM json_each(@rows)))`,
    )
    .all(at);
  endWork(db, found);
  const lines = sqlite
    .prepare<[object], string>(
      `DELETE FROM journal WHERE channel_id = @channelId AND chat IN (SELECT value FROM json_each(@chats)) RETURNING entry`,
    )
    .pluck()
    .all(at);
  const files = eraseFiles(db, channelId, [...lines, ...found.map(({ payload }) => payload ?? "")]);
  if (rows.length > 0 || chats.some((chat) => chat !== theirs.customer)) unquote(db, channelId, found);
  sqlite
    .prepare("DELETE FROM message WHERE channel_id = @channelId AND id IN (SELECT value FROM json_each(@ids))")
    .run({ channelId, ids: JSON.stringify(found.map(({ id }) => id)) });
  sqlite
    .prepare("DELETE FROM chat WHERE channel_id = @channelId AND chat IN (SELECT value FROM json_each(@chats))")
    .run(at);
  db.chats.clear();
  db.onUndo(() => db.chats.clear());
  forbidChats(db, channelId, chats);
  const notes = eraseNotes(db, theirs, found, expiring);
  db.tombstones.bury(found, now);
  const counts = { messages: found.length, notes: lines.length + notes };
  writeAudit(db, now, accountId, by, { channel: channelId, ...counts, files: files.length });
  return { ...counts, files };
}

type Row = Pick<
  MessageRow,
  | "id"
  | "accountId"
  | "channelId"
  | "direction"
  | "dedupeKey"
  | "state"
  | "ack"
  | "events"
  | "album"
  | "chat"
  | "messengerMessageId"
  | "payload"
>;
const COLUMNS = `id, account_id AS accountId, channel_id AS channelId, direction, dedupe_key AS dedupeKey, state, ack, events,
  album, chat, messenger_message_id AS messengerMessageId, payload`;

const LIVE: MessageRow["state"][] = ["ready", "sending", "waiting"];

/** Ends what they are still owed, so that the ledger has no hole and nothing waits for them. */
function endWork(db: Database, rows: Row[]): void {
  const end = db.sqlite.prepare("UPDATE message SET state = 'dropped', head = 0, ack = NULL WHERE id = ?");
  for (const row of rows) {
    const isLive = LIVE.includes(row.state);
    if (isLive || row.state === "held") bookEnd(db, row, "refused");
    if (isLive) db.pressure.ended(row);
    if (isOwed(row.ack)) {
      book(db, { id: row.channelId, accountId: row.accountId }, { acksRefused: 1 });
      db.pressure.ended({ ...row, direction: "ack" });
    }
    if (isLive || isOwed(row.ack)) end.run(row.id);
  }
}

/** Kept files' ids have this length. */
const FILE_ID = /[\w-]{22}/g;

function eraseFiles({ sqlite }: Database, channelId: string, texts: string[]): string[] {
  const remove = sqlite.prepare("DELETE FROM kept_file WHERE channel_id = ? AND id = ?");
  const named = new Set(texts.flatMap((text) => text.match(FILE_ID) ?? []));
  return [...named].filter((id) => remove.run(channelId, id).changes > 0);
}

/** Work under way must not write them back. */
function forbidChats(db: Database, channelId: string, chats: string[]): void {
  const erased = db.erasedChats.get(channelId) ?? new Set();
  for (const chat of chats) erased.add(chat);
  db.erasedChats.set(channelId, erased);
  db.onUndo(() => {
    for (const chat of chats) erased.delete(chat);
  });
}

/** Other members of a group may have quoted them. */
function unquote({ sqlite }: Database, channelId: string, erased: Row[]): void {
  const ids = JSON.stringify(erased.flatMap(({ messengerMessageId: id }) => (id ? [id] : [])));
  sqlite
    .prepare(
      `UPDATE message SET payload = json_remove(payload, '$.quoted', '$.quote.text')
        WHERE channel_id = @channelId AND instr(payload, '"quote') AND json_valid(payload)
          AND coalesce(payload ->> '$.quote.messengerMessageId', payload ->> '$.quote')
            IN (SELECT value FROM json_each(@ids))`,
    )
    .run({ channelId, ids });
}

/**
 * Notes are `<prefix>:<id>`. Those that expire are about a customer or a message; of the others only those about an own chat
 * go, since what is known of a group is about its other members, too.
 */
function eraseNotes(
  { sqlite }: Database,
  { channelId, chats, customer }: Belongings,
  erased: Row[],
  expiring: ExpiringNotes[],
): number {
  const keys = sqlite.prepare<[string], string>("SELECT key FROM note WHERE channel_id = ?").pluck().all(channelId);
  const remove = sqlite.prepare("DELETE FROM note WHERE channel_id = ? AND key = ?");
  const ids = new Set<string>(erased.flatMap(({ messengerMessageId: id }) => (id ? [id] : [])));
  const isTheirs = (key: string) => {
    const id = noteId(key);
    if (chats.includes(id)) return true;
    if (!expiring.some(({ prefix }) => key.startsWith(prefix))) return false;
    return id === customer || ids.has(id) || chats.some((chat) => isNoteOf(key, chat));
  };
  const theirs = keys.filter(isTheirs);
  for (const key of theirs) remove.run(channelId, key);
  return theirs.length;
}

/** Asked of the database, so that no table can be forgotten. */
const tablesWith = ({ sqlite }: Database, column: string): string[] =>
  sqlite
    .prepare<[string], string>(
      `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND columns.name = ?`,
    )
    .pluck()
    .all(column);

/** The audit log keeps that an account was erased, not which. */
function eraseAccount(db: Database, accountId: AccountId, now: number, by: Act): Rows {
  const { sqlite } = db;
  const ofAccount = "(SELECT id FROM channel WHERE account_id = @accountId)";
  const remove = (table: string, where: string) =>
    sqlite.prepare(`DELETE FROM ${table} WHERE ${where}`).run({ accountId }).changes;
  const channels = channelsOf(db, accountId);
  const files = sqlite
    .prepare<[object], string>(`SELECT id FROM kept_file WHERE channel_id IN ${ofAccount}`)
    .pluck()
    .all({ accountId });
  const byChannel = tablesWith(db, "channel_id");
  const counts = new Map(byChannel.map((table) => [table, remove(table, `channel_id IN ${ofAccount}`)]));
  for (const table of tablesWith(db, "account_id")) remove(table, "account_id = @accountId");
  remove("account", "id = @accountId");
  db.tombstones.buryChannels(channels, now);
  db.chats.clear();
  db.pressure.recount();
  db.onUndo(db.pressure.recount);
  const of = (table: string) => counts.get(table) ?? 0;
  const erased = { messages: of("message"), notes: of("journal") + of("note") };
  writeAudit(db, now, undefined, by, { ...erased, files: files.length });
  return { ...erased, files };
}
