import { newAlbumId } from "../drafts.ts";
import { captionContent } from "../entities.ts";
import { mediaOf } from "../media.ts";
import { originOf } from "../origins.ts";
import { Malformed } from "../refusal.ts";
import { post } from "../rooms.ts";
import type { Content, Message } from "../wire.ts";
import type { Post, Room } from "../world.ts";
import { captionOf, isVisual } from "./media.ts";
import { checkThread, postAll, postOne } from "./posting.ts";
import type { BotRequest, Method } from "./request.ts";
import { checkMayWrite, roomOfChat, targetOf } from "./targets.ts";

// "Service messages and messages with protected content can't be forwarded":
// https://core.telegram.org/bots/api#forwardmessage
const CONTENT = new Set(
  "text entities caption caption_entities photo video animation audio document voice video_note sticker contact location venue poll dice show_caption_above_media has_media_spoiler".split(
    " ",
  ),
);

/** Content without sender and reply. */
function contentOf(message: Message): Content {
  return Object.fromEntries(Object.entries(message).filter(([name]) => CONTENT.has(name)));
}

const isForwardable = ({ message }: Post): boolean =>
  !message.has_protected_content && Object.keys(contentOf(message)).length > 0;

function sourceOf(request: BotRequest): Room {
  if (request.args.from_chat_id === undefined) throw new Malformed('Parameter "from_chat_id" is required');
  return roomOfChat(request, request.args.from_chat_id);
}

function sourceMessage(request: BotRequest, source: Room, action: "forward" | "copy"): Post {
  const found = source.posts.get(request.args.message_id ?? 0);
  if (!found) throw new Malformed(`Message to ${action} not found`);
  return found;
}

function checkForwardable(found: Post, action: "forwarded" | "copied"): void {
  if (!isForwardable(found)) throw new Malformed(`The message can't be ${action}`);
}

const forwardMessage: Method = (request) => {
  const source = sourceOf(request);
  const found = sourceMessage(request, source, "forward");
  const origin = { forward_origin: originOf(request.world, source, found) };
  const make = () => {
    checkForwardable(found, "forwarded");
    return contentOf(found.message);
  };
  return postOne(request, "messages", make, origin);
};

const copyMessage: Method = async (request) => {
  const { world, args } = request;
  const source = sourceOf(request);
  const caption = args.caption === undefined ? undefined : captionOf(request);
  const found = sourceMessage(request, source, "copy");
  const [made] = await postAll(request, "messages", () => {
    checkForwardable(found, "copied");
    const content = contentOf(found.message);
    const kind = mediaOf(content)?.kind;
    if (!caption || !kind) return [content];
    const { caption: _, caption_entities: __, show_caption_above_media: ___, ...rest } = content;
    const above = args.show_caption_above_media && isVisual(kind);
    return [{ ...rest, ...captionContent(world, caption), ...(above && { show_caption_above_media: true as const }) }];
  });
  return { message_id: made?.message.message_id };
};

const MAX_IDS = 100;

/** Messages that exist and may be forwarded; "if some can't be found or forwarded, they are skipped". */
function many(request: BotRequest, source: Room): Post[] {
  const ids = request.args.message_ids ?? [];
  if (ids.length === 0) throw new Malformed("Message identifiers are not specified");
  if (ids.length > MAX_IDS) throw new Malformed("Too many message identifiers specified");
  if (ids.some((id, at) => at > 0 && id <= (ids[at - 1] ?? 0)))
    throw new Malformed("Message identifiers must be in a strictly increasing order");
  const found = ids.flatMap((id) => source.posts.get(id) ?? []);
  if (found.length === 0) throw new Malformed("There are no messages to forward");
  return found.filter(isForwardable);
}

/** Keeps albums together. */
function forwardAll(request: BotRequest, change: (content: Content, found: Post) => Content, withOrigin: boolean) {
  const { world, bot, args, floods } = request;
  const source = sourceOf(request);
  const target = targetOf(request);
  checkThread(request);
  const found = many(request, source);
  checkMayWrite(world, target, "messages");
  const albums = new Map<string, string>();
  const posts = found.map((each) => {
    floods.pass(target.room, bot.id);
    const old = each.message.media_group_id;
    if (old !== undefined && !albums.has(old)) albums.set(old, newAlbumId(world));
    const album = old === undefined ? {} : { media_group_id: albums.get(old) as string };
    const origin = withOrigin && { forward_origin: originOf(world, source, each) };
    const content = { ...change(contentOf(each.message), each), ...album };
    const guard = args.protect_content && { has_protected_content: true as const };
    return post(world, target.room, bot.id, content, { ...origin, ...guard });
  });
  return posts.map(({ message }) => ({ message_id: message.message_id }));
}

const copyMessages: Method = (request) =>
  forwardAll(
    request,
    (content) => {
      if (!request.args.remove_caption) return content;
      const { caption: _, caption_entities: __, ...rest } = content;
      return rest;
    },
    false,
  );

export const forwardingMethods: Record<string, Method> = {
  forwardMessage,
  forwardMessages: (request) => forwardAll(request, (content) => content, true),
  copyMessage,
  copyMessages,
};
