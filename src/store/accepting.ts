import { and, eq, sql } from "drizzle-orm";
import type { Channel } from "../domain/channel.ts";
import { INBOUND_PATIENCE_MS, type Task } from "../domain/delivery.ts";
import type { ChatId } from "../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../domain/message.ts";
import { beginning, type Plan } from "../domain/plan.ts";
import { gathered } from "./album.ts";
import type { Database } from "./db.ts";
import { messengerChat, saveInbound, saveOutbound } from "./messages.ts";
import { enqueue, lane } from "./queue.ts";
import { inbox, jobs } from "./schema.ts";

function isNew(
  db: Database,
  channelId: string,
  source: "messenger" | "gateway",
  dedupeKey: string,
  now: number,
): boolean {
  const row = { channelId, source, dedupeKey, receivedAt: now };
  return db.orm.insert(inbox).values(row).onConflictDoNothing().run().changes === 1;
}

/** How long an album waits for its next part, ms: parts come within a second, each in a call of its own. */
const ALBUM_MS = 1_200;

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

/** Before anything is written, and all or nothing: a batch that began below the bounds is taken whole. Throws Overload. */
export function admit(
  db: Database,
  channel: Pick<Channel, "id" | "accountId">,
  direction: "inbound" | "outbound",
  arrivals: { chat: ChatId }[],
): void {
  if (arrivals.length === 0) return;
  const known = (chat: ChatId) => (direction === "outbound" ? messengerChat(db, channel.id, chat) : chat);
  const lanes = () => new Set(arrivals.map(({ chat }) => lane(channel.id, direction, known(chat))));
  db.pressure.admit(channel.accountId, lanes);
}

/** False when the event was accepted before. */
export function acceptEvent(db: Database, channel: Channel, event: ChannelEvent, now: number): boolean {
  if (!isNew(db, channel.id, "messenger", event.key, now)) return false;
  if (event.type === "message") saveInbound(db, channel.id, event, now);
  if (event.type === "message" && event.album && joinAlbum(db, channel, event, event.album, now)) return true;
  enqueueEvent(db, channel, event, now);
  return true;
}

export function enqueueEvent(
  db: Database,
  channel: Pick<Channel, "id" | "accountId">,
  event: ChannelEvent,
  now: number,
): void {
  const album = event.type === "message" && event.album ? `${event.chat}/${event.album}` : null;
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "inbound", event.chat),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "inbound", event },
    ...(album && { album, runAt: now + ALBUM_MS }),
  });
}

/** Puts a part of an album to the parts that wait already; one that comes too late is a message of its own. */
function joinAlbum(db: Database, channel: Channel, event: InboundMessage, album: string, now: number): boolean {
  const waiting = db.orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.channelId, channel.id), eq(jobs.album, `${event.chat}/${album}`), sql`${jobs.state} = 'ready'`))
    .get();
  if (!waiting || waiting.attempts > 0) return false;
  const task = JSON.parse(waiting.payload) as Task;
  if (task.direction !== "inbound" || task.event.type !== "message") return false;
  const whole = gathered(task.event, event);
  if (!whole) return false;
  const payload: Task = { direction: "inbound", event: whole };
  db.orm
    .update(jobs)
    .set({ payload: JSON.stringify(payload), runAt: now + ALBUM_MS, updatedAt: now })
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
  if (!isNew(db, channel.id, "gateway", key, now)) return false;
  const known = saveOutbound(db, channel.id, act, now);
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "outbound", known.chat),
    deadlineAt: now + patienceMs,
    payload: { direction: "outbound", act: known },
    work: plan ? JSON.stringify(beginning(plan)) : null,
  });
  return true;
}

export interface Acceptance {
  /** Equal exactly when the gateway repeats the same event. */
  key: string;
  act: OutboundAct;
  /** Absent where the steps depend on what is there when it is carried out. */
  plan?: Plan;
  /** How long the gateway waits for the outcome, ms. */
  patienceMs: number;
}
