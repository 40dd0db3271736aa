import type { MarkedText } from "./card.ts";
import { stretchOf } from "./markup.ts";

/** A label of more UTF-16 units is no address, and not compared with one. */
const LABEL_LENGTH = 2_048;

interface Edit {
  at: number;
  /** At one place: ends before addresses before beginnings. */
  rank: 0 | 1 | 2;
  insert: string;
}

/** Formatting as plain text shows it: `~` around what is struck through, a link's address behind its label. */
export function readable({ text, marks }: MarkedText): string {
  const edits: Edit[] = [];
  const struck: { start: number; end: number }[] = [];
  for (const mark of marks) {
    const stretch = stretchOf(text, mark);
    if (!stretch) continue;
    const { start, end } = stretch;
    if (mark.type === "strikethrough") struck.push(stretch);
    if (mark.type === "link" && mark.url && !isSaid(text, start, end, mark.url))
      edits.push({ at: end, rank: 1, insert: ` (${mark.url})` });
  }
  for (const { start, end } of united(struck))
    edits.push({ at: start, rank: 2, insert: "~" }, { at: end, rank: 0, insert: "~" });
  return edited(text, edits);
}

/** Stretches that touch or overlap are one. */
function united(stretches: { start: number; end: number }[]) {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

function edited(text: string, edits: Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { at, insert } of edits.sort((a, b) => a.at - b.at || a.rank - b.rank)) {
    pieces.push(text.slice(from, at), insert);
    from = at;
  }
  return pieces.join("") + text.slice(from);
}

/** The label is the address itself. */
function isSaid(text: string, start: number, end: number, url: string): boolean {
  if (end - start > LABEL_LENGTH) return false;
  const bare = (address: string) => address.replace(/^(https?:\/\/|mailto:|tel:)/, "").replace(/\/$/, "");
  return bare(text.slice(start, end).trim()) === bare(url);
}
