import { setImmediate } from "node:timers/promises";
import { and, eq, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { slicesOf } from "../../domain/counts.ts";
import type { NotePrefix } from "../care.ts";
import { keepAccepted } from "../tables/accounts/ledger.ts";
import { PARKED } from "../tables/care/sealed.ts";
import { eachRow } from "../tables/care/windows.ts";
import { removeNotes } from "../tables/channels/channels.ts";
import { messageNames, notesIn, noteTest, prefixesIn } from "../tables/channels/customers-notes.ts";
import {
  keysOf,
  lastRaw,
  nextRaw,
  parkedRequest,
  replaceRaw,
  type SealedWebhook,
  sealedRest,
} from "../tables/channels/raw-webhooks.ts";
import { all, first, run as runs, type Transaction, type Verb } from "../tables/engine.ts";
import {
  ACCOUNTS,
  type AccountErasure,
  buryChannels,
  buryMessages,
  buryNames,
  type CustomerErasure,
  DROPPED,
  type Dropped,
  dropWork,
} from "../tables/erasing/erasures.ts";
import { journal, keptFiles, type MessageRow, messages } from "../tables/schema.ts";
import { firstOf, inBatches, ROWS, type Run, rest } from "./engine.ts";

/** Finds ids of kept files by their length. */
export const filesIn = (text: string | null): string[] => text?.match(/[\w-]{22}/g) ?? [];

/** Call within a write: marks the files these texts name for the erasure, since the texts are deleted first. */
function* markFiles({ orm }: Transaction, mark: string, channelId: string, texts: (string | null)[]): Verb<void> {
  const named = new Set(texts.flatMap(filesIn));
  const theirs = and(eq(keptFiles.channelId, channelId), inArray(keptFiles.id, [...named]));
  if (named.size > 0) yield* runs(orm.update(keptFiles).set({ chat: mark }).where(theirs));
}

/** Deletes bytes first: after a crash the rows still name them. */
async function eraseFiles(run: Run, where: SQL | undefined): Promise<void> {
  const { erasingEngine, count } = run;
  const find = () =>
    erasingEngine.engine.read(({ orm }) =>
      all(orm.select({ id: keptFiles.id }).from(keptFiles).where(where).limit(ROWS)),
    );
  for (let ids = await find(); ids.length > 0; ids = await find()) {
    const some = ids.map(({ id }) => id);
    await erasingEngine.removeFiles(some);
    await erasingEngine.engine.write(function* ({ orm }) {
      const of = and(where, inArray(keptFiles.id, some));
      const gone = yield* all(orm.delete(keptFiles).where(of).returning({ id: keptFiles.id }));
      yield* count({ files: gone.length });
    });
    await rest(run);
  }
}

type Row = Dropped & Pick<MessageRow, "dedupeKey" | "payload">;
const SELECT = sql.raw(`SELECT ${DROPPED}, dedupe_key AS "dedupeKey", payload FROM message WHERE channel_id =`);

/** Call within a write: deletes a batch of a channel's messages, leaving hashes of their keys. Returns their number. */
function* eraseMessages(
  { sealer, erasure, now, count }: Run,
  tx: Transaction,
  channelId: string,
  where: SQL,
): Verb<number> {
  const rows = yield* firstMessages(channelId, where);
  yield* dropWork(tx, rows);
  yield* markFiles(
    tx,
    erasure.id,
    channelId,
    rows.map(({ payload }) => payload),
  );
  yield* remove(tx, rows);
  yield* buryMessages(tx, sealer, rows, now());
  yield* count({ messages: rows.length });
  return rows.length;
}

/** The same for an account, where channel tombstones suffice. */
function* eraseAllMessages({ count }: Run, tx: Transaction, channelId: string): Verb<number> {
  const rows = yield* firstMessages(channelId, sql`true`);
  yield* remove(tx, rows);
  yield* count({ messages: rows.length });
  return rows.length;
}

function* firstMessages(channelId: string, where: SQL): Verb<Row[]> {
  const rows = yield* all<Row>(sql`${SELECT} ${channelId} AND ${where} LIMIT ${sql.raw(String(ROWS))}`);
  return firstOf(rows, ({ payload }) => payload);
}

function* remove({ orm }: Transaction, rows: Row[]): Verb<void> {
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) yield* runs(orm.delete(messages).where(inArray(messages.id, ids)));
}

