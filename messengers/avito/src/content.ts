import { yandexMap } from "gangway-messenger/maps";
import type { Content, FilePart } from "gangway-messenger/message";
import { cutText, excerptOf } from "gangway-messenger/text";
import type { Lines } from "./lines.ts";
import type { Saying } from "./notes.ts";
import type { WireContent, WireMessage } from "./wire.ts";

/** Prefix of a file's `ref`: its URL follows, or the id that gives one. */
export const [IMAGE_REF, VOICE_REF] = ["image:", "voice:"] as const;

/** Content of a message, never empty. */
export function contentOf({ type, content, quote }: Pick<WireMessage, "type" | "content" | "quote">, lines: Lines) {
  const own = bare(type, content, lines);
  // The gateway allows no quotes for a channel that shows them in lists only.
  return quote ? withHead(own, `> ${quotedOf(quote, lines)}\n`) : own;
}

/** Words above a text, or the note of a file; a voice message has none. */
function withHead(content: Content, head: string): Content {
  if (content.type === "audio") return content;
  if ("files" in content) return { ...content, note: (head + (content.note ?? "")).trimEnd() };
  return { ...content, text: head + (content.text ?? "") } as Content;
}

/** Identifies a message of ours by its content. */
export const sayingOf = ({ type, content }: Pick<WireMessage, "type" | "content">): Saying => ({
  // Avito turns a text with a URL into a link.
  type: type === "link" ? "text" : type,
  words: content.text ?? content.link?.text ?? undefined,
});

function bare(type: string, content: WireContent, lines: Lines): Content {
  const image = type === "image" ? largest(content.image?.sizes) : undefined;
  if (image) return { type: "image", files: [image] };
  const voice = type === "voice" ? content.voice?.voice_id : undefined;
  if (voice !== undefined)
    return { type: "audio", files: [{ file: { at: "messenger", ref: `${VOICE_REF}${voice}` }, name: "voice.mp4" }] };
  return { type: "text", text: textOf(type, content, lines) };
}

const quotedOf = ({ type, content }: NonNullable<WireMessage["quote"]>, lines: Lines): string =>
  excerptOf(textOf(type ?? "text", content, lines).replace(/\s+/g, " "));

/** Texts by type; for unknown types every field is searched. */
function textOf(type: string, content: WireContent, lines: Lines): string {
  const { text, link, item, location, call } = content;
  switch (type) {
    case "text":
      return text || lines.empty;
    case "link":
      return linkText(link, lines);
    case "item":
      return itemText(item, lines);
    case "location":
      return locationText(location, lines);
    case "call":
      return call?.status === "missed" ? lines.missedCall : lines.call;
    case "appCall":
    case "file":
    case "video":
    case "image":
    case "voice":
    case "deleted":
      return lines[type];
    default: {
      const said = text || (link && linkText(link, lines)) || (item && itemText(item, lines));
      const head = lines.unknown({ kind: cutText(type, MAX_KIND) || "?" });
      return said ? `${head}\n${said}` : head;
    }
  }
}

/** Maximum length of the content of an unknown type, characters. */
const MAX_KIND = 40;

function linkText(link: WireContent["link"], lines: Lines): string {
  const { text, url, preview } = link ?? {};
  const address = preview?.url || url;
  const words = text || address || lines.link;
  const more = [preview?.title, address].filter((each) => each && !words.includes(each));
  return [words, ...more].join("\n");
}

function itemText(item: WireContent["item"], lines: Lines): string {
  const { title, price_string: price, item_url: url } = item ?? {};
  const head = [title, price].filter(Boolean).join(", ");
  return [head ? `${lines.item} ${head}` : lines.item, url].filter(Boolean).join("\n");
}

function locationText(location: WireContent["location"], lines: Lines): string {
  const { title, text, lat, lon } = location ?? {};
  const map = typeof lat === "number" && typeof lon === "number" ? yandexMap(lat, lon) : "";
  const name = title || text || lines.location;
  return [`📍 ${name}`, text && text !== name ? text : "", map].filter(Boolean).join("\n");
}

const SIZE = /^(\d{1,5})x(\d{1,5})$/;

/** The largest size of a picture. */
export function largest(sizes: Record<string, unknown> | null | undefined): FilePart | undefined {
  let best: (FilePart & { area: number }) | undefined;
  for (const [name, url] of Object.entries(sizes ?? {})) {
    const [, width, height] = SIZE.exec(name) ?? [];
    if (width === undefined || height === undefined || !isWeb(url)) continue;
    const area = Number(width) * Number(height);
    if (best && area <= best.area) continue;
    const file = { at: "messenger" as const, ref: `${IMAGE_REF}${url}` };
    best = { file, name: nameIn(url) ?? "photo.jpg", width: Number(width), height: Number(height), area };
  }
  if (!best) return undefined;
  const { area: _, ...part } = best;
  return part;
}

export const isWeb = (url: unknown): url is string =>
  typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** The file name at the end of a URL. */
const nameIn = (url: string): string | undefined =>
  /[^/]{1,150}\.(jpe?g|png|gif|webp|heic|bmp)$/i.exec(new URL(url).pathname)?.[0];
