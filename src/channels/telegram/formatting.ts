import type { Entities } from "./update.ts";

/** Most insertions into one text: Telegram itself keeps a hundred stretches of formatting. */
const MOST_EDITS = 10_000;

interface Edit {
  at: number;
  insert: string;
}

/** What of the formatting plain text can show: where a link leads, and which lines are quoted. Linear in text and entities. */
export function plainText(text: string, entities: Entities): string {
  const edits: Edit[] = [];
  for (const entity of entities ?? []) {
    if (edits.length >= MOST_EDITS) break;
    if (entity) edits.push(...editsOf(text, entity));
  }
  if (edits.length === 0) return text;
  edits.sort((a, b) => a.at - b.at);
  const pieces: string[] = [];
  let from = 0;
  for (const { at, insert } of edits) {
    pieces.push(text.slice(from, at), insert);
    from = at;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

type Entity = NonNullable<NonNullable<Entities>[number]>;

function editsOf(text: string, { type, offset, length, url }: Entity): Edit[] {
  const [start, end] = [boundary(text, offset), boundary(text, offset + length)];
  if (!(end > start)) return [];
  if (type === "text_link" && url) {
    const label = text.slice(start, end).trim();
    return sameAddress(label, url) ? [] : [{ at: end, insert: ` (${url})` }];
  }
  if (type === "blockquote" || type === "expandable_blockquote") return lineStarts(text, start, end);
  return [];
}

const sameAddress = (label: string, url: string) => {
  const bare = (address: string) => address.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return bare(label) === bare(url);
};

/** Inside the text, and never in the middle of a surrogate pair. */
function boundary(text: string, at: number): number {
  const within = Math.min(Math.max(0, Math.trunc(at)), text.length);
  const code = text.charCodeAt(within);
  return code >= 0xdc00 && code <= 0xdfff ? within + 1 : within;
}

function lineStarts(text: string, start: number, end: number): Edit[] {
  const starts: Edit[] = [{ at: start, insert: "> " }];
  for (let at = text.indexOf("\n", start); at >= 0 && at < end - 1; at = text.indexOf("\n", at + 1))
    starts.push({ at: at + 1, insert: "> " });
  return starts;
}
