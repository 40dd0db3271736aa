import { and, eq, type SQL, sql } from "drizzle-orm";
import type { ChannelId, GatewayMessageId, MessengerMessageId } from "../../../domain/ids.ts";
import type { SentPart } from "../../../domain/plan.ts";
import type { MessageStore } from "../../messages.ts";
import { upTo } from "../../tables/engine.ts";
import { type MessageRow, messages, parts } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { isOwed } from "./acks.ts";
import { knowsChat } from "./chats.ts";
import { isBeingReplaced } from "./lanes.ts";

// The ids of a message at both sides. Its first part is in its own row, the others are in `part`.

/** Rows read to find recent sends: more than any messenger allows in a minute. */
const RECENT_ROWS = 100;

const at = sql.placeholder;
const ID_COLUMNS = {
  id: messages.id,
  carrier: messages.carrier,
  gatewayMessageId: messages.gatewayMessageId,
  messengerMessageId: messages.messengerMessageId,
  firstId: messages.firstId,
  holds: messages.holds,
  fixed: messages.fixed,
  words: messages.words,
  ack: messages.ack,
  ackAt: messages.ackAt,
};
/** `ack_at` of an ack that is under way has passed. */
const ACKS_DUE = `SELECT max(ack_at) AS at FROM message
  WHERE channel_id = @channelId AND chat = @chat AND id < @before AND ack IN ('due','sending')`;
/** Conditions as in the index `message_lane`. */
const PERHAPS_SENT = `SELECT 1 FROM message
  WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat AND state IN ('ready','sending','waiting')
    AND (state = 'sending' OR doubt_at IS NOT NULL) LIMIT 1`;
type IdRow = Pick<MessageRow, keyof typeof ID_COLUMNS>;
type PartRow = typeof parts.$inferSelect;

const statements = (orm: Orm) => {
  const one = (where: SQL | undefined) => orm.select(ID_COLUMNS).from(messages).where(where).prepare();
  const onePart = (where: SQL | undefined) => orm.select().from(parts).where(where).prepare();
  const [ofMessages, ofParts] = [eq(messages.channelId, at("channelId")), eq(parts.channelId, at("channelId"))];
  return {
    byId: one(eq(messages.id, at("id"))),
    byMessenger: one(and(ofMessages, eq(messages.messengerMessageId, at("messengerMessageId")))),
    byFirst: one(and(ofMessages, sql`first_id IS NOT NULL AND first_id = ${at("messengerMessageId")}`)),
    partByMessenger: onePart(and(ofParts, eq(parts.messengerMessageId, at("messengerMessageId")))),
    partByFirst: onePart(and(ofParts, sql`first_id IS NOT NULL AND first_id = ${at("messengerMessageId")}`)),
    parts: orm
      .select()
      .from(parts)
      .where(eq(parts.messageId, at("id")))
      .orderBy(parts.part)
      .prepare(),
    carried: orm
      .select(ID_COLUMNS)
      .from(messages)
      .where(eq(messages.carrier, at("id")))
      .orderBy(messages.id)
      .prepare(),
    recent: orm
      .select({ id: messages.id, at: messages.updatedAt, direction: messages.direction, kind: messages.kind })
      .from(messages)
      .where(and(ofMessages, eq(messages.chat, at("chat"))))
      .orderBy(sql`id DESC`)
      .limit(upTo(RECENT_ROWS))
      .prepare(),
    addPart: orm
      .insert(parts)
      .values({
        ...{ messageId: at("messageId"), part: at("part"), channelId: at("channelId"), sentAt: at("now") },
        ...{ messengerMessageId: at("messengerMessageId"), holds: at("holds"), fixed: at("fixed"), words: at("words") },
      })
      .onConflictDoNothing()
      .prepare(),
  };
};

export function messageStore(db: Database): MessageStore {
  return {
    gatewayId: async (channelId, id) => rootOf(db, channelId, id)?.gatewayMessageId as GatewayMessageId | undefined,
    parts: async (channelId, id) => partsOf(db, channelId, id),
    head: async (channelId, id) => {
      const root = rootOf(db, channelId, id);
      return ((root?.gatewayMessageId && (root.firstId ?? root.messengerMessageId)) || id) as MessengerMessageId;
    },
    ackDue: async (channelId, id) => {
      const { ack, ackAt } = rootOf(db, channelId, id) ?? {};
      return isOwed(ack) ? (ackAt ?? undefined) : undefined;
    },
    acksDue: async (channelId, chat, before) =>
      (db.prepared(ACKS_DUE).get({ channelId, chat, before }) as { at: number | null }).at ?? undefined,
    mayBeUnderWay: async (channelId, chat, id) =>
      !find(db, channelId, id) && db.prepared(PERHAPS_SENT).get({ channelId, chat }) !== undefined,
    isBeingReplaced: async (channelId, chat, id) => isBeingReplaced(db, channelId, chat, id),
    current: async (channelId, id) => {
      const { row, part } = find(db, channelId, id) ?? {};
      return ((part ?? row)?.messengerMessageId ?? id) as MessengerMessageId;
    },
    knowsChat: async (channelId, gatewayChat) => knowsChat(db, channelId, gatewayChat),
    sentSince: async (channelId, chat, since) => {
      const { recent, parts } = db.statements(statements);
      const sent = recent
        .all({ channelId, chat })
        .filter(({ direction, kind, at }) => direction === "outbound" && kind === "message" && at > since);
      return sent.flatMap(({ id, at }) => [at, ...parts.all({ id }).map(({ sentAt }) => sentAt)]);
    },
  };
}