/** Reseals rows of raw webhooks without the customer's webhooks. One row at a time: rows are large. */
async function eraseWebhooks(run: Run, isTheirs: (webhook: SealedWebhook) => boolean): Promise<void> {
  const { erasingEngine, sealer, count } = run;
  const { read, write } = erasingEngine.engine;
  const end = await read(lastRaw);
  for (let after = 0; after < end; await setImmediate()) {
    const at = after;
    const found = await read(() => nextRaw(sealer, at));
    if (!found) return;
    const { row, all } = found;
    const kept = all.filter((webhook) => !isTheirs(webhook));
    const gone = all.length - kept.length;
    if (gone > 0) {
      const rest = sealedRest(sealer, row, kept);
      const stored = await write(function* () {
        const isSame = yield* replaceRaw(row, rest);
        if (isSame) yield* count({ webhooks: gone });
        return isSame;
      });
      if (!stored) continue;
    }
    after = row.id;
  }
}

/** A webhook's text, with JSON escapes decoded. */
function textOf({ path, headers, body }: SealedWebhook["raw"]): string {
  const parts = [path, JSON.stringify(headers), body];
  try {
    parts.push(JSON.stringify(JSON.parse(body)));
  } catch {
    // Not JSON: the raw text suffices.
  }
  return parts.join("\n");
}

const MAX_ALTERNATIVES = 200;

/** Tests whether a text contains one of the names as a whole, not within a longer id. */
export function namedBy(names: string[]): (text: string) => boolean {
  const isWord = (name: string) => /^[\w-]+$/.test(name);
  const words = new Set(names.filter(isWord));
  const escaped = names.filter((name) => !isWord(name)).map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  // One pattern of all names may be too large.
  const patterns = Array.from(
    slicesOf(escaped, MAX_ALTERNATIVES),
    (some) => new RegExp(`(?<![\\w-])(?:${some.join("|")})(?![\\w-])`, "u"),
  );
  const hasWord = (text: string) => {
    for (const [word] of text.matchAll(/[\w-]+/g)) if (words.has(word)) return true;
    return false;
  };
  return (text) => hasWord(text) || patterns.some((pattern) => pattern.test(text));
}

const REMOVE_PARKED = `DELETE FROM ${PARKED.table} WHERE position = @position RETURNING position`;

/** Deletes parked parts of requests that name a person. A part goes whole, although it may be about others, too. */
export async function eraseParked(
  { erasingEngine, sealer, count }: Pick<Run, "erasingEngine" | "sealer" | "count">,
  where: string,
  values: Record<string, unknown>,
  named: (text: string) => boolean,
): Promise<void> {
  const { read, write } = erasingEngine.engine;
  const list = `SELECT position FROM ${PARKED.table} WHERE ${where}`;
  for (const { position } of await read(() => all<{ position: number }>(list, values))) {
    const request = await read(() => parkedRequest(sealer, position));
    if (request && named(textOf(request)))
      await write(function* () {
        yield* count({ webhooks: (yield* all(REMOVE_PARKED, { position })).length });
      });
    await setImmediate();
  }
}

const QUOTING = {
  ...{ table: "message", key: "id", columns: "id, payload", large: ["payload"] },
  where: "payload LIKE '%\"quote%'",
};
const PAYLOAD = "SELECT payload FROM message WHERE id = @id";
const UNQUOTE = "UPDATE message SET payload = @payload WHERE id = @id";

