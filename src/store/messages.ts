import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Job } from "../domain/delivery.ts";
import {
  type ChannelId,
  type ChatId,
  fitGatewayId,
  type GatewayMessageId,
  type MessengerMessageId,
} from "../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../domain/message.ts";
import type { SentPart } from "../domain/plan.ts";
import { type Database, type Orm, upTo } from "./db.ts";
import { ackDue } from "./queue.ts";
import { messages } from "./schema.ts";

/** Which gateway message is which messenger message. */
export interface MessageStore {
  /** The gateway's id of a messenger message, once it is known. */
  gatewayId(channelId: ChannelId, id: MessengerMessageId): Promise<GatewayMessageId | undefined>;
  /** All parts of the message one of whose parts this is, in order. */
  parts(channelId: ChannelId, id: MessengerMessageId): Promise<SentPart[]>;
  /** The part by which the gateway knows the message that this is a part of. */
  head(channelId: ChannelId, id: MessengerMessageId): Promise<MessengerMessageId>;
  /** When the ack is due by which the gateway learns of this message of an agent, ms; undefined when none is owed. */
  ackDue(channelId: ChannelId, id: MessengerMessageId): Promise<number | undefined>;
  /** Whether anything has ever been said in a chat, as the gateway names it. */
  knowsChat(channelId: ChannelId, gatewayChat: ChatId): Promise<boolean>;
  /** When parts were sent to a chat after `since`, ms. */
  sentSince(channelId: ChannelId, chat: ChatId, since: number): Promise<number[]>;
}

/** Rows that are looked at for what was sent just now: more than any messenger lets through in a minute. */
const NEWEST = 100;
/** Chats that are remembered, so that an agent's message costs no look for its chat. */
const MOST_KNOWN = 20_000;

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const own = and(eq(messages.channelId, at("channelId")), eq(messages.messengerMessageId, at("messengerMessageId")));
  const theirs = and(eq(messages.channelId, at("channelId")), eq(messages.gatewayMessageId, at("gatewayMessageId")));
  const ids = { gatewayMessageId: at("gatewayMessageId"), messengerMessageId: at("messengerMessageId") };
  const chats = { chat: at("chat"), gatewayChat: at("gatewayChat") };
  const rest = { channelId: at("channelId"), direction: at("direction"), part: at("part"), createdAt: at("now") };
  return {
    byMessengerId: orm.select().from(messages).where(own).prepare(),
    taken: orm
      .select({ id: messages.id })
      .from(messages)
      .where(and(own, eq(messages.part, at("part"))))
      .prepare(),
    inChat: orm
      .select({ id: messages.id })
      .from(messages)
      .where(and(eq(messages.channelId, at("channelId")), eq(messages.gatewayChat, at("gatewayChat"))))
      .limit(upTo(1))
      .prepare(),
    oldest: orm
      .select({ at: messages.createdAt })
      .from(messages)
      .where(and(eq(messages.channelId, at("channelId")), eq(messages.gatewayChat, at("gatewayChat"))))
      .orderBy(messages.id)
      .limit(upTo(1))
      .prepare(),
    newest: orm
      .select({ at: messages.createdAt, id: messages.messengerMessageId, direction: messages.direction })
      .from(messages)
      .where(and(eq(messages.channelId, at("channelId")), eq(messages.gatewayChat, at("gatewayChat"))))
      .orderBy(desc(messages.id))
      .limit(upTo(NEWEST))
      .prepare(),
    parts: orm.select().from(messages).where(theirs).orderBy(messages.part).prepare(),
    add: orm
      .insert(messages)
      .values({ ...rest, ...chats, ...ids, holds: at("holds") })
      .onConflictDoNothing()
      .prepare(),
    nameInbound: orm
      .update(messages)
      .set({ gatewayMessageId: at("gatewayMessageId") as never, part: at("part") as never })
      .where(
        and(
          own,
          isNull(messages.gatewayMessageId),
          // A gateway that says one id twice (another database, a restored backup) names the first only.
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
        createdAt: at("now") as never,
      })
      .where(and(theirs, eq(messages.part, at("part"))))
      .prepare(),
  };
};

/** Whether the first that was said in a chat, as far as it is kept, was said by that time, ms. */
export function saidBefore(db: Database, channelId: string, chat: ChatId, time: number): boolean {
  const oldest = db.statements(statements).oldest.get({ channelId, gatewayChat: fitGatewayId(chat) });
  return oldest !== undefined && oldest.at <= time;
}

