import type { ExpiringNotes } from "../../care.ts";
import type { CustomerErasure } from "../../sqlite/database/erasing.ts";
import { sqliteEngine } from "../../sqlite/tables/engine.ts";
import { eachRow } from "../../tables/each-row.ts";
import type { SealedWebhook } from "../../tables/raw-webhooks.ts";
import { firstOf, inBatches, ROWS, type Run, rest, slicesOf } from "./batches.ts";
import { eraseFiles, markFiles } from "./files.ts";
import { eraseMessages } from "./messages.ts";
import { eraseNotes } from "./notes.ts";
import { eraseParked } from "./parked.ts";
import { eraseWebhooks, namedBy, textOf } from "./webhooks.ts";

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
  for (const chat of chats) await inBatches(run, () => eraseLines(run, of, chat));
  for (const chat of chats) {
    const at = { channelId, chat, upTo: of.upTo.message };
    await inBatches(run, () => eraseMessages(run, "channel_id = @channelId AND chat = @chat AND id <= @upTo", at));
  }
  for (const slice of slicesOf(rows)) {
    const at = { channelId, slice: JSON.stringify(slice) };
    await inBatches(run, () => eraseMessages(run, THEIRS, at));
  }
  await eraseFiles(run, FILES, { channelId, chats: JSON.stringify(chats), mark: run.erasure.id, at: run.erasure.at });
}

/** For the channel, or for its login before the channel had it. */
const PARKED_FOR = `channel_id = @channelId
  OR channel_id IS NULL AND login = (SELECT identity FROM channel WHERE id = @channelId)`;

/** Albums' parts too. */
const THEIRS = `channel_id = @channelId AND (id IN (SELECT value FROM json_each(@slice))
  OR carrier IN (SELECT value FROM json_each(@slice)))`;
const FILES = `channel_id = @channelId AND (chat = @mark
  OR chat IN (SELECT value FROM json_each(@chats)) AND created_at <= @at)`;

const LINES = `SELECT position, entry FROM journal
  WHERE channel_id = @channelId AND chat = @chat AND position <= @upTo ORDER BY position`;

function eraseLines({ db, erasure, count }: Run, { channelId, upTo }: CustomerErasure, chat: string): number {
  const found = db.prepared(LINES).iterate({ channelId, chat, upTo: upTo.line });
  const lines = firstOf(found as Iterable<{ position: number; entry: string }>, ({ entry }) => entry);
  markFiles(
    db,
    erasure.id,
    channelId,
    lines.map(({ entry }) => entry),
  );
  for (const { position } of lines) db.prepared("DELETE FROM journal WHERE position = ?").run(position);
  count({ notes: lines.length });
  return lines.length;
}

type Named = { id: number; name: string | null };
const NAMED = "SELECT id, messenger_message_id AS name FROM message";
const OF_CHAT = `${NAMED} WHERE channel_id = ? AND chat = ? AND id > ? AND id <= ? ORDER BY id LIMIT ${10 * ROWS}`;
const OF_SLICE = `${NAMED} WHERE id IN (SELECT value FROM json_each(?))`;

/** The messenger's ids of their messages. */
async function messengerIds(run: Run, { channelId, chats, rows, upTo }: CustomerErasure): Promise<Set<string>> {
  const { db } = run;
  const ids = new Set<string>();
  const add = (found: Named[]) => {
    for (const { name } of found) if (name !== null) ids.add(name);
    return rest(run);
  };
  for (const chat of chats)
    for (let after = Number.MIN_SAFE_INTEGER, more = true; more; ) {
      const found = db.prepared(OF_CHAT).all(channelId, chat, after, upTo.message) as Named[];
      await add(found);
      after = found.at(-1)?.id ?? after;
      more = found.length > 0;
    }
  for (const slice of slicesOf(rows)) await add(db.prepared(OF_SLICE).all(JSON.stringify(slice)) as Named[]);
  return ids;
}

const QUOTING = { table: "message", key: "id", columns: "id, payload", where: `instr(payload, '"quote') > 0` };
const UNQUOTE = "UPDATE message SET payload = json_remove(payload, '$.quoted', '$.quote.text') WHERE id = ?";

/** Other members of a group may have quoted them. */
async function unquote(run: Run, channelId: string, ids: ReadonlySet<string>): Promise<void> {
  const quoting: number[] = [];
  await eachRow<{ id: number; payload: string }>(sqliteEngine(run.db), QUOTING, [channelId], ({ id, payload }) => {
    if (ids.has(quotedIn(payload) ?? "")) quoting.push(id);
  });
  for (const slice of slicesOf(quoting)) {
    await run.db.write(() => {
      for (const id of slice) run.db.prepared(UNQUOTE).run(id);
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