/** Removes these messages' texts from quotes by other members of a group. */
async function unquote(run: Run, channelId: string, ids: ReadonlySet<string>): Promise<void> {
  const { engine } = run.erasingEngine;
  const quoting: number[] = [];
  await eachRow<{ id: number; payload: string }>(engine, QUOTING, [channelId], ({ id, payload }) => {
    if (ids.has(quotedIn(payload) ?? "")) quoting.push(id);
  });
  for (const slice of slicesOf(quoting, ROWS)) {
    await engine.write(function* (): Verb<void> {
      for (const id of slice) {
        const row = yield* first<{ payload: string | null }>(PAYLOAD, { id });
        if (row?.payload) yield* runs(UNQUOTE, { id, payload: withoutQuote(row.payload) });
      }
    });
    await rest(run);
  }
}

function quotedIn(payload: string): string | undefined {
  try {
    const { quote } = JSON.parse(payload);
    return quote?.messengerMessageId ?? quote;
  } catch {
    return undefined;
  }
}

function withoutQuote(payload: string): string {
  const { quoted: _, quote, ...said } = JSON.parse(payload);
  if (quote && typeof quote === "object") delete quote.text;
  return JSON.stringify({ ...said, quote });
}

async function eraseNotes(
  run: Run,
  { channelId }: CustomerErasure,
  isTheirs: ReturnType<typeof noteTest>,
): Promise<void> {
  const { engine } = run.erasingEngine;
  for await (const page of notesIn(engine, channelId)) {
    const theirs = page.filter(isTheirs);
    for (const slice of slicesOf(theirs, ROWS))
      await engine.write(function* () {
        yield* removeNotes(channelId, slice);
        yield* run.count({ notes: slice.length });
      });
    await rest(run);
  }
}

/** Repeatable after a crash: messages name what belongs to them, so they are deleted last. */
export async function eraseCustomer(run: Run, of: CustomerErasure, notes: NotePrefix[]): Promise<void> {
  const { channelId, chats, rows } = of;
  const { engine } = run.erasingEngine;
  const named = await messageNames(engine, of, of.upTo.message, () => rest(run));
  if (rows.length > 0 || chats.some((chat) => chat !== of.customer)) await unquote(run, channelId, named.ids);
  await eraseNotes(run, of, noteTest(of, named, await prefixesIn(engine, channelId, notes)));
  const { accountId } = run.erasure;
  const isNamed = namedBy(of.names);
  await eraseWebhooks(
    run,
    (webhook: SealedWebhook) =>
      webhook.account === accountId && webhook.channelId === channelId && isNamed(textOf(webhook.raw)),
  );
  await eraseParked(run, PARKED_FOR, { channelId }, isNamed);
  for (const chat of chats) await inBatches(run, (tx) => eraseLines(run, tx, of, chat));
  for (const chat of chats) {
    const theirs = sql`chat = ${chat} AND id <= ${of.upTo.message}`;
    await inBatches(run, (tx) => eraseMessages(run, tx, channelId, theirs));
  }
  for (const slice of slicesOf(rows, ROWS)) {
    // Albums' parts too.
    const theirs = sql`(${inArray(messages.id, slice)} OR ${inArray(messages.carrier, slice)})`;
    await inBatches(run, (tx) => eraseMessages(run, tx, channelId, theirs));
  }
  const before = and(inArray(keptFiles.chat, chats), lte(keptFiles.createdAt, run.erasure.at));
  await eraseFiles(run, and(eq(keptFiles.channelId, channelId), or(eq(keptFiles.chat, run.erasure.id), before)));
}

/** Parts parked for the channel, or for its login before the channel had it. */
const PARKED_FOR = `channel_id = @channelId
  OR channel_id IS NULL AND login = (SELECT identity FROM channel WHERE id = @channelId)`;

