import { isDeepStrictEqual } from "node:util";
import { announceDeleted } from "../announcements.ts";
import { captionContent, textContent } from "../entities.ts";
import { badRequest } from "../refusal.ts";
import { changed } from "../rooms.ts";
import type { Content, Message } from "../wire.ts";
import type { Post } from "../world.ts";
import { inlineOf } from "./markup.ts";
import { asSeen } from "./placing.ts";
import type { BotRequest, Method } from "./request.ts";
import { hasMedia, inputContent, refuseParseMode } from "./sending.ts";
import { connectionOf, messageOf, type Target, targetOf } from "./targets.ts";

const NOT_MODIFIED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
// "A message can only be deleted if it was sent less than 48 hours ago": https://core.telegram.org/bots/api#deletemessage
const DELETE_WITHIN_MS = 48 * 60 * 60 * 1000;

type Change = (message: Message) => Content | Promise<Content>;

async function edit(request: BotRequest, drops: readonly (keyof Content)[], change: Change): Promise<Message> {
  const { world, bot, args } = request;
  const target = targetOf(request);
  const found = ownMessage(target, bot.id, args.message_id);
  const kept = Object.fromEntries(
    Object.entries(found.message).filter(([key]) => !drops.includes(key as keyof Content)),
  );
  const { reply_markup: _, ...rest } = kept as unknown as Message;
  const inline = inlineOf(args.reply_markup);
  const message: Message = { ...rest, ...(await change(found.message)), ...(inline && { reply_markup: inline }) };
  if (isDeepStrictEqual(message, found.message)) throw badRequest(NOT_MODIFIED);
  found.message = { ...message, edit_date: Math.floor(world.clock.now() / 1000) };
  changed(world, target.room);
  return asSeen(request, target, found);
}

function ownMessage({ room }: Target, bot: number, id: number | undefined): Post {
  const found = messageOf(room, id, () => badRequest("message to edit not found"));
  if (found.author !== bot) throw badRequest("message can't be edited");
  return found;
}

const editText: Method = (request) =>
  edit(request, ["text", "entities"], ({ text }) => {
    refuseParseMode(request.args.parse_mode);
    if (text === undefined) throw badRequest("there is no text in the message to edit");
    return textContent(request.args.text ?? "", request.args.entities);
  });

const editCaption: Method = (request) =>
  edit(request, ["caption", "caption_entities"], (message) => {
    refuseParseMode(request.args.parse_mode);
    if (!hasMedia(message)) throw badRequest("there is no caption in the message to edit");
    return captionContent(request.args.caption, request.args.caption_entities);
  });

const MEDIA = [
  "photo",
  "video",
  "animation",
  "audio",
  "document",
  "caption",
  "caption_entities",
  "has_media_spoiler",
] as const;

const editMedia: Method = (request) =>
  edit(request, MEDIA, (message) => {
    const input = [request.args.media ?? []].flat()[0];
    if (!input) throw badRequest("can't parse input media");
    if (message.text !== undefined || !hasMedia(message)) throw badRequest("message can't be edited");
    if (message.media_group_id) checkSameAlbum(message, input.type);
    return inputContent(request, input);
  });

function checkSameAlbum(message: Message, type: string): void {
  const isVisual = ["photo", "video"].includes(type);
  const fits = message.photo || message.video ? isVisual : type === (message.audio ? "audio" : "document");
  if (!fits) throw badRequest("message content type can't be used in an album");
}

function erase({ world, bot }: BotRequest, { room }: Target, id: number | undefined): void {
  const found = messageOf(room, id, () => badRequest("message to delete not found"));
  if (found.author !== bot.id && room.kind !== "private") throw badRequest("message can't be deleted");
  if (world.clock.now() - found.at > DELETE_WITHIN_MS) throw badRequest("message can't be deleted for everyone");
  room.posts.delete(found.message.message_id);
  changed(world, room);
}

function eraseMany(request: BotRequest): true {
  const target = targetOf(request);
  const ids = request.args.message_ids ?? [];
  if (ids.length === 0) throw badRequest("message identifiers are not specified");
  if (ids.length > 100) throw badRequest("too many message identifiers specified");
  // "If some of the specified messages can't be found, they are skipped"
  for (const id of ids) if (target.room.posts.has(id)) erase(request, target, id);
  return true;
}

function eraseBusiness({ world, bot, args }: BotRequest): true {
  const connection = connectionOf(world, bot, args.business_connection_id);
  const rooms = [...world.rooms.values()].filter(
    ({ kind, people }) => kind === "people" && people.includes(connection.owner),
  );
  for (const room of rooms) {
    const ids = (args.message_ids ?? []).filter((id) => room.posts.get(id)?.author === bot.id);
    for (const id of ids) room.posts.delete(id);
    if (ids.length > 0) changed(world, room);
    if (ids.length > 0) announceDeleted(world, room, ids);
  }
  return true;
}

export const editingMethods: Record<string, Method> = {
  editMessageText: editText,
  editMessageCaption: editCaption,
  editMessageMedia: editMedia,
  editMessageReplyMarkup: (request) => edit(request, [], () => ({})),
  deleteMessage(request) {
    erase(request, targetOf(request), request.args.message_id);
    return true;
  },
  deleteMessages: eraseMany,
  deleteBusinessMessages: eraseBusiness,
};
