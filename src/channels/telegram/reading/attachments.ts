import type { MarkedText } from "../../../domain/channel/card.ts";
import type { Content, FilePart } from "../../../domain/message/message.ts";
import { joinTexts, marksOf, plainText } from "../../../domain/text/markup.ts";
import { FETCH_BYTES } from "../wire.ts";
import type { Lines } from "./lines.ts";
import type { MessageContent, TelegramFile, TelegramMessage } from "./update.ts";

type Media = Partial<
  Pick<
    MessageContent,
    "photo" | "video" | "animation" | "video_note" | "voice" | "audio" | "document" | "sticker" | "live_photo"
  >
>;

export interface Attachment {
  type: "image" | "file" | "audio";
  part: FilePart & { name: string };
  title: string;
  note?: string;
}

const PICTURE = /^image\/(jpeg|png|webp|gif)$/;

export function fileOf(message: Media, { names }: Lines): Attachment | undefined {
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

export const titleOf = ({ title, part: { name } }: Attachment): string => title || name;

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

export function withFile({ type, part: file, title, note }: Attachment, words: MarkedText, lines: Lines): Content {
  const text = joinTexts([words, plainText(note)], "\n");
  if ((file.size ?? 0) <= FETCH_BYTES) return { type, files: [file], note: text.text || undefined, ...marksOf(text) };
  const what = [title, file.name, `${((file.size ?? 0) / 1_048_576).toFixed(1)} MB`].filter(Boolean).join(", ");
  const replacement = joinTexts([plainText(lines.tooLarge({ what })), text], "\n");
  return { type: "text", text: replacement.text, ...marksOf(replacement) };
}

export const map = (latitude: number, longitude: number) => `https://maps.google.com/?q=${latitude},${longitude}`;
