import { yandexMap } from "gangway-messenger/maps";
import type { Content, FilePart } from "gangway-messenger/message";
import type { Attachment, Foreign, Message } from "../wire.ts";
import { type Found, fileOf } from "./files.ts";
import type { Lines } from "./lines.ts";
import { lineOf } from "./shares.ts";

/** Forwarded messages nest; anything deeper, or beyond this number, is skipped. */
const [MAX_DEPTH, MAX_FORWARDED] = [5, 100];

/** The author of a forwarded message, if known. */
export type NameOf = (person: number) => string | undefined;

interface Read {
  files: Found[];
  lines: string[];
}

/** The content of a message; never empty. */
export function contentOf(message: Message, lines: Lines, nameOf: NameOf): Content {
  const { text, fwd_messages: forwarded } = message;
  const own = partsOf(message, lines);
  const others = forwardsOf(forwarded ?? [], lines, nameOf, 0);
  const files = [...own.files, ...others.files];
  const words = [text || undefined, ...own.lines, ...others.lines].filter(Boolean).join("\n");
  if (files.length > 0) return withFiles(files, words);
  return { type: "text", text: words || lines.empty };
}

function withFiles(found: Found[], words: string): Content {
  const files = found.map(({ part }): FilePart => part);
  return { type: typeOf(found), files, ...(words && { note: words }) };
}

/** One type for all: a message stays one message. */
function typeOf(files: Found[]): Found["type"] {
  const [first, ...others] = files;
  if (!first || others.some(({ type }) => type !== first.type)) return "file";
  return first.type === "audio" && others.length > 0 ? "file" : first.type;
}

function partsOf({ attachments, geo, text }: Pick<Message, "attachments" | "geo" | "text">, lines: Lines): Read {
  const files: Found[] = [];
  const said: string[] = [];
  for (const attachment of attachments ?? []) {
    const file = fileOf(attachment);
    if (file) files.push(file);
    const line = file ? captionOf(attachment, lines) : lineOf(attachment, text ?? "", lines);
    if (line) said.push(line);
  }
  const spot = geo && spotOf(geo, lines);
  if (spot) said.push(spot);
  return { files, lines: said };
}

/** Beside a file's own words, if any. */
const captionOf = ({ type }: Attachment, lines: Lines): string | undefined =>
  type === "gift" ? lines.gift : undefined;

function spotOf({ coordinates, place }: NonNullable<Message["geo"]>, lines: Lines): string {
  const title = [place?.title, place?.address].filter(Boolean).join(", ") || lines.location;
  const map = coordinates && yandexMap(coordinates.latitude, coordinates.longitude);
  return [`📍 ${title}`, map].filter(Boolean).join("\n");
}

function forwardsOf(forwarded: Foreign[], lines: Lines, nameOf: NameOf, depth: number): Read {
  const all: Read = { files: [], lines: [] };
  if (depth >= MAX_DEPTH) return all;
  for (const each of forwarded.slice(0, MAX_FORWARDED)) {
    const name = nameOf(each.from_id ?? 0);
    const own = partsOf(each, lines);
    const inner = forwardsOf(each.fwd_messages ?? [], lines, nameOf, depth + 1);
    all.files.push(...own.files, ...inner.files);
    const words = [each.text || undefined, ...own.lines, ...inner.lines].flatMap((line) => line?.split("\n") ?? []);
    const head = name ? lines.forwardedFrom({ name }) : lines.forwarded;
    all.lines.push([head, ...words.map((line) => `> ${line}`)].join("\n"));
  }
  return all;
}

/** A quoted message in a few words. */
export function wordsOf(quoted: Foreign, lines: Lines): string {
  const { files, lines: said } = partsOf(quoted as Message, lines);
  return [quoted.text || undefined, ...said, ...files.map(({ part }) => part.name)].filter(Boolean).join("\n");
}

/** People whose names a message needs, besides its author's. */
export const writersIn = ({ fwd_messages: forwarded }: Pick<Message, "fwd_messages">): number[] =>
  (forwarded ?? [])
    .slice(0, MAX_FORWARDED)
    .flatMap(({ from_id: id, fwd_messages }) => [...(id && id > 0 ? [id] : []), ...writersIn({ fwd_messages })]);
