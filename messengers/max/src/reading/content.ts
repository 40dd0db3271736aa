import { cleanName, fingerprint } from "gangway-messenger/ids";
import { yandexMap } from "gangway-messenger/maps";
import type { Content, FilePart, MarkedText } from "gangway-messenger/message";
import { cutText, joinTexts, marksOf, plainText, prefixed, readable } from "gangway-messenger/text";
import { refOf } from "../files.ts";
import type { Attachment, Body, Message } from "../update.ts";
import { FILE_BYTES } from "../wire.ts";
import type { Lines } from "./lines.ts";
import { markedText } from "./markup.ts";
import { nameOf } from "./people.ts";

type FileKind = "image" | "video" | "audio" | "file" | "sticker";

/** Names for files to which MAX gives none. A file at the CRM needs an extension. */
const NAMES: Record<FileKind, string> = {
  image: "photo.jpg",
  video: "video.mp4",
  audio: "audio.mp3",
  file: "file",
  sticker: "sticker.png",
};
/** Maximum number of attachments read of a message; MAX sends 12. */
const MAX_ATTACHMENTS = 20;
const MAX_LINE = 1_000;

interface Read {
  files: { kind: FileKind; part: FilePart }[];
  lines: MarkedText[];
}

/** The content of a customer's message. Never empty. */
export function contentOf({ body, link }: Pick<Message, "body" | "link">, lines: Lines): Content {
  if (link?.type !== "forward" || !link.message) return contentOfBody(body, lines);
  const head = lines.forwarded({ who: link.sender ? nameOf(link.sender) : lines.hidden });
  const forwarded = prefixed(contentOfBody(link.message, lines), `${head}\n`);
  const own = markedText(body).text;
  return own ? prefixed(forwarded, `${own}\n`) : forwarded;
}

function contentOfBody({ attachments, ...body }: Body, lines: Lines): Content {
  const read: Read = { files: [], lines: [] };
  for (const each of (attachments ?? []).slice(0, MAX_ATTACHMENTS)) readAttachment(each, lines, read);
  const words = joinTexts([markedText(body), ...read.lines], "\n");
  if (read.files.length === 0) return { type: "text", text: words.text || lines.empty, ...marksOf(words) };
  const files = read.files.map(({ part }) => part);
  return { type: typeOf(read.files), files, note: words.text || undefined, ...marksOf(words) };
}

/** Files of different kinds in one message are sent as files. */
function typeOf(files: Read["files"]): "image" | "audio" | "file" {
  const kinds = new Set(files.map(({ kind }) => (kind === "sticker" ? "image" : kind)));
  const [kind] = kinds;
  return kinds.size === 1 && (kind === "image" || kind === "audio") ? kind : "file";
}

function readAttachment(given: Attachment, lines: Lines, { files, lines: said }: Read): void {
  const { type } = given;
  if (Object.hasOwn(NAMES, type)) {
    const kind = type as FileKind;
    const part = fileOf(kind, given, lines);
    if ("text" in part) said.push(part);
    else files.push({ kind, part });
    if (kind === "audio" && given.transcription) said.push(plainText(cutText(given.transcription, MAX_LINE)));
    return;
  }
  said.push(plainText(lineOf(given, lines)));
}

/** A file, or the line for one that cannot be passed on. */
function fileOf(kind: FileKind, given: Attachment, { names, ...lines }: Lines): FilePart | MarkedText {
  const name = cleanName(given.filename ?? "") || NAMES[kind];
  const size = given.size ?? undefined;
  const title = kind === "sticker" ? lines.sticker : names[kind];
  const what = [title, kind === "file" && name].filter(Boolean).join(", ");
  if ((size ?? 0) > FILE_BYTES)
    return plainText(lines.tooLarge({ what: `${what}, ${((size ?? 0) / 1_048_576).toFixed(1)} MB` }));
  const ref = refOf(kind, given.payload);
  if (ref === undefined) return plainText(lines.missing({ what }));
  const { width, height, duration } = given;
  return {
    file: { at: "messenger", ref },
    name,
    ...(size !== undefined && { size }),
    ...(width && { width }),
    ...(height && { height }),
    ...(duration && { duration }),
  };
}

/** A line for an attachment without a file. */
function lineOf(given: Attachment, lines: Lines): string {
  const { type, payload, latitude, longitude, title, description, data } = given;
  if (type === "contact") return contactLine(given) || lines.unknown({ kind: type });
  if (type === "location" && typeof latitude === "number" && typeof longitude === "number")
    return `📍 ${lines.location}\n${yandexMap(latitude, longitude)}`;
  if (type === "share")
    return (
      cutText([title, description, payload?.url].filter(Boolean).join("\n"), MAX_LINE) || lines.unknown({ kind: type })
    );
  if (type === "inline_keyboard" || type === "reply_keyboard") {
    const titles = payload?.buttons?.flat().flatMap(({ text }) => text || []) ?? [];
    return titles.length > 0 ? lines.keyboard({ titles: cutText(titles.join(", "), MAX_LINE) }) : "";
  }
  if (type === "data" && data) return cutText(data, MAX_LINE);
  return lines.unknown({ kind: type });
}

interface Card {
  name?: string;
  phone?: string;
}

/** The name and the first number of a vCard (RFC 6350). */
export function cardOf({ payload }: Attachment): Card {
  const valueIn = (property: string) =>
    new RegExp(`^${property}(?:;[^:\\r\\n]*)?:([^\\r\\n]*)`, "im").exec(payload?.vcf_info ?? "")?.[1]?.trim();
  const number = valueIn("TEL")
    ?.replace(/^tel:/i, "")
    .replace(/[^\d+]/g, "");
  const name = cleanName(valueIn("FN") ?? "") || (payload?.max_info && nameOf(payload.max_info));
  return {
    ...(name && { name }),
    ...(number && { phone: /^\d{5,}$/.test(number) ? `+${number}` : number }),
  };
}

function contactLine(given: Attachment): string {
  const { name, phone } = cardOf(given);
  return [name, phone].filter(Boolean).join(", ");
}

/** Longest quote above a reply, characters. */
const MAX_QUOTED = 300;

/** The answered message above the answer, for a CRM that does not know it. */
export function quotedIn({ link }: Pick<Message, "link">, lines: Lines): { head: string; always: boolean } | undefined {
  if (link?.type !== "reply" || !link.message) return undefined;
  const content = contentOfBody(link.message, lines);
  const words = "files" in content ? content.note || (content.files[0]?.name ?? "") : content.text;
  const whole = readable({ text: words ?? "", marks: content.marks ?? [] }).trim();
  const kept = cutText(whole, MAX_QUOTED);
  const short = kept === whole ? whole : `${kept.trimEnd()}…`;
  return short ? { head: `${short.replace(/^/gm, "> ")}\n`, always: false } : undefined;
}

/** Equal as long as the files are the same; empty without files. */
export function filesDigest({ attachments }: Body): string {
  const files = (attachments ?? []).filter(({ type }) => Object.hasOwn(NAMES, type));
  const named = files.map((each) => [each.type, ...nameOfFile(each)]);
  return named.length > 0 ? fingerprint(JSON.stringify(named)).slice(0, 16) : "";
}

/** What stays the same each time MAX shows the file: URLs, and perhaps tokens, are new each time. */
function nameOfFile({ payload, filename, size }: Attachment): unknown[] {
  if (filename && typeof size === "number") return [filename, size];
  return [payload?.photo_id || payload?.token || payload?.url, filename];
}
