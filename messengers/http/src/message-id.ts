import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";

// An app's message ids are unique in their chat, ours in the channel.

export const fullId = (chat: string, id: string): MessengerMessageId => `${chat}:${id}` as MessengerMessageId;

/** As the app knows it. */
export const ownId = (chat: ChatId, id: MessengerMessageId): string =>
  id.startsWith(`${chat}:`) ? id.slice(chat.length + 1) : id;
