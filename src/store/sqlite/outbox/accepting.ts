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
import { messengerChat, saidBefore, saveInbound, saveOutbound } from "../tables/messages.ts";
import { contentOf, enqueue, lane } from "../tables/queue.ts";
import type { Sealed } from "../tables/raw-webhooks.ts";
import { book } from "../tables/tally.ts";
import { gathered } from "./album.ts";
import { lineOf } from "./ledger.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const row = { channelId: at("channelId"), source: at("source"), dedupeKey: at("dedupeKey"), receivedAt: at("now") };
  return {
    receive: orm.insert(inbox).values(row).onConflictDoNothing().prepare(),
    gathering: orm
      .select()
      .from(jobs)
      .where(and(eq(jobs.channelId, at("channelId")), eq(jobs.album, at("album")), sql`state = 'ready'`))
      .prepare(),
  };
};

/** Counts what is new as accepted, whatever becomes of its job: a job that gets lost leaves a hole in the ledger. */
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

interface Bringing {
  channel: Channel;
  source: Source;
  raw?: () => RawWebhook | undefined;
  /** Keeps the requests of a commit. */
  keep: (requests: Sealed[]) => void;
  again?: boolean;
}

/** Accepts, and keeps the request that brought something new. Answers with how many events were new. */
export function keeping(db: Database, from: Bringing, now: number, accept: () => number): number {
  const { channel, source, raw, keep, again } = from;
  const hole = again ? Math.max(0, lineOf(db, channel).hole) : 0;
  const added = accept();
  // What is found missing when it is run again was counted when it came.
  const counted = Math.min(hole, added);
  if (counted > 0) book(db, channel, { accepted: -counted });
  const request = added > 0 ? raw?.() : undefined;
  const { id: channelId, accountId: account } = channel;
  if (request) db.atCommit(keep, { account, channelId, source, receivedAt: now, raw: request });
  return added;
}

/** A chat is known when something was said in it so long ago, ms: strangers who begin chats only to flood have not. */
const KNOWN_MS = 3_600_000;
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

/** `events` is how many accepted ones it carries: none when the house says it by itself. */
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
    known: saidBefore(db, channel.id, event.chat, now - KNOWN_MS) ? 1 : 0,
    events,
    ...(album && { album, runAt: now + ALBUM_MS }),
  });
}

/** Puts a part of an album to the parts that wait already; one that comes too late is a message of its own. */
function joinAlbum(db: Database, channel: Channel, event: InboundMessage, album: string, now: number): boolean {
  const waiting = db.statements(statements).gathering.get({ channelId: channel.id, album: `${event.chat}/${album}` });
  if (!waiting || waiting.attempts > 0) return false;
  const task = contentOf(waiting)?.task;
  if (task?.direction !== "inbound" || task.event.type !== "message") return false;
  const whole = gathered(task.event, event);
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
