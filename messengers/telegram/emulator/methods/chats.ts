import { announce, announceStanding } from "../announcements.ts";
import { fileId, uniqueId } from "../files.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { changed, chatOf, post, userOf } from "../rooms.ts";
import type { Room } from "../world.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkUser, targetOf, userIdOf } from "./targets.ts";

const isPrivate = ({ kind }: Room): boolean => kind === "private" || kind === "people";

const getChat: Method = (request) => {
  const { world, args } = request;
  const { room } = targetOf(request);
  if (room.kind === "private" && !room.opened) throw badRequest("chat not found");
  const photo = isPrivate(room) ? world.people.get(Number(args.chat_id))?.photo : undefined;
  const pinned = room.posts.get(room.pinned.at(-1) ?? 0)?.message;
  return {
    ...chatOf(world, room),
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: {
      unlimited_gifts: false,
      limited_gifts: false,
      unique_gifts: false,
      premium_subscription: false,
      gifts_from_channels: false,
    },
    ...(room.description && { description: room.description }),
    ...(pinned && { pinned_message: pinned }),
    ...(photo && {
      photo: {
        small_file_id: fileId(world.files.thumbnailOf(photo), "photo"),
        small_file_unique_id: uniqueId(world.files.thumbnailOf(photo)),
        big_file_id: fileId(photo, "photo"),
        big_file_unique_id: uniqueId(photo),
      },
    }),
  };
};

function standingOf(room: Room, id: number): "creator" | "administrator" | "member" | "left" {
  if (!room.people.includes(id) && room.bot !== id) return "left";
  if (isPrivate(room)) return "member";
  if (room.people[0] === id) return "creator";
  return room.bot === id && (room.isAdmin || room.kind === "channel") ? "administrator" : "member";
}

const RIGHTS = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: true,
  can_restrict_members: true,
  can_promote_members: false,
  can_change_info: true,
  can_invite_users: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_pin_messages: true,
};

function memberOf({ world }: BotRequest, room: Room, id: number) {
  const status = standingOf(room, id);
  const rights = status === "administrator" ? RIGHTS : status === "creator" ? { is_anonymous: false } : {};
  return { status, user: userOf(world, id), ...rights };
}

const getChatMember: Method = (request) => {
  const { world, args } = request;
  const id = userIdOf(args.user_id, "user_id");
  const { room } = targetOf(request);
  checkUser(world, id);
  return memberOf(request, room, id);
};

const getChatAdministrators: Method = (request) => {
  const { room } = targetOf(request);
  if (isPrivate(room)) throw new Malformed("There are no administrators in the private chat");
  const leaders = [room.people[0], room.bot].filter((id) => id !== undefined);
  return leaders.filter((id) => standingOf(room, id) !== "member").map((id) => memberOf(request, room, id));
};

const getChatMemberCount: Method = (request) => {
  const { room } = targetOf(request);
  return room.people.length + 1;
};

/** A chat where the bot is an administrator. Throws Malformed. */
function administered(request: BotRequest, what: string, right: string): Room {
  const { room } = targetOf(request);
  if (isPrivate(room)) throw new Malformed(`Can't change private chat ${what}`);
  if (!room.isAdmin && room.kind !== "channel") throw new Malformed(`Not enough rights to ${right}`);
  return room;
}

const MAX_TITLE = 128;

const setChatTitle: Method = (request) => {
  const { world, bot, args } = request;
  const title = (args.title ?? "").trim().slice(0, MAX_TITLE);
  targetOf(request);
  if (title === "") throw new Malformed("Title must be non-empty");
  const room = administered(request, "title", "change chat title");
  if (title === room.title) return true;
  room.title = title;
  announce(world, room, post(world, room, bot.id, { new_chat_title: title }), "new");
  return true;
};

const setChatDescription: Method = (request) => {
  const description = (request.args.description ?? "").trim();
  const room = administered(request, "description", "set chat description");
  if (description.length > 255) throw badRequest("CHAT_ABOUT_TOO_LONG");
  if (description === room.description) throw badRequest("chat description is not modified");
  room.description = description;
  changed(request.world, room);
  return true;
};

const leaveChat: Method = (request) => {
  const { room } = targetOf(request);
  if (isPrivate(room)) throw badRequest("chat member status can't be changed in private chats");
  room.gone = "left";
  announceStanding(request.world, room, request.bot.id, "member", "left");
  return true;
};

export const chatMethods: Record<string, Method> = {
  getChat,
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  setChatTitle,
  setChatDescription,
  leaveChat,
};
