import { announceDeleted } from "../announcements.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { changed } from "../rooms.ts";
import type { Post, Room } from "../world.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkEnabled, connectionOf, messageOf, type Target, targetOf } from "./targets.ts";

// "A message can only be deleted if it was sent less than 48 hours ago": https://core.telegram.org/bots/api#deletemessage
const DELETE_WITHIN_MS = 48 * 60 * 60 * 1000;
const MAX_IDS = 100;

function erase({ world, bot }: BotRequest, { room }: Target, id: number | undefined): void {
  const found = messageOf(room, id, () => badRequest("message to delete not found"));
  if (found.author !== bot.id && room.kind !== "private" && !room.isAdmin) throw badRequest("message can't be deleted");
  if (world.clock.now() - found.at > DELETE_WITHIN_MS && !room.isAdmin)
    throw badRequest("message can't be deleted for everyone");
  room.posts.delete(found.message.message_id);
  room.pinned = room.pinned.filter((each) => each !== found.message.message_id);
  changed(world, room);
}

function idsOf({ args }: BotRequest): number[] {
  const ids = args.message_ids ?? [];
  if (ids.length === 0) throw new Malformed("Message identifiers are not specified");
  if (ids.length > MAX_IDS) throw new Malformed("Too many message identifiers specified");
  return ids;
}

const deleteMessages: Method = (request) => {
  const ids = idsOf(request);
  const target = targetOf(request);
  // "If some of the specified messages can't be found, they are skipped"
  for (const id of ids) if (target.room.posts.has(id)) erase(request, target, id);
  return true;
};

const deleteBusinessMessages: Method = (request) => {
  const { world, bot, args } = request;
  const ids = idsOf(request);
  const connection = connectionOf(world, bot, args.business_connection_id);
  checkEnabled(connection);
  const { owner, rights } = connection;
  const rooms = [...world.rooms.values()].filter(({ kind, people }) => kind === "people" && people.includes(owner));
  const mayErase = ({ author }: Post) =>
    rights.can_delete_all_messages || (author === bot.id && rights.can_delete_sent_messages);
  const meant = rooms.map((room): [Room, number[]] => [room, ids.filter((id) => room.posts.has(id))]);
  for (const [room, found] of meant)
    if (found.some((id) => !mayErase(room.posts.get(id) as Post))) throw badRequest("BOT_ACCESS_FORBIDDEN");
  for (const [room, found] of meant) {
    for (const id of found) room.posts.delete(id);
    if (found.length > 0) changed(world, room);
    if (found.length > 0) announceDeleted(world, room, found);
  }
  return true;
};

export const erasingMethods: Record<string, Method> = {
  deleteMessage(request) {
    erase(request, targetOf(request), request.args.message_id);
    return true;
  },
  deleteMessages,
  deleteBusinessMessages,
};
