import type { ChatId } from "gangway-messenger/ids";
import * as z from "zod";
import type { AvitoApi } from "./api.ts";
import { chatPath } from "./paths.ts";
import { messageList, message as messageSchema, type WireMessage } from "./wire.ts";

/** Chats and messages per answer, and how far into a list Avito shows them (the document's limit and offset). */
export const PAGE = 100;
export const MAX_OFFSET = 1_000;
/** Times are whole seconds. */
export const SECOND_MS = 1_000;

interface Asked {
  chat: ChatId;
  offset: number;
  /** Older messages are not needed, ms. */
  from: number;
}
export interface MessagePage {
  /** In Avito's order, without unreadable ones. */
  messages: WireMessage[];
  /** Whether unreadable ones may be among those needed. */
  isPartial: boolean;
  /** Whether the next page may have more of them. */
  goesOn: boolean;
}

/** A page of a chat's messages; does not mark them as read. */
export async function askMessages(
  api: AvitoApi,
  { chat, offset, from }: Asked,
  signal: AbortSignal,
): Promise<MessagePage> {
  const path = await chatPath(api, 3, chat, "/messages/", signal);
  const query = { limit: String(PAGE), offset: String(offset) };
  const request = { method: "GET", path, query, result: messageList, what: "the messages of a chat" } as const;
  const all = await api.call(request, signal);
  const isOld = (created: number) => (created + 1) * SECOND_MS < from;
  const read = all.map((each) => messageSchema.safeParse(each).data);
  const isPartial = all.some((each, n) => !read[n] && !isOld(dated.parse(each).created));
  const messages = read.flatMap((each) => each ?? []);
  const times = messages.flatMap(({ created }) => created ?? []);
  const [first, last] = [times[0], times.at(-1)];
  // The document does not state the order.
  const isPast = first !== undefined && last !== undefined && last <= first && isOld(last);
  return { messages, isPartial, goesOn: all.length >= PAGE && !isPast };
}

const dated = z.object({ created: z.number() }).catch({ created: Number.POSITIVE_INFINITY });