const LINES = `SELECT position, entry FROM journal
  WHERE channel_id = @channelId AND chat = @chat AND position <= @upTo ORDER BY position LIMIT ${ROWS}`;
/** The customer's rows in logs that several chats share. */
const SHARED_LINES = `SELECT position, entry FROM journal
  WHERE channel_id = @channelId AND key > @from AND key < @to AND position <= @upTo ORDER BY position LIMIT ${ROWS}`;

function* eraseLines(
  { erasure, count }: Run,
  tx: Transaction,
  { channelId, upTo }: CustomerErasure,
  chat: string,
): Verb<number> {
  type Line = { position: number; entry: string };
  const own = yield* all<Line>(LINES, { channelId, chat, upTo: upTo.line });
  const found = own.length > 0 ? own : yield* all<Line>(SHARED_LINES, { channelId, ...keysOf(chat), upTo: upTo.line });
  const lines = firstOf(found, ({ entry }) => entry);
  if (lines.length === 0) return 0;
  yield* markFiles(
    tx,
    erasure.id,
    channelId,
    lines.map(({ entry }) => entry),
  );
  const positions = lines.map(({ position }) => position);
  const gone = yield* all(
    tx.orm.delete(journal).where(inArray(journal.position, positions)).returning({ position: journal.position }),
  );
  yield* count({ notes: gone.length });
  return lines.length;
}

/** Tables through which an account is found, works or is reported; ordered by their references. */
const AT_ONCE = ["web_session", "account_lease", "vendor_event", "tally", "channel"];

/** Parts parked before or after a channel of the account had the login. */
const STRANGERS = `DELETE FROM parked WHERE channel_id IS NULL
  AND login IN (SELECT identity FROM channel WHERE account_id = @accountId)
  AND login NOT IN (SELECT identity FROM channel
    WHERE account_id <> @accountId AND state <> 'removed' AND identity IS NOT NULL)`;

/** Call within the first write: from here on the account cannot be found, and nothing is stored for it. */
export function* closeAccount(
  tx: Transaction,
  { sealer, erasure: { accountId, at } }: Pick<Run, "sealer" | "erasure">,
  channels: string[],
): Verb<void> {
  yield* buryChannels(tx, channels, at);
  yield* buryNames(tx, sealer, ACCOUNTS, [accountId], at);
  yield* runs(STRANGERS, { accountId });
  yield* keepAccepted(accountId);
  for (const table of AT_ONCE) yield* runs(`DELETE FROM ${table} WHERE account_id = @accountId`, { accountId });
  yield* runs("DELETE FROM account WHERE id = @accountId", { accountId });
}

export async function eraseAccount(run: Run, { channels }: AccountErasure): Promise<void> {
  const { accountId } = run.erasure;
  const { engine, tablesWith } = run.erasingEngine;
  await eraseWebhooks(run, ({ account }) => account === accountId);
  const ofChannels = await engine.read(() => tablesWith("channel_id"));
  for (const channelId of channels) {
    await inBatches(run, (tx) => eraseAllMessages(run, tx, channelId));
    await eraseFiles(run, eq(keptFiles.channelId, channelId));
    for (const table of ofChannels) if (table !== TOMBSTONES) await eraseRows(run, table, "channel_id", channelId);
  }
  for (const table of await engine.read(() => tablesWith("account_id")))
    await eraseRows(run, table, "account_id", accountId);
}

const TOMBSTONES = "erased";
/** Journal rows, and notes. */
const NOTES = ["journal", "note"];

async function eraseRows(run: Run, table: string, column: string, value: string): Promise<void> {
  const some = run.erasingEngine.some(table, `"${column}" = @value`, ROWS);
  const remove = `DELETE FROM "${table}" WHERE ${some} RETURNING 1`;
  await inBatches(run, function* () {
    const gone = (yield* all(remove, { value })).length;
    if (gone > 0 && NOTES.includes(table)) yield* run.count({ notes: gone });
    return gone;
  });
}
