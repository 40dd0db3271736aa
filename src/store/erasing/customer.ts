import { and, eq, inArray, lte, or, sql } from "drizzle-orm";
import { slicesOf } from "../../domain/counts.ts";
import type { ExpiringNotes } from "../care.ts";
import { eachRow } from "../tables/care/each-row.ts";
import { isNoteOf, noteId } from "../tables/channels/notes.ts";
import type { SealedWebhook } from "../tables/channels/raw-webhooks.ts";
import { all, first, run as runs, type Transaction, type Verb } from "../tables/engine.ts";
import type { CustomerErasure } from "../tables/erasing/erasures.ts";
import { journal, keptFiles, messages } from "../tables/schema.ts";
import { firstOf, inBatches, ROWS, type Run, rest } from "./batches.ts";
import { eraseFiles, markFiles } from "./files.ts";
import { eraseMessages } from "./messages.ts";
import { eraseParked } from "./parked.ts";
import { eraseWebhooks, namedBy, textOf } from "./webhooks.ts";

const QUOTING = { table: "message", key: "id", columns: "id, payload", where: "payload LIKE '%\"quote%'" };
const PAYLOAD = "SELECT payload FROM message WHERE id = @id";
const UNQUOTE = "UPDATE message SET payload = @payload WHERE id = @id";

/** Takes the words of these messages out of quotes: other members of a group may have quoted them. */
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

const PAGE = `SELECT key FROM note WHERE channel_id = @channelId AND key > @after ORDER BY key LIMIT ${ROWS}`;
const REMOVE = "DELETE FROM note WHERE channel_id = @channelId AND key = @key";

/** What follows a chat. */
const partsOf = (id: string): string[] => [...id.matchAll(/[:/]/g)].map(({ index }) => id.slice(index + 1));

/**
 * Notes are `<prefix>:<id>`. Those that expire are about a customer or a message; of the others only those about an own chat
 * go, since what is known of a group is about its other members, too. `ids`: of the customer's messages.
 */
async function eraseNotes(
  run: Run,
  { channelId, chats, customer }: CustomerErasure,
  ids: ReadonlySet<string>,
  expiring: ExpiringNotes[],
): Promise<void> {
  const { erasingEngine, count } = run;
  const isTheirs = (key: string) => {
    const id = noteId(key);
    if (chats.includes(id)) return true;
    if (!expiring.some(({ prefix }) => key.startsWith(prefix))) return false;
    const isOfMessage = [id, ...partsOf(id)].some((part) => ids.has(part));
    return id === customer || isOfMessage || chats.some((chat) => isNoteOf(key, chat));
  };
  const pageAfter = (after: string) =>
    erasingEngine.engine.read(() => all<{ key: string }>(PAGE, { channelId, after }));
  for (let page = await pageAfter(""); page.length > 0; page = await pageAfter(page.at(-1)?.key ?? "")) {
    const theirs = page.filter(({ key }) => isTheirs(key));
    const erase = function* (): Verb<void> {
      for (const { key } of theirs) yield* runs(REMOVE, { channelId, key });
      yield* count({ notes: theirs.length });
    };
    if (theirs.length > 0) await erasingEngine.engine.write(erase);
    await rest(run);
  }
}

/** In an order that can begin again after a crash: messages name what belongs to them, and go after it. */
export async function eraseCustomer(run: Run, of: CustomerErasure, expiring: ExpiringNotes[]): Promise<void> {
  const { channelId, chats, rows } = of;
  const ids = await messengerIds(run, of);
  if (rows.length > 0 || chats.some((chat) => chat !== of.customer)) await unquote(run, channelId, ids);
  await eraseNotes(run, of, ids, expiring);
  const { accountId } = run.erasure;
  const named = namedBy(of.names);
  await eraseWebhooks(
    run,
    (webhook: SealedWebhook) =>
      webhook.account === accountId && webhook.channelId === channelId && named(textOf(webhook.raw)),
  );
  await eraseParked(run, PARKED_FOR, { channelId }, named);
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

/** For the channel, or for its login before the channel had it. */
const PARKED_FOR = `channel_id = @channelId
  OR channel_id IS NULL AND login = (SELECT identity FROM channel WHERE id = @channelId)`;

const LINES = `SELECT position, entry FROM journal
  WHERE channel_id = @channelId AND chat = @chat AND position <= @upTo ORDER BY position LIMIT ${ROWS}`;

function* eraseLines(
  { erasure, count }: Run,
  tx: Transaction,
  { channelId, upTo }: CustomerErasure,
  chat: string,
): Verb<number> {
  const found = yield* all<{ position: number; entry: string }>(LINES, { channelId, chat, upTo: upTo.line });
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

type Named = { id: number; name: string | null };
const OF_CHAT = `SELECT id, messenger_message_id AS name FROM message WHERE channel_id = @channelId AND chat = @chat AND id > @after AND id <= @upTo
  ORDER BY id LIMIT ${10 * ROWS}`;
const OWN = { id: messages.id, name: messages.messengerMessageId };

/** The messenger's ids of their messages. */
async function messengerIds(run: Run, { channelId, chats, rows, upTo }: CustomerErasure): Promise<Set<string>> {
  const { read } = run.erasingEngine.engine;
  const ids = new Set<string>();
  const add = (found: Named[]) => {
    for (const { name } of found) if (name !== null) ids.add(name);
    return rest(run);
  };
  for (const chat of chats)
    for (let after = Number.MIN_SAFE_INTEGER, more = true; more; ) {
      const at = { channelId, chat, after, upTo: upTo.message };
      const found = await read(() => all<Named>(OF_CHAT, at));
      await add(found);
      after = found.at(-1)?.id ?? after;
      more = found.length > 0;
    }
  for (const slice of slicesOf(rows, ROWS))
    await add(await read(({ orm }) => all(orm.select(OWN).from(messages).where(inArray(messages.id, slice)))));
  return ids;
}
