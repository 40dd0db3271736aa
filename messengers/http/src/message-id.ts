import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";

// An app's ids of messages are unique in their chat, the house's in the channel.

export const fullId = (chat: string, id: string): MessengerMessageId => `${chat}:${id}` as MessengerMessageId;

/** As the app knows it. */
export const ownId = (chat: ChatId, id: MessengerMessageId): string =>
  id.startsWith(`${chat}:`) ? id.slice(chat.length + 1) : id;
