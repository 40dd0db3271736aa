import { fileId, uniqueId } from "../files.ts";
import { photoSizes } from "../media.ts";
import { badRequest } from "../refusal.ts";
import { chatOf, userOf } from "../rooms.ts";
import type { Method } from "./request.ts";
import { targetOf } from "./targets.ts";

// "For the moment, bots can download files of up to 20MB in size": https://core.telegram.org/bots/api#getfile
const MOST_DOWNLOAD = 20 * 1024 * 1024;

const getFile: Method = ({ world, args }) => {
  const found = world.files.find(args.file_id ?? "");
  if (!found) throw badRequest("invalid file_id");
  const { file, kind } = found;
  if (file.bytes.byteLength > MOST_DOWNLOAD) throw badRequest("file is too big");
  return {
    file_id: fileId(file, kind),
    file_unique_id: uniqueId(file),
    file_size: file.bytes.byteLength,
    file_path: world.files.open(file, kind),
  };
};

const getUserProfilePhotos: Method = ({ world, args }) => {
  const person = world.people.get(args.user_id ?? 0);
  if (!person && !world.bots.has(args.user_id ?? 0)) throw badRequest("user not found");
  const photos = person?.photo ? [photoSizes(world, person.photo)] : [];
  const from = args.offset ?? 0;
  return { total_count: photos.length, photos: photos.slice(from, from + (args.limit ?? 100)) };
};

const getChat: Method = (request) => {
  const { world, args } = request;
  const { room } = targetOf(request);
  const isPerson = room.kind === "private";
  if (isPerson && !room.opened) throw badRequest("chat not found");
  const photo = isPerson ? world.people.get(Number(args.chat_id))?.photo : undefined;
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
    ...(photo && {
      photo: {
        small_file_id: fileId(photo, "photo"),
        small_file_unique_id: uniqueId(photo),
        big_file_id: fileId(photo, "photo"),
        big_file_unique_id: uniqueId(photo),
      },
    }),
  };
};

const getChatMember: Method = (request) => {
  const { world, args } = request;
  const { room } = targetOf(request);
  const id = args.user_id ?? 0;
  if (!world.people.has(id) && !world.bots.has(id)) throw badRequest("user not found");
  const isIn = room.people.includes(id) || room.bot === id;
  const status = isIn ? (room.kind !== "private" && room.people[0] === id ? "creator" : "member") : "left";
  return { status, user: userOf(world, id), ...(status === "creator" && { is_anonymous: false }) };
};

export const fetchingMethods: Record<string, Method> = { getFile, getUserProfilePhotos, getChat, getChatMember };
