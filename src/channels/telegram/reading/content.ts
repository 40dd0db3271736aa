import type { MarkedText } from "../../../domain/channel/card.ts";
import { prefixed } from "../../../domain/message/content.ts";
import type { Content } from "../../../domain/message/message.ts";
import { marksOf, plainText } from "../../../domain/text/markup.ts";
import { readable } from "../../../domain/text/readable.ts";
import { markedText } from "../sending/formatting.ts";
import { fileOf, map, titleOf, withFile } from "./attachments.ts";
import type { Lines } from "./lines.ts";
import { originName } from "./people.ts";
import { richIn } from "./rich.ts";
import { priceOf, serviceLine } from "./service-messages.ts";
import type { MessageContent, TelegramFile, TelegramMessage } from "./update.ts";

/** Content of a message; undefined if it has none for a CRM, such as most service messages. */
export function contentOf(message: TelegramMessage, lines: Lines): Content | undefined {
  const words = markedText(message.caption ?? "", message.caption_entities);
  const found = fileOf(message, lines);
  if (found) return headed(message, lines, withFile(found, words, lines));
  const line = textOf(message, lines);
  return line === undefined ? undefined : headed(message, lines, { type: "text", text: line.text, ...marksOf(line) });
}

/** A quoted message as plain text; for a file its caption, or else its name. */
export function wordsOf(message: MessageContent, lines: Lines): string {
  const caption = readable(markedText(message.caption ?? "", message.caption_entities));
  const found = fileOf(message, lines);
  if (!found) return readable(textOf(message, lines) ?? plainText(""));
  return caption || `[${titleOf(found)}]`;
}

/** Files that the gateway cannot show in the same message: a live photo's video, and those of a rich text. */
export function contentsBeside(message: TelegramMessage, lines: Lines): Content[] {
  const { live_photo: live } = message;
  const motion = live && fileOf({ video: { ...live, file_name: live.file_name ?? "live-photo.mp4" } }, lines);
  const files = motion ? [motion] : (richIn(message, lines)?.files ?? []);
  return files.map((file) => withFile(file, plainText(undefined), lines));
}

export function fileIn(message: MessageContent): TelegramFile | undefined {
  const { photo, animation, video, video_note, voice, audio, document, sticker } = message;
  const picture = photo?.findLast((each) => each !== undefined);
  return picture ?? animation ?? video ?? video_note ?? voice ?? audio ?? document ?? sticker;
}

function textOf(message: MessageContent, lines: Lines): MarkedText | undefined {
  if (message.text) return markedText(message.text, message.entities);
  const rich = richIn(message, lines)?.words;
  if (rich?.text) return rich;
  const line = lineOf(message, lines);
  return line === undefined ? undefined : plainText(line);
}

function lineOf(message: MessageContent, lines: Lines): string | undefined {
  const { contact, venue, location, poll, dice, game, invoice, sticker, web_app_data: app, checklist } = message;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(" ");
    return [name, plus(contact.phone_number)].filter(Boolean).join(", ");
  }
  if (venue) {
    const { latitude, longitude } = venue.location;
    return [`📍 ${venue.title}`, venue.address, map(latitude, longitude)].filter(Boolean).join("\n");
  }
  if (location) {
    const title = location.live_period ? lines.liveLocation : lines.location;
    return `📍 ${title}\n${map(location.latitude, location.longitude)}`;
  }
  if (poll) {
    const title = poll.type === "quiz" ? lines.quiz : lines.poll;
    return [`📊 ${title}: ${poll.question}`, ...poll.options.map((option) => `– ${option.text}`)].join("\n");
  }
  if (dice) return `${dice.emoji} ${dice.value}`;
  if (game) return lines.game({ title: game.title });
  if (invoice) return lines.invoice({ title: invoice.title });
  if (sticker) return lines.sticker({ emoji: sticker.emoji ?? "" });
  if (app) return lines.webApp({ said: app.data });
  if (checklist) {
    const tasks = checklist.tasks.map(({ text, completion_date: done }) => `${done ? "☑" : "–"} ${text}`);
    return [checklist.title ?? "☑", ...tasks].join("\n");
  }
  if (message.keys.includes("story")) return lines.story;
  const act = serviceLine(message, lines);
  if (act)
    return [act, readable(markedText(message.caption ?? "", message.caption_entities))].filter(Boolean).join("\n");
  return unknownLine(message, lines);
}

/** Adds the plus that Telegram leaves out. */
export const plus = (phone: string): string => (/^\d/.test(phone) ? `+${phone}` : phone);

/** Fields that are no content: metadata, and service messages about the chat itself. */
export const NO_CONTENT =
  /^(message_id|message_thread_id|direct_messages_topic|date|edit_date|from|chat|sender_.*|author_signature|business_connection_id|via_bot|has_.*|is_.*|media_group_id|forward_.*|reply_.*|external_reply|quote|origin|link_preview_options|effect_id|entities|caption.*|show_caption_above_media|paid_star_count|paid_message_.*|suggested_post_info|receiver_user|ephemeral_message_id|new_chat_.*|left_chat_.*|delete_chat_photo|group_chat_created|supergroup_chat_created|channel_chat_created|message_auto_delete_timer_changed|migrate_.*|pinned_message|proximity_alert_triggered|chat_background_set|community_chat_.*|chat_owner_.*|forum_topic_.*|general_forum_topic_.*|video_chat_.*|direct_message_price_changed|giveaway_completed|guest_.*|managed_bot_.*)$/;

/** Names the type of a message that is newer than this version, so that it is not lost. */
function unknownLine(message: MessageContent, lines: Lines): string | undefined {
  const kind = message.keys.find((key) => !NO_CONTENT.test(key));
  return kind === undefined ? undefined : [lines.unknown({ kind }), message.caption].filter(Boolean).join("\n");
}

/** Puts above a message who wrote it first, what is offered for it, and who can see it. */
function headed(message: TelegramMessage, lines: Lines, content: Content): Content {
  const { forward_origin: origin, suggested_post_info: offer, ephemeral_message_id: passing } = message;
  const heads = [
    passing === undefined ? undefined : lines.ephemeral,
    offer && lines.suggestedPost({ price: priceOf(offer.price) }),
    origin && lines.forwarded({ who: originName(origin) ?? lines.hidden }),
  ].filter((each) => each !== undefined);
  return heads.length > 0 ? prefixed(content, `${heads.join("\n")}\n`) : content;
}
