import { googleMap } from "gangway-messenger/maps";
import type { Content, FilePart, Mark, MarkedText } from "gangway-messenger/message";
import { joinTexts, marksOf, plainText, prefixed, rangeOf, readable } from "gangway-messenger/text";
import * as z from "zod";
import { FETCH_BYTES } from "../wire.ts";
import { originName } from "./reading-context.ts";
import { priceOf, serviceLine } from "./service-messages.ts";
import {
  absent,
  type Entities,
  type Lines,
  type MessageContent,
  media,
  type TelegramFile,
  type TelegramMessage,
} from "./update.ts";

/** Entities beyond this are ignored; Telegram itself keeps 100 per text. */
const MAX_ENTITIES = 300;
/** Quoted lines beyond this are not marked; a text has at most as many characters. */
const MAX_LINES = 4_096;

const TYPES: Record<string, Mark["type"]> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "code",
  pre: "pre",
  text_link: "link",
};
const QUOTES = ["blockquote", "expandable_blockquote"];
const QUOTED = "> ";

interface TextRange {
  start: number;
  end: number;
}

/** Text with the formatting that the gateway knows. Quoted lines start with `> `; spoilers, mentions and others become plain text. */
export function markedText(text: string, entities: Entities): MarkedText {
  const marks: Mark[] = [];
  const quotes: TextRange[] = [];
  for (const entity of (entities ?? []).slice(0, MAX_ENTITIES)) {
    if (!entity) continue;
    const { type, url, language } = entity;
    const range = rangeOf(text, entity);
    if (!range) continue;
    const { start, end } = range;
    const mark = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (mark && (mark !== "link" || url))
      marks.push({
        type: mark,
        offset: start,
        length: end - start,
        ...(mark === "link" && { url }),
        ...(mark === "pre" && { language }),
      });
    if (QUOTES.includes(type)) quotes.push(range);
  }
  return inserted({ text, marks }, lineStarts(text, quotes), QUOTED);
}

/** All lines as a quote. */
const quotedLines = (marked: MarkedText): MarkedText =>
  marked.text ? inserted(marked, lineStarts(marked.text, [{ start: 0, end: marked.text.length }]), QUOTED) : marked;

/** All lines but the first with `by` before them. */
function indented(marked: MarkedText, by: string): MarkedText {
  const [, ...further] = lineStarts(marked.text, [{ start: 0, end: marked.text.length }]);
  return inserted(marked, further, by);
}

/** Inserts `head` at line starts. */
function inserted({ text, marks }: MarkedText, starts: number[], head: string): MarkedText {
  const pieces = starts.map((at, n) => text.slice(n === 0 ? 0 : starts[n - 1], at) + head);
  // A mark that starts at a line's start begins after the head; one that ends there ends before it.
  const moved = marks.map((mark): Mark => {
    const { offset, length } = mark;
    const start = offset + head.length * below(starts, offset + 1);
    const end = offset + length + head.length * below(starts, offset + length);
    return { ...mark, offset: start, length: end - start };
  });
  return { text: pieces.join("") + text.slice(starts.at(-1) ?? 0), marks: moved };
}

const below = (positions: number[], at: number) => positions.findLastIndex((position) => position < at) + 1;

