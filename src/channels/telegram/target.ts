import type { ChatId } from "../../domain/ids.ts";
import type { Notes } from "../port.ts";
import { parsePlace } from "./places.ts";

/** Where a call goes: parameters that every method of a message takes. */
export interface Target {
  params: { chat_id: string; message_thread_id?: number; business_connection_id?: string };
  /** The real chat, with the account it belongs to; ids of messages begin with it. */
  chatId: string;
  owner?: string;
}

/** The chat as Telegram knows it now: a group may have become a supergroup, an owner may have connected the bot anew. */
export async function targetOf(chat: ChatId, notes: Notes): Promise<Target> {
  const { chatId, thread, owner } = parsePlace(chat);
  const moved = (await notes.get(`moved:${chatId}`)) || chatId;
  const connection = owner && ((await notes.get(`connection:${owner}`)) || owner);
  return {
    params: { chat_id: moved, message_thread_id: thread, business_connection_id: connection || undefined },
    chatId: moved,
    owner,
  };
}
