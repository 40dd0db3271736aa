import type { Message } from "./wire.ts";

const SERVICE_FIELDS = [
  "pinned_message",
  "new_chat_title",
  "new_chat_members",
  "left_chat_member",
  "group_chat_created",
  "migrate_to_chat_id",
  "migrate_from_chat_id",
  "gift",
  "unique_gift",
] as const;

/** Telegram's "service message". */
export const isServiceMessage = (message: Message): boolean =>
  SERVICE_FIELDS.some((name) => message[name] !== undefined);
