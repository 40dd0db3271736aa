import { chatOf, fullName, userOf } from "./rooms.ts";
import type { MessageOrigin } from "./wire.ts";
import type { Post, Room, World } from "./world.ts";

export function originOf(world: World, room: Room, { message, author }: Post): MessageOrigin {
  if (message.forward_origin) return message.forward_origin;
  const { date } = message;
  if (room.kind === "channel")
    return { type: "channel", date, chat: chatOf(world, room), message_id: message.message_id };
  if (message.sender_chat) return { type: "chat", date, sender_chat: message.sender_chat };
  const user = userOf(world, author);
  const isHidden = world.people.get(author)?.hidesForwards ?? false;
  return isHidden
    ? { type: "hidden_user", date, sender_user_name: fullName(user) }
    : { type: "user", date, sender_user: user };
}
