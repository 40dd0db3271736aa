/** The contract's events of the bots' socket. */
export const EVENT_TYPES = [
  "message_new",
  "message_updated",
  "message_deleted",
  "message_restored",
  "chat_created",
  "chat_updated",
  "chats_deleted",
  "dialog_closed",
  "dialog_opened",
  "dialog_assign",
  "user_online_updated",
  "user_joined_chat",
  "user_left_chat",
  "user_updated",
  "customer_updated",
  "bot_updated",
  "channel_updated",
] as const;
/** Accepted in subscriptions but never sent: names of older clients, and a typo in a newer one. */
export const SILENT_EVENT_TYPES = ["chat_unread_updated", "settings_updated", "message_restore"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface SocketEvent {
  type: EventType;
  /** Built only if someone listens. */
  data(): unknown;
  /** Part of a mass mailing: sent only to sockets that opted in. */
  mass: boolean;
}
export interface Events {
  emit(type: EventType, data: () => unknown, mass?: boolean): void;
  /** Returns unsubscribe. */
  listen(listener: (event: SocketEvent) => void): () => void;
}

export function createEvents(): Events {
  const listeners = new Set<(event: SocketEvent) => void>();
  return {
    emit(type, data, mass = false) {
      for (const listener of listeners) listener({ type, data, mass });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
