import * as z from "zod";
import type { MarkedText } from "../../../domain/channel/card.ts";
import type { Mark } from "../../../domain/message/message.ts";
import { joinTexts, plainText } from "../../../domain/text/markup.ts";
import { indented, MAX_ENTITIES, quotedLines } from "../sending/formatting.ts";
import { type Attachment, fileOf, map, titleOf } from "./attachments.ts";
import type { Lines } from "./lines.ts";
import { absent, media, type TelegramMessage } from "./update.ts";

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

/** Words as a marked text, and the files that stand among them. */
export interface Rich {
  words: MarkedText;
  files: Attachment[];
}

export function richIn({ rich_message: rich }: Pick<TelegramMessage, "rich_message">, lines: Lines): Rich | undefined {
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

/** What of a block is no text: its file, its spot on a map, its buttons. */
function pointsOf(given: Block, { lines, files }: Reading): MarkedText[] {
  const { location, buttons = [], voice_note: voice, photo, video, animation, audio, document } = given;
  const spot = location && `📍 ${lines.location}\n${map(location.latitude, location.longitude)}`;
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

/** A text, a list of texts, a text with a type, or a caption: a text with a credit. */
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

/** The text with a mark over all of it. */
function whole(type: Mark["type"], { text, marks }: MarkedText, language?: string, url?: string): MarkedText {
  if (!text) return { text, marks };
  const own = { type, offset: 0, length: text.length, ...(language && { language }), ...(url && { url }) };
  return { text, marks: [own, ...marks] };
}
