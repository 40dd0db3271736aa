import { mediaOf } from "../media.ts";
import { badRequest, Malformed } from "../refusal.ts";
import { isServiceMessage } from "../service-messages.ts";
import type { Message } from "../wire.ts";
import type { Post, World } from "../world.ts";
import type { Target } from "./targets.ts";

/** The message's kind, as far as editing depends on it. */
export const kindOf = (message: Message): string | undefined => {
  if (message.text !== undefined) return "text";
  if (message.poll) return "poll";
  return message.location?.live_period === undefined ? mediaOf(message)?.kind : "live_location";
};

const EDITABLE = new Set(["text", "photo", "video", "animation", "audio", "document", "voice"]);
const DAY_MS = 24 * 60 * 60 * 1000;

/** Which messages a bot may edit: TDLib's MessagesManager::can_edit_message. */
export function checkEditable(world: World, target: Target, post: Post, bot: number, onlyMarkup: boolean): void {
  if (target.business) checkBusiness(world, target.business.connection.owner, post, bot);
  else if (!isEditable(world, target, post, bot, onlyMarkup)) throw new Malformed("Message can't be edited");
}

function isEditable(world: World, { room }: Target, post: Post, bot: number, onlyMarkup: boolean): boolean {
  const { message, author, at } = post;
  // "Note that it is currently only possible to edit messages without reply_markup or with inline keyboards":
  // https://core.telegram.org/bots/api#updating-messages
  if (message.forward_origin || post.hadKeyboard) return false;
  if (author !== bot && room.kind !== "channel") return false;
  const kind = kindOf(message) ?? "";
  if (EDITABLE.has(kind)) return true;
  if (onlyMarkup) return !isServiceMessage(message);
  if (kind === "live_location") return world.clock.now() - at < (message.location?.live_period ?? 0) * 1000;
  return kind === "poll" && !message.poll?.is_closed;
}

// "business messages that were not sent by the bot and do not contain an inline keyboard can only be edited within 48
// hours from the time they were sent": https://core.telegram.org/bots/api#editmessagetext
const BUSINESS_WITHIN_MS = 2 * DAY_MS;

function checkBusiness(world: World, owner: number, post: Post, bot: number): void {
  const { message, author, at } = post;
  if (author !== bot && author !== owner) throw badRequest("MESSAGE_AUTHOR_REQUIRED");
  if (message.forward_origin || post.hadKeyboard) throw badRequest("MESSAGE_ID_INVALID");
  if (author !== bot && !message.reply_markup && world.clock.now() - at > BUSINESS_WITHIN_MS)
    throw badRequest("MESSAGE_EDIT_TIME_EXPIRED");
}
