import { businessView } from "../announcements.ts";
import { isLong } from "../fields.ts";
import { checkedLink } from "../formatting/links.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { changed, type Extras, post, userOf } from "../rooms.ts";
import type { Content, Message } from "../wire.ts";
import type { Post, Room } from "../world.ts";
import { fitting, keepKeyboard, type Markup, readMarkup } from "./markup.ts";
import { readReply, repliedTo } from "./replies.ts";
import type { BotRequest } from "./request.ts";
import { checkMayWrite, type Target, targetOf } from "./targets.ts";

/** Posts the contents of `make`, which runs only if the bot may write here. */
export async function postAll(
  request: BotRequest,
  what: string,
  make: () => Content[] | Promise<Content[]>,
  more: Extras = {},
): Promise<Post[]> {
  const { world, bot, args, floods } = request;
  const reply = readReply(request);
  const read = readMarkup(request.raw.get("reply_markup"));
  if (args.ephemeral_message_parameters) throw badRequest("ephemeral messages are not served by the sandbox");
  const target = targetOf(request);
  const { room } = target;
  checkThread(request);
  const replied = repliedTo(request, target, reply);
  const markup = fitting(read, { ...target, world, onlyInline: room.kind === "channel" });
  checkMayWrite(world, target, what);
  const contents = await make();
  checkOptions(request, room);
  const extras = { ...extrasOf(request, target, markup), ...replied, ...more };
  floods.pass(room, bot.id);
  keepKeyboard(room, markup);
  const posts = contents.map((content) => post(world, room, bot.id, content, extras));
  for (const each of posts) each.hadKeyboard = markup !== undefined && markup.kind !== "inline";
  return posts;
}

/** The sandbox's chats have no topics. */
export function checkThread({ args }: BotRequest): void {
  if ((args.message_thread_id ?? 0) > 0) throw badRequest("message thread not found");
}

/** Checks send options in the order of TDLib's MessageSendOptions.cpp, then the server. */
function checkOptions({ args }: BotRequest, room: Room): void {
  const { message_effect_id: effect, link_preview_options: preview } = args;
  if (effect && room.kind !== "private" && room.kind !== "people")
    throw new Malformed("Can't use message effects in the chat");
  if (args.suggested_post_parameters)
    throw new Malformed("Suggested posts can be sent only to channel direct messages");
  if (effect && !isLong(effect)) throw badRequest("EFFECT_ID_INVALID");
  if (args.allow_paid_broadcast) throw badRequest("FLOODSKIP_NOT_ALLOWED");
  checkPreview(preview);
}

export function checkPreview(preview: BotRequest["args"]["link_preview_options"]): void {
  if (!preview?.url) return;
  try {
    checkedLink(preview.url);
  } catch {
    throw badRequest("WEBPAGE_URL_INVALID");
  }
}

export async function postOne(
  request: BotRequest,
  what: string,
  make: () => Content | Promise<Content>,
  more: Extras = {},
): Promise<Message | undefined> {
  const [made] = await postAll(request, what, async () => [await make()], more);
  return made && asSeen(request, targetOf(request), made);
}

/** The message as the calling bot sees it. */
export function asSeen({ world }: BotRequest, { business }: Target, { message }: Post): Message {
  const seen = business ? businessView(world, message, business.connection, business.customer) : message;
  return structuredClone(seen);
}

function extrasOf({ world, bot, args }: BotRequest, { room, business }: Target, markup: Markup | undefined): Extras {
  const from = business && {
    from: userOf(world, business.connection.owner),
    sender_business_bot: userOf(world, bot.id),
  };
  const preview = args.disable_web_page_preview ? { is_disabled: true } : args.link_preview_options;
  return {
    ...from,
    ...(args.protect_content && { has_protected_content: true as const }),
    ...(preview && { link_preview_options: preview }),
    ...(args.message_effect_id && room.kind === "private" && { effect_id: args.message_effect_id }),
    ...(markup?.kind === "inline" && { reply_markup: { inline_keyboard: markup.rows } }),
  };
}

export function typing({ world, args }: BotRequest, room: Room): void {
  if (args.action !== "typing") return;
  // "The status is set for 5 seconds or less": https://core.telegram.org/bots/api#sendchataction
  room.typingUntil = world.clock.now() + 5000;
  changed(world, room);
  world.clock.after(5001, () => changed(world, room));
}
