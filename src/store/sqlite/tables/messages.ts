import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Job } from "../../../domain/delivery.ts";
import {
  type ChannelId,
  type ChatId,
  fitGatewayId,
  type GatewayMessageId,
  type MessengerMessageId,
} from "../../../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../../../domain/message.ts";
import type { SentPart } from "../../../domain/plan.ts";
import type { MessageStore } from "../../messages.ts";
import { type Database, type Orm, upTo } from "../database/db.ts";
import { messages } from "../database/schema.ts";
import { ackDue, isBeingReplaced } from "./queue.ts";

/** Rows read to find recent sends: more than any messenger allows in a minute. */
const RECENT_ROWS = 100;
/** Known chats kept in memory, which saves a query per agent's message. */
const MAX_KNOWN_CHATS = 20_000;

const at = sql.placeholder;
const inChannel = eq(messages.channelId, at("channelId"));
const inChat = and(inChannel, eq(messages.gatewayChat, at("gatewayChat")));
const byMessenger = and(inChannel, eq(messages.messengerMessageId, at("messengerMessageId")));
const byGateway = and(inChannel, eq(messages.gatewayMessageId, at("gatewayMessageId")));

const reads = (orm: Orm) => ({
  byMessengerId: orm.select().from(messages).where(byMessenger).prepare(),
  taken: orm
    .select({ id: messages.id })
    .from(messages)
    .where(and(byMessenger, eq(messages.part, at("part"))))
    .prepare(),
  byFirstId: orm
    .select()
    .from(messages)
    .where(and(inChannel, sql`first_id IS NOT NULL AND first_id = ${at("id")}`))
    .prepare(),
  inChat: orm.select({ id: messages.id }).from(messages).where(inChat).limit(upTo(1)).prepare(),
  oldest: orm
    .select({ at: messages.createdAt })
    .from(messages)
    .where(inChat)
    .orderBy(messages.id)
    .limit(upTo(1))
    .prepare(),
  newest: orm
    .select({ at: messages.createdAt, id: messages.messengerMessageId, direction: messages.direction })
    .from(messages)
    .where(inChat)
    .orderBy(desc(messages.id))
    .limit(upTo(RECENT_ROWS))
    .prepare(),
  parts: orm.select().from(messages).where(byGateway).orderBy(messages.part).prepare(),
});

const ids = { gatewayMessageId: at("gatewayMessageId"), messengerMessageId: at("messengerMessageId") };
const chats = { chat: at("chat"), gatewayChat: at("gatewayChat") };
const rest = { channelId: at("channelId"), direction: at("direction"), part: at("part"), createdAt: at("now") };

const writes = (orm: Orm) => ({
  add: orm
    .insert(messages)
    .values({ ...rest, ...chats, ...ids })
    .onConflictDoNothing()
    .prepare(),
  nameInbound: orm
    .update(messages)
    .set({ gatewayMessageId: at("gatewayMessageId") as never, part: at("part") as never })
    .where(
      and(
        byMessenger,
        isNull(messages.gatewayMessageId),
        // If the gateway repeats an id (another database, a restored backup), only the first message gets it.
        sql`NOT EXISTS (SELECT 1 FROM message AS named WHERE named.channel_id = ${at("channelId")}
          AND named.gateway_message_id = ${at("gatewayMessageId")} AND named.part = ${at("part")})`,
      ),
    )
    .prepare(),
  nameOutbound: orm
    .update(messages)
    .set({
      messengerMessageId: at("messengerMessageId") as never,
      holds: at("holds") as never,
      fixed: at("fixed") as never,
      words: at("words") as never,
      createdAt: at("now") as never,
    })
    .where(and(byGateway, eq(messages.part, at("part"))))
    .prepare(),
});

/** Whether the chat's oldest retained message is from `time` (ms) or earlier. */
export function hasMessageBefore(db: Database, channelId: string, chat: ChatId, time: number): boolean {
  const oldest = db.statements(reads).oldest.get({ channelId, gatewayChat: fitGatewayId(chat) });
  return oldest !== undefined && oldest.at <= time;
}