export function messageStore(db: Database): MessageStore {
  // A chat that is known stays known: its newest message is never deleted.
  const known = new Set<string>();
  const byMessengerId = (channelId: ChannelId, id: MessengerMessageId) =>
    db.statements(statements).byMessengerId.get({ channelId, messengerMessageId: id });
  return {
    gatewayId: async (channelId, id) => byMessengerId(channelId, id)?.gatewayMessageId as GatewayMessageId | undefined,
    parts: async (channelId, id) => {
      const row = byMessengerId(channelId, id);
      if (!row?.gatewayMessageId) return [{ messengerMessageId: id, holds: row?.holds ?? "text" }];
      return partRows(db, channelId, row.gatewayMessageId).flatMap(({ messengerMessageId, holds }) =>
        messengerMessageId
          ? [{ messengerMessageId: messengerMessageId as MessengerMessageId, holds: holds ?? "text" }]
          : [],
      );
    },
    head: async (channelId, id) => {
      const gatewayMessageId = byMessengerId(channelId, id)?.gatewayMessageId;
      const [first] = gatewayMessageId ? partRows(db, channelId, gatewayMessageId) : [];
      return (first?.messengerMessageId ?? id) as MessengerMessageId;
    },
    ackDue: async (channelId, id) => {
      const gatewayMessageId = byMessengerId(channelId, id)?.gatewayMessageId;
      return gatewayMessageId ? ackDue(db, channelId, gatewayMessageId) : undefined;
    },
    knowsChat: async (channelId, gatewayChat) => {
      const chat = `${channelId}/${gatewayChat}`;
      if (known.has(chat)) return true;
      if (db.statements(statements).inChat.get({ channelId, gatewayChat }) === undefined) return false;
      if (known.size >= MOST_KNOWN) known.clear();
      known.add(chat);
      return true;
    },
    sentSince: async (channelId, chat, since) =>
      db
        .statements(statements)
        .newest.all({ channelId, gatewayChat: fitGatewayId(chat) })
        .flatMap(({ at, id, direction }) => (id && direction === "outbound" && at > since ? [at] : [])),
  };
}

const partRows = (db: Database, channelId: ChannelId, gatewayMessageId: string) =>
  db.statements(statements).parts.all({ channelId, gatewayMessageId });

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

export function saveInbound(db: Database, channelId: ChannelId, event: InboundMessage, now: number): void {
  const { chat, messengerMessageId } = event;
  const chats = { chat, gatewayChat: fitGatewayId(chat) };
  const row = { channelId, direction: "inbound", ...chats, messengerMessageId, gatewayMessageId: null, part: 0, now };
  db.statements(statements).add.run({ ...row, holds: null });
}

/** Saves the message of an act; the answer names the chat as the messenger knows it. */
export function saveOutbound(db: Database, channelId: ChannelId, act: OutboundAct, now: number): OutboundAct {
  const known = { ...act, chat: messengerChat(db, channelId, act.chat) };
  if (known.type !== "message") return known;
  const { chat, gatewayMessageId } = known;
  const chats = { chat, gatewayChat: act.chat };
  const row = { channelId, direction: "outbound", ...chats, gatewayMessageId, messengerMessageId: null, part: 0, now };
  db.statements(statements).add.run({ ...row, holds: null });
  return known;
}

/** A chat id that was too long for the gateway comes back shortened; the long one is in our table. */
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

/** Writes the other side's ids beside ours, in the transaction that ends the job. */
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

/** Every part of an album gets the one message's id, so that an answer to any of them finds it. */
function nameInbound(
  db: Database,
  channelId: ChannelId,
  event: InboundMessage,
  gatewayMessageId: GatewayMessageId,
): void {
  const ids = event.pieces?.map((piece) => piece.messengerMessageId) ?? [event.messengerMessageId];
  const { nameInbound: name } = db.statements(statements);
  for (const [part, messengerMessageId] of ids.entries())
    name.run({ channelId, messengerMessageId, gatewayMessageId, part });
}

type Of<Type extends OutboundAct["type"]> = Extract<OutboundAct, { type: Type }>;

function saveParts(db: Database, channelId: ChannelId, act: Of<"message">, parts: SentPart[], now: number): void {
  const { gatewayMessageId } = act;
  const { nameOutbound } = db.statements(statements);
  for (const [part, { messengerMessageId, holds }] of parts.entries()) {
    // The messenger may have echoed the message before it answered: then the echo's row has the id already.
    if (isTaken(db, channelId, messengerMessageId, part)) continue;
    const saved = nameOutbound.run({ channelId, gatewayMessageId, messengerMessageId, holds, part, now });
    if (saved.changes === 0) addPart(db, channelId, act, { messengerMessageId, holds, part }, now);
  }
}

type NewPart = SentPart & { part: number };

function addPart(
  db: Database,
  channelId: ChannelId,
  at: { chat: ChatId; gatewayMessageId: string },
  part: NewPart,
  now: number,
): void {
  const { chat, gatewayMessageId } = at;
  const place = { channelId, direction: "outbound" as const, chat, gatewayChat: fitGatewayId(chat), gatewayMessageId };
  db.orm
    .insert(messages)
    .values({ ...place, ...part, createdAt: now })
    .onConflictDoNothing()
    .run();
}

/** After an edit a message may have more parts, or fewer. */
function changeParts(
  db: Database,
  channelId: ChannelId,
  act: Of<"edited">,
  { parts, removed }: { parts: SentPart[]; removed: MessengerMessageId[] },
  now: number,
): void {
  const row = db.orm.select().from(messages).where(rowOf(channelId, act.messengerMessageId)).get();
  if (!row?.gatewayMessageId) return;
  const { gatewayMessageId } = row;
  const last = partRows(db, channelId, gatewayMessageId).at(-1)?.part ?? 0;
  for (const id of removed) db.orm.delete(messages).where(rowOf(channelId, id)).run();
  for (const [n, part] of parts.entries())
    addPart(db, channelId, { chat: act.chat, gatewayMessageId }, { ...part, part: last + 1 + n }, now);
}

function isTaken(db: Database, channelId: ChannelId, messengerMessageId: MessengerMessageId, part: number): boolean {
  return db.statements(statements).taken.get({ channelId, messengerMessageId, part }) !== undefined;
}
