import { and, eq, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel/channel.ts";
import type { RawWebhook } from "../../../domain/delivery/raw-webhook.ts";
import type { RelayedEvent } from "../../../domain/message/message.ts";
import {
  actRow,
  albumOf,
  type ChannelRef,
  DEFAULTS,
  directionOf,
  eventRow,
  firstJob,
  type InboundMessage,
  type NewRow,
  partRow,
} from "../../outbox/rows.ts";
import type { Acceptance, Source } from "../../outbox.ts";
import type { SealedWebhook } from "../../tables/channels/raw-webhooks.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { chatSince, knowsChat, meetChat, messengerChat } from "../tables/chats.ts";
import { holeOf } from "../tables/engine.ts";
import { HOLDS_LEASE, IS_FIRST } from "../tables/lanes.ts";
import { book } from "../tables/tally.ts";
import { maySend } from "./claims.ts";
import { hasSlot, type Leaving } from "./leaving.ts";

const at = sql.placeholder;
const NAMES = [
  ...["accountId", "channelId", "direction", "kind", "chat", "dedupeKey", "events", "gatewayMessageId"],
  ...["messengerMessageId", "state", "carrier", "album", "known", "runAt", "deadlineAt", "payload", "work"],
] as const;
/** AUTOINCREMENT's next id. */
const NEXT_ID = "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0) + 1";
const ADD = `INSERT INTO message (${NAMES.map((name) => messages[name].name)}, created_at, updated_at, position, head)
  VALUES (${NAMES.map((name) => `@${name}`)}, @now, @now, ${NEXT_ID}, @state = 'ready' AND ${IS_FIRST})
  ON CONFLICT DO NOTHING`;
/** As above, but already sending: only under the lease, and if its lane is empty. */
const ADD_SENDING = `INSERT INTO message (${NAMES.map((name) => messages[name].name)}, created_at, updated_at, position,
    head, attempts, fence)
  SELECT ${NAMES.map((name) => (name === "state" ? "'sending'" : `@${name}`))}, @now, @now, ${NEXT_ID}, 1, 1, @fence
  WHERE ${IS_FIRST} AND ${HOLDS_LEASE.replace("@account", "@accountId")} ON CONFLICT DO NOTHING`;
const byKey = and(
  eq(messages.channelId, at("channelId")),
  eq(messages.direction, at("direction")),
  sql`dedupe_key IS NOT NULL AND dedupe_key = ${at("dedupeKey")}`,
);
/** It has not left: the gateway would ignore a repeat with one more part. Sent again, it has another position. */
const OPEN = sql`state = 'ready' AND attempts = 0 AND unsure = 0 AND position = id`;
const statements = (orm: Orm) => ({
  known: orm.select({ id: messages.id }).from(messages).where(byKey).prepare(),
  openAlbum: orm
    .select()
    .from(messages)
    .where(and(eq(messages.channelId, at("channelId")), eq(messages.album, at("album")), OPEN))
    .prepare(),
});

/** False when its key was accepted before. Books it at once: a row lost later shows as a hole in the ledger. */
function add(db: Database, row: NewRow, now: number, leaving?: Leaving): boolean {
  // Not by spreading, which Node does slowly.
  const all = Object.assign({ now, runAt: now, fence: leaving?.held.lease.fence }, DEFAULTS, row);
  if (!(leaving && addSending(db, all, leaving)) && !addReady(db, all)) return false;
  if (row.events > 0) seen(db, row, now);
  if (row.events > 0) book(db, { id: row.channelId, accountId: row.accountId }, { accepted: row.events });
  return true;
}

type FullRow = NewRow & Pick<MessageRow, "runAt" | keyof typeof DEFAULTS> & { now: number; fence?: number };

function addReady(db: Database, row: FullRow): boolean {
  const add = db.prepared(ADD);
  if (add.run(row).changes > 0) return true;
  if (row.dedupeKey && db.statements(statements).known.get({ ...row })) return false;
  // Another message has one of its ids: after a restored backup, or an echo of our own.
  add.run({ ...row, gatewayMessageId: null, messengerMessageId: null });
  return true;
}

/** False when it cannot leave at once, or is known: nothing was stored. */
function addSending(db: Database, row: FullRow, leaving: Leaving): boolean {
  const { now, fence = 0, content } = row;
  if (!hasSlot(leaving) || row.runAt > now || row.state !== "ready" || !maySend(db, row, now)) return false;
  const { changes, lastInsertRowid } = db.prepared(ADD_SENDING).run(row);
  if (changes === 0 || !content) return false;
  leaving.jobs.push(firstJob(row, Number(lastInsertRowid), fence, content, now));
  return true;
}

/** In memory: it is recorded every few minutes. */
function seen({ busy }: Database, { channelId, direction }: NewRow, now: number): void {
  const last = busy.get(channelId);
  if (last) last[direction] = now;
  else busy.set(channelId, { [direction]: now });
}

export const isKnown = (db: Database, channelId: string, source: Source, dedupeKey: string): boolean =>
  db.statements(statements).known.get({ channelId, direction: directionOf(source), dedupeKey }) !== undefined ||
  isErased(db, channelId, source, dedupeKey);

/** Its customer was erased: a repeat must bring nothing of them back. */
export function isErased(db: Database, channelId: string, source: Source, dedupeKey: string): boolean {
  const key = { channelId, direction: directionOf(source), dedupeKey };
  if (db.tombstones.has(key)) return true;
  const known = db.erasing.pending().length > 0 && db.statements(statements).known.get(key);
  return known ? db.erasing.covers(known.id) : false;
}

interface AcceptContext {
  channel: Channel;
  source: Source;
  raw?: () => RawWebhook | undefined;
  keep: (requests: SealedWebhook[]) => void;
  again?: boolean;
}

/** Accepts, and stores the request if anything was new. `changes`: new events that the ledger does not count. Returns the number of new events. */
export function acceptAndKeep(
  db: Database,
  from: AcceptContext,
  now: number,
  accept: () => number,
  changes = 0,
): number {
  const { channel, source, raw, keep, again } = from;
  const missing = again ? Math.max(0, holeOf(db, channel)) : 0;
  const added = accept();
  // In a replay, missing events were already counted on arrival.
  const counted = Math.min(missing, added);
  if (counted > 0) book(db, channel, { accepted: -counted });
  const request = added + changes > 0 ? raw?.() : undefined;
  const { id: channelId, accountId: account } = channel;
  if (request) db.atCommit(keep, { account, channelId, source, receivedAt: now, raw: request });
  return added + changes;
}

/** False when the event was accepted before. */
export function acceptEvent(
  db: Database,
  channel: Channel,
  event: RelayedEvent,
  now: number,
  leaving?: Leaving,
): boolean {
  if (event.type !== "message" || !event.album) return addEvent(db, channel, event, now, 1, leaving);
  return joinAlbum(db, channel, event, event.album, now) ?? addEvent(db, channel, event, now, 1);
}

/** `events` is 0 for our own notes, which the ledger does not count, and which have no key. */
export function addEvent(
  db: Database,
  channel: ChannelRef,
  event: RelayedEvent,
  now: number,
  events: 0 | 1,
  leaving?: Leaving,
): boolean {
  const isNews = event.type === "message" && !event.late;
  if (isNews) db.tombstones.lift(channel.id, [event.chat, event.customer?.id ?? event.chat]);
  const since = isNews ? meetChat(db, channel.id, event.chat, now) : chatSince(db, channel.id, event.chat);
  return add(db, eventRow(channel, event, since, now, events), now, leaving);
}

/**
 * Adds the part to its waiting album; false when it was accepted before. Undefined when it is too late: the part becomes a
 * message of its own.
 */
function joinAlbum(
  db: Database,
  channel: Channel,
  event: InboundMessage,
  album: string,
  now: number,
): boolean | undefined {
  const carrier = db.statements(statements).openAlbum.get({ channelId: channel.id, album: albumOf(event, album) });
  if (!carrier || db.erasing.covers(carrier.id)) return undefined;
  const joined = partRow(channel, event, carrier, now);
  if (!joined) return undefined;
  if (!add(db, joined.part, now)) return false;
  db.orm.update(messages).set(joined.change).where(eq(messages.id, carrier.id)).run();
  return true;
}

/** False when `key` was accepted before, or the chat has been erased since it was found. */
export function acceptAct(
  db: Database,
  channel: Channel,
  acceptance: Acceptance,
  now: number,
  leaving?: Leaving,
): boolean {
  const { key, act, toKnown } = acceptance;
  if (isErased(db, channel.id, "gateway", key)) return false;
  if (toKnown && !knowsChat(db, channel.id, act.chat)) return false;
  const chat = messengerChat(db, channel.id, act.chat);
  if (act.type === "message") meetChat(db, channel.id, chat, now);
  return add(db, actRow(channel, acceptance, chat, now), now, leaving);
}