export function messageStore(db: Database): MessageStore {
  // Never invalidated: the newest message of a chat is never deleted.
  const knownChats = new Set<string>();
  return {
    gatewayId: async (channelId, id) => findRow(db, channelId, id)?.gatewayMessageId as GatewayMessageId | undefined,
    parts: async (channelId, id) => partsOf(db, channelId, id),
    head: async (channelId, id) => {
      const gatewayMessageId = findRow(db, channelId, id)?.gatewayMessageId;
      const [first] = gatewayMessageId ? partRows(db, channelId, gatewayMessageId) : [];
      return (first?.firstId ?? first?.messengerMessageId ?? id) as MessengerMessageId;
    },
    ackDue: async (channelId, id) => {
      const gatewayMessageId = findRow(db, channelId, id)?.gatewayMessageId;
      return gatewayMessageId ? ackDue(db, channelId, gatewayMessageId) : undefined;
    },
    isBeingReplaced: async (channelId, chat, id) => isBeingReplaced(db, channelId, chat, id),
    current: async (channelId, id) => (findRow(db, channelId, id)?.messengerMessageId ?? id) as MessengerMessageId,
    knowsChat: async (channelId, gatewayChat) => {
      const chat = `${channelId}/${gatewayChat}`;
      if (knownChats.has(chat)) return true;
      if (db.statements(reads).inChat.get({ channelId, gatewayChat }) === undefined) return false;
      if (knownChats.size >= MAX_KNOWN_CHATS) knownChats.clear();
      knownChats.add(chat);
      return true;
    },
    sentSince: async (channelId, chat, since) =>
      db
        .statements(reads)
        .newest.all({ channelId, gatewayChat: fitGatewayId(chat) })
        .flatMap(({ at, id, direction }) => (id && direction === "outbound" && at > since ? [at] : [])),
  };
}

const partRows = (db: Database, channelId: ChannelId, gatewayMessageId: string) =>
  db.statements(reads).parts.all({ channelId, gatewayMessageId });

/** By its current id at the messenger, or by the one it had before it was resent. */
const findRow = (db: Database, channelId: string, id: string) =>
  db.statements(reads).byMessengerId.get({ channelId, messengerMessageId: id }) ??
  db.statements(reads).byFirstId.get({ channelId, id });

export function partsOf(db: Database, channelId: ChannelId, id: MessengerMessageId): SentPart[] {
  const row = findRow(db, channelId, id);
  if (!row?.gatewayMessageId) return [{ messengerMessageId: id, holds: row?.holds ?? "text" }];
  return partRows(db, channelId, row.gatewayMessageId).flatMap((each): SentPart[] => {
    if (!each.messengerMessageId) return [];
    const part = { messengerMessageId: each.messengerMessageId as MessengerMessageId, holds: each.holds ?? "text" };
    return [{ ...part, ...(each.fixed && { fixed: true }), ...(each.words && { words: each.words }) }];
  });
}

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

export function saveInbound(db: Database, channelId: ChannelId, event: InboundMessage, now: number): void {
  const { chat, messengerMessageId } = event;
  const chats = { chat, gatewayChat: fitGatewayId(chat) };
  const row = { channelId, direction: "inbound", ...chats, messengerMessageId, gatewayMessageId: null, part: 0, now };
  db.statements(writes).add.run(row);
}

/** Saves the message of an act; returns the act with the messenger's chat id. */
export function saveOutbound(db: Database, channelId: ChannelId, act: OutboundAct, now: number): OutboundAct {
  const known = { ...act, chat: messengerChat(db, channelId, act.chat) };
  if (known.type !== "message") return known;
  const { chat, gatewayMessageId } = known;
  const chats = { chat, gatewayChat: act.chat };
  const row = { channelId, direction: "outbound", ...chats, gatewayMessageId, messengerMessageId: null, part: 0, now };
  db.statements(writes).add.run(row);
  return known;
}

/** Maps a chat id that was shortened for the gateway back to the messenger's. */
export function messengerChat(db: Database, channelId: ChannelId, gatewayChat: ChatId): ChatId {
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
  parts?: SentPart[];
  removed?: MessengerMessageId[];
}

