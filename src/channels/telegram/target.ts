import type { ChatId } from "../../domain/ids.ts";
import type { Notes } from "../port.ts";
import { isGroupId, parseChatRef } from "./ids.ts";

/** Where a call goes. */
export interface Target {
  /** Parameters that all message methods share. */
  params: {
    chat_id: string;
    message_thread_id?: number;
    direct_messages_topic_id?: number;
    business_connection_id?: string;
  };
  /** Id of the chat at Telegram; message ids start with owner and chat id. */
  chatId: string;
  owner?: string;
}

/** The current target of a chat: its group may have been migrated, its owner may have reconnected the bot. */
export async function targetOf(chat: ChatId, notes: Notes): Promise<Target> {
  const { chatId, topic, thread, owner } = parseChatRef(chat);
  const moved = (isGroupId(chatId) && (await notes.get(`moved:${chatId}`))) || chatId;
  const connection = owner && ((await notes.get(`connection:${owner}`)) || owner);
  return {
    params: {
      chat_id: moved,
      message_thread_id: thread,
      direct_messages_topic_id: topic === undefined ? undefined : Number(topic),
      business_connection_id: connection || undefined,
    },
    chatId: moved,
    owner,
  };
}
