import { googleMap } from "gangway-messenger/maps";
import type { Content, FilePart } from "gangway-messenger/message";
import type { Lines } from "./lines.ts";
import type { Attachment, WireMessage } from "./wire.ts";

interface Found {
  type: "image" | "file" | "audio";
  part: FilePart;
}

/** Types of attachments with bytes. */
const FILES = new Map<string, { as: Found["type"]; name: string; mayBePicture?: true }>([
  ["image", { as: "image", name: "photo.jpg" }],
  ["sticker", { as: "image", name: "sticker.png" }],
  ["animated_media", { as: "image", name: "animation.gif" }],
  ["audio", { as: "audio", name: "audio.mp4" }],
  ["video", { as: "file", name: "video.mp4" }],
  ["file", { as: "file", name: "file" }],
  ["story_mention", { as: "file", name: "story", mayBePicture: true }],
  ["ephemeral", { as: "file", name: "file", mayBePicture: true }],
]);

/** Content of a message; undefined if it has none. A customer's files are opened by their addresses, which expire. */
export function contentOf(message: WireMessage, lines: Lines): Content | undefined {
  const attachments = withoutCopies(message.attachments ?? []);
  const product = message.referral?.product?.id ?? message.referral?.ads_context_data?.product_id;
  const story = storyOf(message);
  const files = [...(story ? [story] : []), ...attachments.flatMap(fileOf)];
  const texts = [
    product ? lines.product({ code: product }) : undefined,
    message.reply_to?.story ? lines.repliedToStory : undefined,
    ...attachments.flatMap((each) => lineOf(each, message.text ?? "", lines)),
    message.text || undefined,
    message.is_unsupported ? lines.unsupported : undefined,
  ].filter((text) => text !== undefined);
  const text = texts.join("\n");
  if (files.length > 0) return { type: typeOf(files), files: files.map(({ part }) => part), note: text || undefined };
  return text ? { type: "text", text } : undefined;
}

/**
 * For a while a sticker also comes as a picture (docs/messenger-platform, messages webhook: sticker attachment type
 * transition).
 */
function withoutCopies(attachments: Attachment[]): Attachment[] {
  const stickers = attachments.flatMap(({ type, payload }) => (type === "sticker" ? [payload?.sticker_id] : []));
  const isCopy = ({ type, payload }: Attachment) =>
    type === "image" && payload?.sticker_id !== undefined && stickers.includes(payload.sticker_id);
  return attachments.filter((each) => !isCopy(each));
}

/** One type for all: a message stays one message. */
function typeOf(files: Found[]): Found["type"] {
  const [first, ...others] = files;
  if (!first || others.some(({ type }) => type !== first.type)) return "file";
  return first.type === "audio" && others.length > 0 ? "file" : first.type;
}

function storyOf({ reply_to }: WireMessage): Found | undefined {
  const url = reply_to?.story?.url;
  if (!isWeb(url)) return undefined;
  return { type: "file", part: { file: { at: "messenger", ref: url }, name: "story", mayBePicture: true } };
}

function fileOf({ type, payload }: Attachment): Found[] {
  const known = FILES.get(type);
  const url = payload?.url;
  if (!known || !isWeb(url)) return [];
  const { as, name, mayBePicture } = known;
  const part: FilePart = { file: { at: "messenger", ref: url }, name: nameIn(url) ?? name };
  return [{ type: as, part: mayBePicture ? { ...part, mayBePicture } : part }];
}

const isWeb = (url: string | null | undefined): url is string =>
  typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** The file name at the end of a URL. */
function nameIn(url: string): string | undefined {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  if (!/^[^/]{1,150}\.\w{1,5}$/.test(last)) return undefined;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Describes in text what the CRM cannot show. */
function lineOf(attachment: Attachment, text: string, lines: Lines): string[] {
  const { type, payload } = attachment;
  const url = payload?.url ?? attachment.url ?? attachment.URL;
  const title = payload?.title ?? attachment.title;
  const linked = (head: string) => [[title ? `${head} ${title}` : head, url].filter(Boolean).join("\n")];
  switch (type) {
    case "story_mention":
      return [lines.mentioned];
    case "location":
      return [locationOf(attachment, lines)];
    case "fallback":
      // Messenger repeats a link in a text as an attachment.
      return url && text.includes(url) ? [] : linked(title ? "🔗" : lines.link);
    case "share":
    case "post":
    case "ig_post":
      return linked(lines.post);
    case "reel":
    case "ig_reel":
      return linked(lines.reel);
    case "story":
    case "ig_story":
      return linked(lines.story);
    case "template":
      return [...linked(lines.template), ...templateLines(attachment)];
    case "appointment_booking":
      return linked(lines.appointment);
    case "like_heart":
      return ["❤️"];
    case "ephemeral":
      return isWeb(url) ? [] : [lines.disappearing];
    case "unsupported_type":
      return [lines.unsupported];
    default:
      return FILES.has(type) && isWeb(url) ? [] : linked(lines.unknown({ kind: type }));
  }
}

/** Of a card sent by another app, or a product that the customer asks about. */
function templateLines({ payload }: Attachment): string[] {
  const all = [...(payload?.elements ?? []), ...(payload?.product?.elements ?? [])];
  const cards = all.map((each) => [each?.title, each?.subtitle, each?.retailer_id].filter(Boolean).join(" · "));
  return [payload?.text, ...cards].filter((line): line is string => Boolean(line));
}

function locationOf({ title, payload, url }: Attachment, lines: Lines): string {
  const { lat, long } = payload?.coordinates ?? {};
  const map = lat === undefined || long === undefined ? url : googleMap(lat, long);
  return [`📍 ${title || lines.location}`, map].filter(Boolean).join("\n");
}
