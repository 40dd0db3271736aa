import { and, eq, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel.ts";
import { INBOUND_PATIENCE_MS, type Task } from "../../../domain/delivery.ts";
import type { ChatId } from "../../../domain/ids.ts";
import type { ChannelEvent } from "../../../domain/message.ts";
import { newWork } from "../../../domain/plan.ts";
import type { RawWebhook } from "../../../domain/raw-webhook.ts";
import type { Acceptance, Source } from "../../outbox.ts";
import type { Database, Orm } from "../database/db.ts";
import { inbox, jobs } from "../database/schema.ts";
import { hasMessageBefore, messengerChat, saveInbound, saveOutbound } from "../tables/messages.ts";
import { contentOf, enqueue, lane } from "../tables/queue.ts";
import type { SealedWebhook } from "../tables/raw-webhooks.ts";
import { book } from "../tables/tally.ts";
import { addToAlbum } from "./album.ts";
import { ledgerRowOf } from "./ledger.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const row = { channelId: at("channelId"), source: at("source"), dedupeKey: at("dedupeKey"), receivedAt: at("now") };
  return {
    receive: orm.insert(inbox).values(row).onConflictDoNothing().prepare(),
    openAlbum: orm
      .select()
      .from(jobs)
      .where(and(eq(jobs.channelId, at("channelId")), eq(jobs.album, at("album")), sql`state = 'ready'`))
      .prepare(),
  };
};

/** Books a new key as accepted at once: a job lost later shows as a hole in the ledger. */
function isNew(
  db: Database,
  channel: Pick<Channel, "id" | "accountId">,
  source: Source,
  dedupeKey: string,
  now: number,
): boolean {
  const row = { channelId: channel.id, source, dedupeKey, now };
  if (db.statements(statements).receive.run(row).changes === 0) return false;
  book(db, channel, { accepted: 1 });
  return true;
}

export const isKnown = (db: Database, channelId: string, source: Source, key: string): boolean =>
  db.orm
    .select({ id: inbox.id })
    .from(inbox)
    .where(and(eq(inbox.channelId, channelId), eq(inbox.source, source), eq(inbox.dedupeKey, key)))
    .get() !== undefined;

interface AcceptContext {
  channel: Channel;
  source: Source;
  raw?: () => RawWebhook | undefined;
  keep: (requests: SealedWebhook[]) => void;
  again?: boolean;
}

/** Accepts, and stores the request if anything was new. Returns the number of new events. */
export function acceptAndKeep(db: Database, from: AcceptContext, now: number, accept: () => number): number {
  const { channel, source, raw, keep, again } = from;
  const missing = again ? Math.max(0, ledgerRowOf(db, channel).hole) : 0;
  const added = accept();
  // In a replay, missing events were already counted on arrival.
  const counted = Math.min(missing, added);
  if (counted > 0) book(db, channel, { accepted: -counted });
  const request = added > 0 ? raw?.() : undefined;
  const { id: channelId, accountId: account } = channel;
  if (request) db.atCommit(keep, { account, channelId, source, receivedAt: now, raw: request });
  return added;
}

/** A chat older than this is known, ms; floods come from new chats. */
const KNOWN_MS = 3_600_000;
/** How long an album waits for its next part, ms: parts arrive within a second, each in its own call. */
const ALBUM_MS = 1_200;

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

/** Call before any write. Below the bounds it admits a whole batch, even if that exceeds them. Throws Overload. */
export function admit(
  db: Database,
  channel: Pick<Channel, "id" | "accountId">,
  direction: "inbound" | "outbound",
  arrivals: { chat: ChatId }[],
): void {
  if (arrivals.length === 0) return;
  const ofChannel = { accountId: channel.accountId, channelId: channel.id, direction };
  const lanes = () =>
    new Set(arrivals.map(({ chat }) => lane(channel.id, direction, messengerChat(db, channel.id, chat))));
  db.pressure.admit(ofChannel, lanes);
}

/** False when the event was accepted before. */
export function acceptEvent(db: Database, channel: Channel, event: ChannelEvent, now: number): boolean {
  if (!isNew(db, channel, "messenger", event.key, now)) return false;
  if (event.type === "message") saveInbound(db, channel.id, event, now);
  if (event.type === "message" && event.album && joinAlbum(db, channel, event, event.album, now)) return true;
  enqueueEvent(db, channel, event, now, 1);
  return true;
}

/** `events` is 0 for our own notes, which the ledger does not count. */
export function enqueueEvent(
  db: Database,
  channel: Pick<Channel, "id" | "accountId">,
  event: ChannelEvent,
  now: number,
  events: 0 | 1,
): void {
  const album = event.type === "message" && event.album ? `${event.chat}/${event.album}` : null;
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "inbound", event.chat),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "inbound", event },
    known: hasMessageBefore(db, channel.id, event.chat, now - KNOWN_MS) ? 1 : 0,
    events,
    ...(album && { album, runAt: now + ALBUM_MS }),
  });
}

/** Adds the part to its waiting album. False when it is too late: the part becomes a message of its own. */
function joinAlbum(db: Database, channel: Channel, event: InboundMessage, album: string, now: number): boolean {
  const waiting = db.statements(statements).openAlbum.get({ channelId: channel.id, album: `${event.chat}/${album}` });
  if (!waiting || waiting.attempts > 0) return false;
  const task = contentOf(waiting)?.task;
  if (task?.direction !== "inbound" || task.event.type !== "message") return false;
  const whole = addToAlbum(task.event, event);
  if (!whole) return false;
  const payload: Task = { direction: "inbound", event: whole };
  db.orm
    .update(jobs)
    .set({ payload: JSON.stringify(payload), events: waiting.events + 1, runAt: now + ALBUM_MS, updatedAt: now })
    .where(eq(jobs.id, waiting.id))
    .run();
  return true;
}

/** False when `key` was accepted before. */
export function acceptAct(
  db: Database,
  channel: Channel,
  { key, act, plan, patienceMs }: Acceptance,
  now: number,
): boolean {
  if (!isNew(db, channel, "gateway", key, now)) return false;
  const known = saveOutbound(db, channel.id, act, now);
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "outbound", known.chat),
    deadlineAt: now + patienceMs,
    payload: { direction: "outbound", act: known },
    events: 1,
    work: plan ? JSON.stringify(newWork(plan)) : null,
  });
  return true;
}
