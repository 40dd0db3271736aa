import type { ChatId } from "gangway-messenger/ids";
import type { AvitoApi } from "./api.ts";
import { chatPath } from "./paths.ts";
import { messageList, type WireMessage } from "./wire.ts";

/** Of chats and messages in one answer, and how far into a list Avito shows them (the document's limit and offset). */
export const PAGE = 100;
export const MAX_OFFSET = 1_000;
/** Times are whole seconds. */
export const SECOND_MS = 1_000;

interface Asked {
  chat: ChatId;
  offset: number;
  /** Older ones are not of interest, ms. */
  from: number;
}

/** A page of a chat's messages; does not mark them as read. `goesOn`: the next page may have more since then. */
export async function askMessages(
  api: AvitoApi,
  { chat, offset, from }: Asked,
  signal: AbortSignal,
): Promise<{ messages: WireMessage[]; goesOn: boolean }> {
  const path = await chatPath(api, 3, chat, "/messages/", signal);
  const query = { limit: String(PAGE), offset: String(offset) };
  const request = { method: "GET", path, query, result: messageList, what: "the messages of a chat" } as const;
  const messages = await api.call(request, signal);
  const [first, last] = [messages[0]?.created ?? 0, messages.at(-1)?.created ?? 0];
  // The document does not say which come first.
  const isPast = last <= first && (last + 1) * SECOND_MS < from;
  return { messages, goesOn: messages.length >= PAGE && !isPast };
}
