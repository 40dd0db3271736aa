import { and, eq, sql } from "drizzle-orm";
import type { ChatId } from "../../../domain/ids.ts";
import type { Plan } from "../../outbox/accepting.ts";
import type { KnownChat } from "../../tables/engine.ts";
import { chats } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  find: orm
    .select({ chat: chats.chat, createdAt: chats.createdAt })
    .from(chats)
    .where(and(eq(chats.channelId, at("channelId")), eq(chats.gatewayChat, at("gatewayChat"))))
    .prepare(),
  add: orm
    .insert(chats)
    .values({
      channelId: at("channelId"),
      gatewayChat: at("gatewayChat"),
      chat: at("chat"),
      createdAt: at("now"),
    })
    .onConflictDoNothing()
    .prepare(),
});

/** By the gateway's id; undefined when it never had a message. */
export const knownChat = (db: Database, channelId: string, gatewayChat: string): KnownChat | undefined =>
  db.rows.row("chat", `${channelId} ${gatewayChat}`, () =>
    db.statements(statements).find.get({ channelId, gatewayChat }),
  );

/** Whether something about the chat may still be stored: not for an erased account, nor from work that began before an erasure. */
export const mayStore = (db: Database, channelId: string, names: string[]): boolean =>
  !db.tombstones.isGone(channelId) && db.tombstones.buriedAt(channelId, names) === undefined;

/** Records the chat of its first message. */
export function meetChat(db: Database, met: Plan["chats"][number], now: number): void {
  const { channelId, gatewayChat, chat } = met;
  db.statements(statements).add.run({ channelId, gatewayChat, chat, now });
}

/** Maps a chat id that was shortened for the gateway back to the messenger's. */
export const messengerChat = (db: Database, channelId: string, gatewayChat: ChatId): ChatId =>
  gatewayChat.startsWith("h:") ? ((knownChat(db, channelId, gatewayChat)?.chat ?? gatewayChat) as ChatId) : gatewayChat;
