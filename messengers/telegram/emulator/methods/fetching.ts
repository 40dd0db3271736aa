import { fileId, uniqueId } from "../files.ts";
import { photoSizes } from "../media.ts";
import { badRequest } from "../refusal.ts";
import type { Method } from "./request.ts";
import { checkUser, userIdOf } from "./targets.ts";

// "For the moment, bots can download files of up to 20MB in size": https://core.telegram.org/bots/api#getfile
const MAX_DOWNLOAD = 20 * 1024 * 1024;

const getFile: Method = ({ world, args }) => {
  if (!args.file_id) throw badRequest("file_id not specified");
  const found = world.files.find(args.file_id);
  if (!found) throw badRequest("invalid file_id");
  const { file, kind } = found;
  if (file.size > MAX_DOWNLOAD) throw badRequest("file is too big");
  return {
    file_id: fileId(file, kind),
    file_unique_id: uniqueId(file),
    file_size: file.size,
    file_path: world.files.open(file, kind),
  };
};

const getUserProfilePhotos: Method = ({ world, args }) => {
  const id = userIdOf(args.user_id, "user_id");
  checkUser(world, id);
  const person = world.people.get(id);
  const photos = person?.photo ? [photoSizes(world, person.photo)] : [];
  const from = args.offset ?? 0;
  return { total_count: photos.length, photos: photos.slice(from, from + (args.limit ?? 100)) };
};

export const fetchingMethods: Record<string, Method> = { getFile, getUserProfilePhotos };
