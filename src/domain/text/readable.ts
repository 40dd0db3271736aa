import type { MarkedText } from "../channel/card.ts";
import type { Mark } from "../message/message.ts";
import { rangeOf } from "./markup.ts";

/** A longer label, UTF-16 units, is not compared with its URL. */
const MAX_LABEL = 2_048;

/** A piece that is put into a text. */
export interface Edit {
  at: number;
  /** Order at one offset: closing delimiters, URLs, opening delimiters. */
  rank: 0 | 1 | 2;
  insert: string;
}

/** Formatting as plain text: `~` around struck-through text, a link's URL after its label. */
export function readable({ text, marks }: MarkedText): string {
  const edits: Edit[] = [];
  const struck: { start: number; end: number }[] = [];
  for (const mark of marks) {
    const range = rangeOf(text, mark);
    if (!range) continue;
    if (mark.type === "strikethrough") struck.push(range);
    edits.push(...urlAfter(text, mark, range));
  }
  for (const { start, end } of merge(struck))
    edits.push({ at: start, rank: 2, insert: "~" }, { at: end, rank: 0, insert: "~" });
  return applyEdits(text, edits);
}

function merge(ranges: { start: number; end: number }[]) {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** A link's URL after its label, unless that shows it. */
export const urlAfter = (text: string, { type, url }: Mark, { start, end }: { start: number; end: number }): Edit[] =>
  type === "link" && url && !showsUrl(text, start, end, url) ? [{ at: end, rank: 1, insert: ` (${url})` }] : [];

export function applyEdits(text: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { at, insert } of edits.sort((a, b) => a.at - b.at || a.rank - b.rank)) {
    pieces.push(text.slice(from, at), insert);
    from = at;
  }
  return pieces.join("") + text.slice(from);
}

function showsUrl(text: string, start: number, end: number, url: string): boolean {
  if (end - start > MAX_LABEL) return false;
  const bare = (address: string) => address.replace(/^(https?:\/\/|mailto:|tel:)/, "").replace(/\/$/, "");
  return bare(text.slice(start, end).trim()) === bare(url);
}
