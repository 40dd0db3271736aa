import { and, eq, isNull } from "drizzle-orm";
import type { Job } from "../domain/delivery.ts";
import {
  type ChannelId,
  type ChatId,
  fitGatewayId,
  type GatewayMessageId,
  type MessengerMessageId,
} from "../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../domain/message.ts";
import type { Database } from "./db.ts";
import { messages } from "./schema.ts";

/** Which gateway message is which messenger message. */
export interface MessageStore {
  /** The gateway's id of a messenger message, once it is known. */
  gatewayId(channelId: ChannelId, id: MessengerMessageId): Promise<GatewayMessageId | undefined>;
  /** The messenger's ids of all parts of the message one of whose parts this is, in order. */
  parts(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId[]>;
}

export function messageStore(db: Database): MessageStore {
  const byMessengerId = (channelId: ChannelId, id: MessengerMessageId) =>
    db.orm
      .select()
      .from(messages)
      .where(and(eq(messages.channelId, channelId), eq(messages.messengerMessageId, id)))
      .get();
  return {
    gatewayId: async (channelId, id) => byMessengerId(channelId, id)?.gatewayMessageId as GatewayMessageId | undefined,
    parts: async (channelId, id) => {
      const gatewayMessageId = byMessengerId(channelId, id)?.gatewayMessageId;
      if (!gatewayMessageId) return [id];
      return db.orm
        .select()
        .from(messages)
        .where(and(eq(messages.channelId, channelId), eq(messages.gatewayMessageId, gatewayMessageId)))
        .orderBy(messages.part)
        .all()
        .flatMap((row) => (row.messengerMessageId ? [row.messengerMessageId as MessengerMessageId] : []));
    },
  };
}

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

export function saveInbound(db: Database, channelId: ChannelId, event: InboundMessage, now: number): void {
  db.orm
    .insert(messages)
    .values({
      channelId,
      direction: "inbound",
      chat: event.chat,
      gatewayChat: fitGatewayId(event.chat),
      messengerMessageId: event.messengerMessageId,
      part: 0,
      createdAt: now,
    })
    .onConflictDoNothing()
    .run();
}

/** Saves the message of an act; the answer names the chat as the messenger knows it. */
export function saveOutbound(db: Database, channelId: ChannelId, act: OutboundAct, now: number): OutboundAct {
  const known = { ...act, chat: messengerChat(db, channelId, act.chat) };
  if (known.type !== "message") return known;
  db.orm
    .insert(messages)
    .values({
      channelId,
      direction: "outbound",
      chat: known.chat,
      gatewayChat: act.chat,
      gatewayMessageId: known.gatewayMessageId,
      part: 0,
      createdAt: now,
    })
    .onConflictDoNothing()
    .run();
  return known;
}

/** A chat id that was too long for the gateway comes back shortened; the long one is in our table. */
function messengerChat(db: Database, channelId: ChannelId, gatewayChat: ChatId): ChatId {
  if (!gatewayChat.startsWith("h:")) return gatewayChat;
  const row = db.orm
    .select({ chat: messages.chat })
    .from(messages)
    .where(and(eq(messages.channelId, channelId), eq(messages.gatewayChat, gatewayChat)))
    .limit(1)
    .get();
  return (row?.chat ?? gatewayChat) as ChatId;
}

interface Ids {
  gatewayMessageId?: GatewayMessageId;
  messengerMessageIds?: MessengerMessageId[];
}

/** Writes the other side's ids beside ours, in the transaction that ends the job. */
export function settleMessage(db: Database, job: Job, ids: Ids, now: number): void {
  const { task, channelId } = job;
  if (task.direction === "inbound" && task.event.type === "message" && ids.gatewayMessageId) {
    db.orm
      .update(messages)
      .set({ gatewayMessageId: ids.gatewayMessageId })
      .where(
        and(
          eq(messages.channelId, channelId),
          eq(messages.messengerMessageId, task.event.messengerMessageId),
          isNull(messages.gatewayMessageId),
        ),
      )
      .run();
  }
  if (task.direction === "outbound" && task.act.type === "message" && ids.messengerMessageIds)
    saveParts(db, channelId, task.act, ids.messengerMessageIds, now);
}

function saveParts(
  db: Database,
  channelId: ChannelId,
  act: { chat: ChatId; gatewayMessageId: GatewayMessageId },
  ids: MessengerMessageId[],
  now: number,
): void {
  const ofMessage = and(eq(messages.channelId, channelId), eq(messages.gatewayMessageId, act.gatewayMessageId));
  for (const [part, messengerMessageId] of ids.entries()) {
    // The messenger may have echoed the message before it answered: then the echo's row has the id already.
    if (isTaken(db, channelId, messengerMessageId, part)) continue;
    const saved = db.orm
      .update(messages)
      .set({ messengerMessageId })
      .where(and(ofMessage, eq(messages.part, part)))
      .run();
    if (saved.changes > 0) continue;
    const { chat, gatewayMessageId } = act;
    const row = { channelId, direction: "outbound" as const, chat, gatewayChat: fitGatewayId(chat), gatewayMessageId };
    db.orm
      .insert(messages)
      .values({ ...row, messengerMessageId, part, createdAt: now })
      .onConflictDoNothing()
      .run();
  }
}

function isTaken(db: Database, channelId: ChannelId, messengerMessageId: MessengerMessageId, part: number): boolean {
  const where = and(
    eq(messages.channelId, channelId),
    eq(messages.messengerMessageId, messengerMessageId),
    eq(messages.part, part),
  );
  return db.orm.select({ id: messages.id }).from(messages).where(where).get() !== undefined;
}
