import { announce } from "../announcements.ts";
import { Malformed } from "../refusal.ts";
import { changed, post } from "../rooms.ts";
import { isServiceMessage } from "../service-messages.ts";
import type { Room } from "../world.ts";
import type { BotRequest, Method } from "./request.ts";
import { messageOf, targetOf } from "./targets.ts";

function pinnable(request: BotRequest): Room {
  const { room } = targetOf(request);
  const isGroup = room.kind === "group" || room.kind === "supergroup";
  if (isGroup && !room.isAdmin) throw new Malformed("Not enough rights to manage pinned messages in the chat");
  return room;
}

const pinChatMessage: Method = (request) => {
  const { world, bot, args } = request;
  const room = pinnable(request);
  const { message } = messageOf(room, args.message_id, () => new Malformed("Message to pin not found"));
  if (isServiceMessage(message)) throw new Malformed("Service messages can't be pinned");
  if (room.pinned.includes(message.message_id)) return true;
  room.pinned.push(message.message_id);
  const { reply_to_message: _, pinned_message: __, ...pinned } = message;
  // A bot receives its own pins, too: need_skip_update_message in Client.cpp of telegram-bot-api.
  if (room.kind !== "people") announce(world, room, post(world, room, bot.id, { pinned_message: pinned }), "new");
  return true;
};

const unpinChatMessage: Method = (request) => {
  const { world, args } = request;
  const room = pinnable(request);
  const id = args.message_id ?? room.pinned.at(-1);
  const missing = () => new Malformed("Message to unpin not found");
  const { message } = messageOf(room, id, missing);
  room.pinned = room.pinned.filter((each) => each !== message.message_id);
  changed(world, room);
  return true;
};

const unpinAllChatMessages: Method = (request) => {
  const room = pinnable(request);
  room.pinned = [];
  changed(request.world, room);
  return true;
};

export const pinMethods: Record<string, Method> = { pinChatMessage, unpinChatMessage, unpinAllChatMessages };
