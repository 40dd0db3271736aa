import type { Message, World } from "./world.ts";

type MessageIndex = Pick<
  World,
  | "messages"
  | "everything"
  | "messageById"
  | "messagesOf"
  | "findMessage"
  | "addMessage"
  | "setExternalId"
  | "forgetChat"
>;

export function createMessageIndex(): MessageIndex {
  const messages: Message[] = [];
  const everything: Message[] = [];
  const byId = new Map<number, Message>();
  const byChat = new Map<number, Message[]>();
  const byExternalId = new Map<string, Message>();
  const name = (message: Message) => {
    if (message.externalId !== undefined) byExternalId.set(`${message.channelId} ${message.externalId}`, message);
  };
  return {
    messages,
    everything,
    messageById: (id) => byId.get(id),
    messagesOf: (chatId) => byChat.get(chatId) ?? [],
    findMessage(channelId, ref) {
      if (!ref?.id && !ref?.external_id) return undefined;
      const found = ref.id ? byId.get(ref.id) : byExternalId.get(`${channelId} ${ref.external_id}`);
      return found?.channelId === channelId ? found : undefined;
    },
    addMessage(message) {
      everything.push(message);
      if (message.type !== "system") messages.push(message);
      byId.set(message.id, message);
      const own = byChat.get(message.chatId);
      if (own) own.push(message);
      else byChat.set(message.chatId, [message]);
      name(message);
      return message;
    },
    setExternalId(message, externalId) {
      message.externalId = externalId;
      name(message);
    },
    forgetChat(chatId) {
      for (const message of byChat.get(chatId) ?? []) {
        byId.delete(message.id);
        for (const list of [messages, everything]) if (list.includes(message)) list.splice(list.indexOf(message), 1);
        byExternalId.delete(`${message.channelId} ${message.externalId}`);
      }
      byChat.delete(chatId);
    },
  };
}
