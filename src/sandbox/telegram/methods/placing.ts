import { businessView } from "../announcements.ts";
import { badRequest } from "../refusal.ts";
import { changed, type Extras, post, userOf } from "../rooms.ts";
import type { Content, Message } from "../wire.ts";
import type { Post, Room } from "../world.ts";
import { checkKeyboard, inlineOf, keepKeyboard } from "./markup.ts";
import type { BotRequest } from "./request.ts";
import { checkMayWrite, type Target, targetOf } from "./targets.ts";

/** Sends what `make` gives, which is asked only when the bot may write there. */
export async function place(
  request: BotRequest,
  what: string,
  make: () => Content[] | Promise<Content[]>,
): Promise<Message[]> {
  const { world, bot, args, floods } = request;
  const target = targetOf(request);
  checkMayWrite(world, target, what);
  const contents = await make();
  const extras = extrasOf(request, target);
  checkKeyboard(args.reply_markup);
  floods.pass(target.room, bot.id);
  keepKeyboard(target.room, args.reply_markup);
  return contents.map((content) => asSeen(request, target, post(world, target.room, bot.id, content, extras)));
}

/** A message as the answer to the bot shows it. */
export function asSeen({ world }: BotRequest, { business }: Target, { message }: Post): Message {
  const seen = business ? businessView(world, message, business.connection, business.customer) : message;
  return structuredClone(seen);
}

function extrasOf({ world, bot, args }: BotRequest, { room, business }: Target): Extras {
  const inline = inlineOf(args.reply_markup);
  const from = business && {
    from: userOf(world, business.connection.owner),
    sender_business_bot: userOf(world, bot.id),
  };
  return {
    ...from,
    ...(args.message_thread_id !== undefined && { message_thread_id: args.message_thread_id }),
    ...(args.protect_content && { has_protected_content: true as const }),
    ...(args.link_preview_options && { link_preview_options: args.link_preview_options }),
    ...(inline && { reply_markup: inline }),
    ...repliedOf(room, args.reply_parameters),
  };
}

function repliedOf(room: Room, parameters: BotRequest["args"]["reply_parameters"]): Extras {
  if (!parameters) return {};
  const found = room.posts.get(parameters.message_id)?.message;
  if (!found) {
    if (parameters.allow_sending_without_reply) return {};
    throw badRequest("message to be replied not found");
  }
  const { reply_to_message: _, ...replied } = found;
  const { quote } = parameters;
  if (quote === undefined) return { reply_to_message: replied };
  const position = (found.text ?? found.caption ?? "").indexOf(quote, parameters.quote_position ?? 0);
  if (position < 0 || quote === "") throw badRequest("QUOTE_TEXT_INVALID");
  return { reply_to_message: replied, quote: { text: quote, position, is_manual: true } };
}

export function typing({ world, args }: BotRequest, room: Room): void {
  if (args.action !== "typing") return;
  // "The status is set for 5 seconds or less": https://core.telegram.org/bots/api#sendchataction
  room.typingUntil = world.clock.now() + 5000;
  changed(world, room);
  world.clock.after(5001, () => changed(world, room));
}
