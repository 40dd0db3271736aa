import type { Entities } from "./update.ts";

/** Most stretches of formatting that are looked at: Telegram itself keeps a hundred in a text. */
const MOST_ENTITIES = 300;
/** Most lines that are marked as quoted: a text of Telegram's has no more letters. */
const MOST_LINES = 4_096;
/** A label of more UTF-16 units is no address, and not compared with one. */
const LABEL_LENGTH = 2_048;

interface Edit {
  at: number;
  insert: string;
}
interface Stretch {
  start: number;
  end: number;
}

/** What of the formatting plain text can show: where a link leads, and which lines are quoted. */
export function plainText(text: string, entities: Entities): string {
  const links: Edit[] = [];
  const quotes: Stretch[] = [];
  for (const entity of (entities ?? []).slice(0, MOST_ENTITIES)) {
    if (!entity) continue;
    const { type, offset, length, url } = entity;
    const [start, end] = [boundary(text, offset), boundary(text, offset + length)];
    if (!(end > start)) continue;
    if (type === "text_link" && url && !isSaid(text, start, end, url)) links.push({ at: end, insert: ` (${url})` });
    if (type === "blockquote" || type === "expandable_blockquote") quotes.push({ start, end });
  }
  const marks = lineStarts(text, quotes).map((at): Edit => ({ at, insert: "> " }));
  return edited(text, [...links, ...marks]);
}

function edited(text: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { at, insert } of edits.sort((a, b) => a.at - b.at)) {
    pieces.push(text.slice(from, at), insert);
    from = at;
  }
  return pieces.join("") + text.slice(from);
}

/** The label is the address itself. */
function isSaid(text: string, start: number, end: number, url: string): boolean {
  if (end - start > LABEL_LENGTH) return false;
  const bare = (address: string) => address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return bare(text.slice(start, end).trim()) === bare(url);
}

/** Inside the text, and never in the middle of a surrogate pair. */
function boundary(text: string, at: number): number {
  const within = Math.min(Math.max(0, Math.trunc(at)), text.length);
  const code = text.charCodeAt(within);
  return code >= 0xdc00 && code <= 0xdfff ? within + 1 : within;
}

/** Where the lines of quotes begin. Each once, and each part of the text is read once, however the quotes lie within each other. */
function lineStarts(text: string, quotes: Stretch[]): number[] {
  const starts: number[] = [];
  let read = 0;
  for (const { start, end } of quotes.sort((a, b) => a.start - b.start)) {
    if (start >= read) starts.push(start);
    // A line end that is the last sign of a quote begins a line of the next one only.
    let at = text.indexOf("\n", Math.max(start, read - 1));
    for (; at >= 0 && at < end - 1 && starts.length < MOST_LINES; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    read = Math.max(read, end);
  }
  return starts;
}