/** Stores the ids assigned by the other side. Call in the transaction that ends the job. */
export function settleMessage(
  db: Database,
  job: Pick<Job, "task" | "channelId">,
  { gatewayMessageId, parts = [], removed = [] }: Ids,
  now: number,
): void {
  const { task, channelId } = job;
  if (task.direction === "inbound" && task.event.type === "message" && gatewayMessageId)
    nameInbound(db, channelId, task.event, gatewayMessageId);
  if (task.direction !== "outbound") return;
  const { act } = task;
  if (act.type === "message") saveParts(db, channelId, act, parts, now);
  else if (act.type === "edited") changeParts(db, channelId, act, { parts, removed }, now);
}

const rowOf = (channelId: ChannelId, id: MessengerMessageId) =>
  and(eq(messages.channelId, channelId), eq(messages.messengerMessageId, id));

/** Gives every part of an album the message's id, so that a reply to any part finds it. */
function nameInbound(
  db: Database,
  channelId: ChannelId,
  event: InboundMessage,
  gatewayMessageId: GatewayMessageId,
): void {
  const ids = event.pieces?.map((piece) => piece.messengerMessageId) ?? [event.messengerMessageId];
  const { nameInbound: name } = db.statements(writes);
  for (const [part, messengerMessageId] of ids.entries())
    name.run({ channelId, messengerMessageId, gatewayMessageId, part });
}

type Of<Type extends OutboundAct["type"]> = Extract<OutboundAct, { type: Type }>;

function saveParts(db: Database, channelId: ChannelId, act: Of<"message">, parts: SentPart[], now: number): void {
  const { gatewayMessageId } = act;
  const { nameOutbound } = db.statements(writes);
  for (const [part, sent] of parts.entries()) {
    const { messengerMessageId } = sent;
    // The messenger may echo the message before it answers; the echo's row then has the id already.
    if (isTaken(db, channelId, messengerMessageId, part)) continue;
    const saved = nameOutbound.run({ channelId, gatewayMessageId, messengerMessageId, ...columnsOf(sent), part, now });
    if (saved.changes === 0) addPart(db, channelId, act, sent, part, now);
  }
}

const columnsOf = ({ holds, fixed, words }: SentPart) => ({ holds, fixed: fixed ? 1 : null, words: words ?? null });

function addPart(
  db: Database,
  channelId: ChannelId,
  at: { chat: ChatId; gatewayMessageId: string },
  sent: SentPart,
  part: number,
  now: number,
): void {
  const { chat, gatewayMessageId } = at;
  const columns = {
    channelId,
    direction: "outbound" as const,
    chat,
    gatewayChat: fitGatewayId(chat),
    gatewayMessageId,
  };
  const { messengerMessageId } = sent;
  db.orm
    .insert(messages)
    .values({ ...columns, messengerMessageId, ...columnsOf(sent), part, createdAt: now })
    .onConflictDoNothing()
    .run();
}

/** Records an edit's added, removed and replaced parts. Known parts stay unchanged. */
function changeParts(
  db: Database,
  channelId: ChannelId,
  act: Of<"edited">,
  { parts, removed }: { parts: SentPart[]; removed: MessengerMessageId[] },
  now: number,
): void {
  const { gatewayMessageId } = findRow(db, channelId, act.messengerMessageId) ?? {};
  if (!gatewayMessageId) return;
  let last = partRows(db, channelId, gatewayMessageId).at(-1)?.part ?? 0;
  for (const id of removed) db.orm.delete(messages).where(rowOf(channelId, id)).run();
  for (const part of parts) {
    const { messengerMessageId: id, instead } = part;
    if (instead !== undefined) replacePart(db, channelId, part, instead, now);
    else if (!findRow(db, channelId, id))
      addPart(db, channelId, { chat: act.chat, gatewayMessageId }, part, ++last, now);
  }
}

function replacePart(db: Database, channelId: ChannelId, part: SentPart, old: MessengerMessageId, now: number): void {
  const id = part.messengerMessageId;
  const moved = id === old ? {} : { messengerMessageId: id, firstId: sql`coalesce(first_id, ${old})`, createdAt: now };
  db.orm
    .update(messages)
    .set({ ...columnsOf(part), ...moved })
    .where(rowOf(channelId, old))
    .run();
}

function isTaken(db: Database, channelId: ChannelId, messengerMessageId: MessengerMessageId, part: number): boolean {
  return db.statements(reads).taken.get({ channelId, messengerMessageId, part }) !== undefined;
}