/** By its current id at the messenger, or by the one it had before it was resent. */
function find(db: Database, channelId: string, messengerMessageId: string): { row: IdRow; part?: PartRow } | undefined {
  const { byId, byMessenger, byFirst, partByMessenger, partByFirst } = db.statements(statements);
  const id = { channelId, messengerMessageId };
  const own = byMessenger.get(id);
  if (own) return { row: own };
  const part = partByMessenger.get(id);
  const earlier = part ? undefined : byFirst.get(id);
  if (earlier) return { row: earlier };
  const found = part ?? partByFirst.get(id);
  const row = found && byId.get({ id: found.messageId });
  return row && { row, part: found };
}

/** The message whose part has this id now, and which of its parts that is, from 1. */
export function partNamed(
  db: Database,
  channelId: string,
  messengerMessageId: MessengerMessageId,
): { id: number; place: number; parts: number } | undefined {
  const { byMessenger, partByMessenger, parts } = db.statements(statements);
  const at = { channelId, messengerMessageId };
  const own = byMessenger.get(at);
  const part = own ? undefined : partByMessenger.get(at);
  const id = own?.id ?? part?.messageId;
  if (id === undefined) return undefined;
  const others = parts.all({ id });
  return { id, place: part ? 2 + others.findIndex((each) => each.part === part.part) : 1, parts: others.length + 1 };
}

/** All but the first, which is in the message's row. */
export const forgetParts = (db: Database, id: number): void =>
  void db.orm.delete(parts).where(eq(parts.messageId, id)).run();

/** The message's row, where `id` may be any of its parts, or of its album's. */
function rootOf(db: Database, channelId: string, id: string): IdRow | undefined {
  const { row } = find(db, channelId, id) ?? {};
  return row?.carrier ? (db.statements(statements).byId.get({ id: row.carrier }) ?? row) : row;
}

export function partsOf(db: Database, channelId: ChannelId, id: MessengerMessageId): SentPart[] {
  const root = rootOf(db, channelId, id);
  if (!root?.gatewayMessageId) return [{ messengerMessageId: id, holds: root?.holds ?? "text" }];
  const { parts, carried } = db.statements(statements);
  return [root, ...carried.all({ id: root.id }), ...parts.all({ id: root.id })].flatMap((each): SentPart[] => {
    if (!each.messengerMessageId) return [];
    const part = { messengerMessageId: each.messengerMessageId as MessengerMessageId, holds: each.holds ?? "text" };
    return [{ ...part, ...(each.fixed && { fixed: true }), ...(each.words && { words: each.words }) }];
  });
}

const columnsOf = ({ holds, fixed, words }: SentPart) => ({ holds, fixed: fixed ? 1 : null, words: words ?? null });

/** The columns of a sent message's first part. */
export function firstPart(sent: SentPart[]): Partial<MessageRow> {
  const [first] = sent;
  return first ? { messengerMessageId: first.messengerMessageId, ...columnsOf(first) } : {};
}

export function addParts(
  db: Database,
  message: { id: number; channelId: string },
  sent: SentPart[],
  from: number,
  now: number,
): void {
  const { addPart } = db.statements(statements);
  for (const [n, each] of sent.entries()) {
    const { messengerMessageId } = each;
    const row = { messageId: message.id, channelId: message.channelId, part: from + n, messengerMessageId, now };
    addPart.run({ ...row, ...columnsOf(each) });
  }
}

interface Changes {
  parts?: SentPart[];
  removed?: MessengerMessageId[];
}

/** Records an edit's added, removed and replaced parts of the message `id`. Known parts stay unchanged. */
export function changeParts(
  db: Database,
  channelId: ChannelId,
  id: MessengerMessageId,
  { parts: changed = [], removed = [] }: Changes,
  now: number,
): void {
  const root = rootOf(db, channelId, id);
  if (!root?.gatewayMessageId) return;
  for (const gone of removed) removePart(db, channelId, gone);
  let next = (db.statements(statements).parts.all({ id: root.id }).at(-1)?.part ?? 0) + 1;
  for (const part of changed) {
    const { messengerMessageId, instead } = part;
    if (instead !== undefined) replacePart(db, channelId, part, instead, now);
    else if (!find(db, channelId, messengerMessageId)) addParts(db, { id: root.id, channelId }, [part], next++, now);
  }
}

/** The first part keeps its first id: the gateway goes on calling the message by it. */
function removePart(db: Database, channelId: ChannelId, id: MessengerMessageId): void {
  const found = find(db, channelId, id);
  if (found?.part) db.orm.delete(parts).where(isPart(found.part)).run();
  else if (found)
    db.orm
      .update(messages)
      .set({ messengerMessageId: null, firstId: sql`coalesce(first_id, messenger_message_id)` })
      .where(eq(messages.id, found.row.id))
      .run();
}

const isPart = ({ messageId, part }: PartRow) => and(eq(parts.messageId, messageId), eq(parts.part, part));

function replacePart(db: Database, channelId: ChannelId, sent: SentPart, old: MessengerMessageId, now: number): void {
  const found = find(db, channelId, old);
  if (!found) return;
  const { messengerMessageId } = sent;
  const moved = messengerMessageId === old ? {} : { messengerMessageId, firstId: sql`coalesce(first_id, ${old})` };
  const columns = { ...columnsOf(sent), ...moved };
  if (found.part)
    db.orm
      .update(parts)
      .set({ ...columns, sentAt: now })
      .where(isPart(found.part))
      .run();
  else
    db.orm
      .update(messages)
      .set({ ...columns, updatedAt: now })
      .where(eq(messages.id, found.row.id))
      .run();
}