/** Offsets where quoted lines start. Linear time, even for nested or overlapping quotes. */
function lineStarts(text: string, quotes: TextRange[]): number[] {
  const starts: number[] = [];
  let scanned = 0;
  for (const { start, end } of quotes.sort((a, b) => a.start - b.start)) {
    if (start >= scanned) starts.push(start);
    // A newline that ends a quote does not start a line of that quote.
    let at = text.indexOf("\n", Math.max(start, scanned - 1));
    for (; at >= 0 && at < end - 1 && starts.length < MAX_LINES; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    scanned = Math.max(scanned, end);
  }
  return starts;
}

type Media = Partial<
  Pick<
    MessageContent,
    "photo" | "video" | "animation" | "video_note" | "voice" | "audio" | "document" | "sticker" | "live_photo"
  >
>;

interface Attachment {
  type: "image" | "file" | "audio";
  part: FilePart & { name: string };
  title: string;
  note?: string;
}

const PICTURE = /^image\/(jpeg|png|webp|gif)$/;

function fileOf(message: Media, { names }: Lines): Attachment | undefined {
  const { photo, video, animation, video_note: round, voice, audio, document, sticker } = message;
  const size = photo?.findLast((each) => each !== undefined);
  if (size) return { type: "image", part: part(size, "photo.jpg", "image/jpeg"), title: names.photo };
  // Before documents: an animation also has `document` set.
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

// A text that was written with lists, tables or headings (core.telegram.org/bots/api#richmessage). Blocks and texts nest.

/** Telegram nests 16 deep; what is deeper is left out. */
const MAX_DEPTH = 24;
const DIVIDER = "———";

const MARKS: Record<string, Mark["type"]> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "code",
  url: "link",
};

const anything = z.unknown().optional();
const words = absent(z.string());
const span = z.object({
  type: words,
  text: anything,
  credit: anything,
  url: words,
  alternative_text: words,
  expression: words,
  button: anything,
});
const { voice, ...files } = media;
const block = z.object({
  type: z.string().catch(""),
  text: anything,
  summary: anything,
  credit: anything,
  caption: anything,
  language: words,
  expression: words,
  location: absent(z.object({ latitude: z.number(), longitude: z.number() })),
  items: absent(z.array(z.unknown())),
  blocks: absent(z.array(z.unknown())),
  cells: absent(z.array(z.array(z.unknown()).catch([]))),
  buttons: absent(z.array(z.unknown())),
  ...files,
  voice_note: voice,
});
const item = z.object({
  label: words,
  blocks: z.array(z.unknown()).catch([]),
  has_checkbox: absent(z.boolean()),
  is_checked: absent(z.boolean()),
});
const cell = z.object({ text: anything, is_header: absent(z.boolean()) });
type Block = z.infer<typeof block>;

/** The words as marked text, and the files among them. */
interface Rich {
  words: MarkedText;
  files: Attachment[];
}

function richIn({ rich_message: rich }: Pick<TelegramMessage, "rich_message">, lines: Lines): Rich | undefined {
  if (!rich) return undefined;
  const files: Attachment[] = [];
  const { text, marks } = blocksOf(rich.blocks, { lines, files, depth: 0 }, "\n\n");
  return { words: { text, marks: marks.filter((_, n) => n < MAX_ENTITIES) }, files };
}

interface Reading {
  lines: Lines;
  /** Collects what is found. */
  files: Attachment[];
  depth: number;
}

function blocksOf(blocks: unknown[], reading: Reading, separator = "\n"): MarkedText {
  if (reading.depth > MAX_DEPTH) return plainText(undefined);
  const inner = { ...reading, depth: reading.depth + 1 };
  const read = blocks.flatMap((each) => block.safeParse(each).data ?? []);
  return joinTexts(
    read.map((each) => blockOf(each, inner)),
    separator,
  );
}

function blockOf(given: Block, reading: Reading): MarkedText {
  const { type, text, credit, language, caption, blocks = [], items, cells } = given;
  const own = spanOf(text);
  if (type === "heading") return whole("bold", own);
  if (type === "pre") return whole("pre", own, language);
  if (type === "divider") return plainText(DIVIDER);
  if (type === "details") return joinTexts([whole("bold", spanOf(given.summary)), blocksOf(blocks, reading)], "\n");
  if (/quot/.test(type)) return quotedLines(joinTexts([own, blocksOf(blocks, reading), creditOf(credit)], "\n"));
  if (items) return listOf(items, reading);
  if (cells) return joinTexts([spanOf(caption), ...cells.map(rowOf)], "\n");
  const pieces = [own, plainText(given.expression), ...pointsOf(given, reading), blocksOf(blocks, reading)];
  const found = joinTexts([...pieces, spanOf(caption)], "\n");
  if (found.text || type === "anchor") return found;
  return plainText(reading.lines.unknown({ kind: type || "rich_message" }));
}

/** Parts of a block that are not text: its file, its location on a map, its buttons. */
function pointsOf(given: Block, { lines, files }: Reading): MarkedText[] {
  const { location, buttons = [], voice_note: voice, photo, video, animation, audio, document } = given;
  const spot = location && `📍 ${lines.location}\n${googleMap(location.latitude, location.longitude)}`;
  const file = fileOf({ photo, video, animation, audio, document, voice }, lines);
  if (file) files.push(file);
  return [plainText(file && `[${titleOf(file)}]`), plainText(spot), joinTexts(buttons.map(buttonOf), " ")];
}

function listOf(items: unknown[], reading: Reading): MarkedText {
  const rows = items.flatMap((each) => {
    const read = item.safeParse(each).data;
    if (!read) return [];
    const box = read.is_checked ? "☑" : "☐";
    const label = read.has_checkbox ? box : read.label || "–";
    const said = blocksOf(read.blocks, reading);
    return [indented(joinTexts([plainText(label), said], " "), "  ")];
  });
  return joinTexts(rows, "\n");
}

/** Empty cells stay, so that columns do not shift. */
function rowOf(cells: unknown[]): MarkedText {
  const row: MarkedText = { text: "", marks: [] };
  for (const [n, each] of cells.entries()) {
    const { text, is_header: header } = cell.safeParse(each).data ?? {};
    const said = header ? whole("bold", spanOf(text)) : spanOf(text);
    const before = n === 0 ? "" : " | ";
    row.marks.push(...said.marks.map((mark) => ({ ...mark, offset: mark.offset + row.text.length + before.length })));
    row.text += before + said.text;
  }
  return row;
}

const creditOf = (credit: unknown): MarkedText => {
  const said = spanOf(credit);
  return said.text ? joinTexts([plainText("—"), said], " ") : said;
};

/** A text, a list of texts, a typed text, or a caption: a text with a credit. */
function spanOf(given: unknown, depth = 0): MarkedText {
  if (typeof given === "string") return plainText(given);
  if (depth > MAX_DEPTH) return plainText(undefined);
  if (Array.isArray(given))
    return joinTexts(
      given.map((each) => spanOf(each, depth + 1)),
      "",
    );
  const read = span.safeParse(given).data;
  if (!read) return plainText(undefined);
  const { type = "", text, url, alternative_text: emoji, expression, button, credit } = read;
  if (button) return buttonOf(button, depth + 1);
  const own = spanOf(text ?? emoji ?? expression, depth + 1);
  const mark = Object.hasOwn(MARKS, type) ? MARKS[type] : undefined;
  if (mark && (mark !== "link" || url)) return whole(mark, own, undefined, url);
  return credit ? joinTexts([own, creditOf(credit)], "\n") : own;
}

function buttonOf(given: unknown, depth = 0): MarkedText {
  const { text, url } = span.safeParse(given).data ?? {};
  const title = spanOf(text, depth + 1);
  const shown = joinTexts([plainText("["), title, plainText("]")], "");
  if (!title.text) return plainText(undefined);
  return url ? whole("link", shown, undefined, url) : shown;
}

/** Puts a mark over the whole text. */
function whole(type: Mark["type"], { text, marks }: MarkedText, language?: string, url?: string): MarkedText {
  if (!text) return { text, marks };
  const own = { type, offset: 0, length: text.length, ...(language && { language }), ...(url && { url }) };
  return { text, marks: [own, ...marks] };
}

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
    return [`📍 ${venue.title}`, venue.address, googleMap(latitude, longitude)].filter(Boolean).join("\n");
  }
  if (location) {
    const title = location.live_period ? lines.liveLocation : lines.location;
    return `📍 ${title}\n${googleMap(location.latitude, location.longitude)}`;
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

/** Adds lines above a message: its original author, what is offered for it, and who can see it. */
function headed(message: TelegramMessage, lines: Lines, content: Content): Content {
  const { forward_origin: origin, suggested_post_info: offer, ephemeral_message_id: passing } = message;
  const heads = [
    passing === undefined ? undefined : lines.ephemeral,
    offer && lines.suggestedPost({ price: priceOf(offer.price) }),
    origin && lines.forwarded({ who: originName(origin) ?? lines.hidden }),
  ].filter((each) => each !== undefined);
  return heads.length > 0 ? prefixed(content, `${heads.join("\n")}\n`) : content;
}
