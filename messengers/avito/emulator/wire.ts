import type { Chat, Message } from "./world.ts";

// What the API writes of chats and messages.

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** Times as Avito's clock has them. */
interface View {
  origin: string;
  aheadMs: number;
}

/** As the account sees it. */
export const listedMessage = (message: Message, { account }: Chat, { aheadMs }: View) => {
  const isOwn = message.author === account.id;
  return {
    id: message.id,
    author_id: message.author,
    created: seconds(message.at + aheadMs),
    direction: isOwn ? "out" : "in",
    type: message.type,
    content: message.content,
    is_read: isOwn || message.readAt !== undefined,
    read: isOwn && message.readAt !== undefined ? seconds(message.readAt + aheadMs) : null,
    ...(message.quote && { quote: quoteOf(message.quote, aheadMs) }),
  };
};

export const quoteOf = (quote: Message, aheadMs: number) => ({
  id: quote.id,
  author_id: quote.author,
  created: seconds(quote.at + aheadMs),
  type: quote.type,
  content: quote.content,
});

export const pushedMessage = (message: Message, chat: Chat, { aheadMs }: View, withQuote: boolean) => ({
  id: message.id,
  chat_id: chat.id,
  user_id: chat.account.id,
  author_id: message.author,
  created: seconds(message.at + aheadMs),
  type: message.type,
  chat_type: chat.type,
  content: message.content,
  item_id: chat.item?.id ?? null,
  read: message.readAt === undefined ? null : seconds(message.readAt + aheadMs),
  published_at: `${new Date(message.at + aheadMs).toISOString().slice(0, 19)}Z`,
  ...(withQuote && message.quote && { quote: quoteOf(message.quote, aheadMs) }),
});

export function listedChat(chat: Chat, view: View) {
  const { id, account, person, item, createdAt, updatedAt, messages } = chat;
  const last = messages.at(-1);
  const value = item && {
    ...{ id: item.id, title: item.title, url: item.url, price_string: item.price },
    ...{ status_id: 10, user_id: account.id },
  };
  return {
    id,
    created: seconds(createdAt + view.aheadMs),
    updated: seconds(updatedAt + view.aheadMs),
    context: value ? { type: "item", value } : null,
    users: [userOf(person, view.origin, item?.id), userOf({ ...account, hasFace: false }, view.origin)],
    last_message: last ? withoutMarks(listedMessage(last, chat, view)) : null,
  };
}

/** The last message says nothing of reading and quotes. */
const withoutMarks = ({ is_read: _, read: __, quote: ___, ...message }: ReturnType<typeof listedMessage>) => message;

function userOf({ id, name, hasFace }: { id: number; name: string; hasFace: boolean }, origin: string, item?: number) {
  const face = (size: string) => `${origin}/${hasFace ? "faces" : "stub_avatars/_"}/${id}_${size}.png`;
  const images = Object.fromEntries(["256x256", "64x64", "24x24"].map((size) => [size, face(size)]));
  return {
    id,
    name,
    public_user_profile: {
      user_id: id,
      item_id: item ?? null,
      url: `https://avito.ru/user/${id.toString(16).padStart(8, "0")}/profile`,
      avatar: { default: face("256x256"), images },
    },
  };
}
