import type { MarkedText } from "../../domain/card.ts";
import { prefixed } from "../../domain/content.ts";
import { joinTexts, marksOf, plainText } from "../../domain/markup.ts";
import type { Content, FilePart } from "../../domain/message.ts";
import { readable } from "../../domain/readable.ts";
import { markedText } from "./formatting.ts";
import type { Lines } from "./lines.ts";
import { originName } from "./people.ts";
import { serviceLine } from "./service-messages.ts";
import type { MessageContent, TelegramFile, TelegramMessage } from "./update.ts";
import { FETCH_BYTES } from "./wire.ts";

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

export function fileIn(message: MessageContent): TelegramFile | undefined {
  const { photo, animation, video, video_note, voice, audio, document, sticker } = message;
  const picture = photo?.findLast((each) => each !== undefined);
  return picture ?? animation ?? video ?? video_note ?? voice ?? audio ?? document ?? sticker;
}

interface Attachment {
  type: "image" | "file" | "audio";
  part: FilePart & { name: string };
  title: string;
  note?: string;
}

const PICTURE = /^image\/(jpeg|png|webp|gif)$/;

function fileOf(message: MessageContent, { names }: Lines): Attachment | undefined {
  const { photo, video, animation, video_note: round, voice, audio, document, sticker } = message;
  const size = photo?.findLast((each) => each !== undefined);
  if (size) return { type: "image", part: part(size, "photo.jpg", "image/jpeg"), title: names.photo };
  // First: an animation also has `document` set.
  if (animation) return { type: "file", part: part(animation, "animation.mp4", "video/mp4"), title: names.video };
  if (video) return { type: "file", part: part(video, "video.mp4", "video/mp4"), title: names.video };
  if (round) return { type: "file", part: part(round, "video-note.mp4", "video/mp4"), title: names.video };
  if (voice) return { type: "audio", part: part(voice, "voice.ogg", "audio/ogg"), title: names.voice };
  if (audio) return { type: "audio", part: part(audio, songName(audio), "audio/mpeg"), title: names.audio };
  if (document) {
    const type = PICTURE.test(document.mime_type ?? "") ? "image" : "file";
    return { type, part: part(document, "file", "application/octet-stream"), title: names.file };
  }
  return sticker && stickerOf(sticker);
}

const part = (file: TelegramFile & { duration?: number }, name: string, mediaType: string): Attachment["part"] => ({
  file: { at: "messenger", ref: file.file_id },
  name: file.file_name || name,
  mediaType: file.mime_type ?? mediaType,
  size: file.file_size,
  width: file.width,
  height: file.height,
  duration: file.duration,
});

const titleOf = ({ title, part: { name } }: Attachment): string => title || name;

const songName = ({ performer, title }: NonNullable<TelegramMessage["audio"]>): string =>
  title ? `${[performer, title].filter(Boolean).join(" – ")}.mp3` : "audio.mp3";

/** A sticker animated in Telegram's own format is shown as its thumbnail. */
function stickerOf(sticker: NonNullable<TelegramMessage["sticker"]>): Attachment | undefined {
  const note = sticker.emoji;
  const title = note ?? "";
  if (sticker.is_video) return { type: "file", part: part(sticker, "sticker.webm", "video/webm"), title, note };
  if (!sticker.is_animated) return { type: "image", part: part(sticker, "sticker.webp", "image/webp"), title, note };
  const { thumbnail } = sticker;
  return thumbnail && { type: "image", part: part(thumbnail, "sticker.webp", "image/webp"), title, note };
}

function withFile({ type, part: file, title, note }: Attachment, words: MarkedText, lines: Lines): Content {
  const text = joinTexts([words, plainText(note)], "\n");
  if ((file.size ?? 0) <= FETCH_BYTES) return { type, files: [file], note: text.text || undefined, ...marksOf(text) };
  const what = [title, file.name, `${((file.size ?? 0) / 1_048_576).toFixed(1)} MB`].filter(Boolean).join(", ");
  const replacement = joinTexts([plainText(lines.tooLarge({ what })), text], "\n");
  return { type: "text", text: replacement.text, ...marksOf(replacement) };
}

const map = (latitude: number, longitude: number) => `https://maps.google.com/?q=${latitude},${longitude}`;

function textOf(message: MessageContent, lines: Lines): MarkedText | undefined {
  if (message.text) return markedText(message.text, message.entities);
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
  if (checklist) return [checklist.title ?? "☑", ...checklist.tasks.map((task) => `– ${task.text}`)].join("\n");
  if (message.keys.includes("story")) return lines.story;
  const act = serviceLine(message, lines);
  if (act)
    return [act, readable(markedText(message.caption ?? "", message.caption_entities))].filter(Boolean).join("\n");
  return unknownLine(message, lines);
}

/** Adds the plus that Telegram leaves out. */
export const plus = (phone: string): string => (/^\d/.test(phone) ? `+${phone}` : phone);

/** Fields that are no content: metadata, and service messages about the chat itself. */
const NO_CONTENT =
  /^(message_id|message_thread_id|direct_messages_topic|date|edit_date|from|chat|sender_.*|author_signature|business_connection_id|via_bot|has_.*|is_.*|media_group_id|forward_.*|reply_.*|external_reply|quote|origin|link_preview_options|effect_id|entities|caption.*|show_caption_above_media|paid_star_count|paid_message_.*|suggested_post_.*|new_chat_.*|left_chat_.*|delete_chat_photo|group_chat_created|supergroup_chat_created|channel_chat_created|message_auto_delete_timer_changed|migrate_.*|pinned_message|proximity_alert_triggered|chat_background_set|community_chat_.*|chat_owner_.*|forum_topic_.*|general_forum_topic_.*|video_chat_.*|direct_message_price_changed|giveaway_completed|guest_.*|managed_bot_.*)$/;

/** Names the type of a message that is newer than this version, so that it is not lost. */
function unknownLine(message: MessageContent, lines: Lines): string | undefined {
  const kind = message.keys.find((key) => !NO_CONTENT.test(key));
  return kind === undefined ? undefined : [lines.unknown({ kind }), message.caption].filter(Boolean).join("\n");
}

/** Puts the original author above a forwarded message. */
function headed({ forward_origin: origin }: TelegramMessage, lines: Lines, content: Content): Content {
  return origin ? prefixed(content, `${lines.forwarded({ who: originName(origin) ?? lines.hidden })}\n`) : content;
}
