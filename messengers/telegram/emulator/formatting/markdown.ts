import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { fenceAt } from "./fences.ts";
import { linkEntity } from "./linked.ts";
import { bytesBefore, type Marked } from "./marked.ts";

const ENDS: Record<string, string> = { _: "_", "*": "*", "`": "`", "[": "]" };

/** https://core.telegram.org/bots/api#markdown-style: no nesting, no escapes inside entities. */
export function parseMarkdown(source: string): Marked {
  const marked: Marked = { text: "", entities: [] };
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === "\\" && source.charAt(at + 1) in ENDS) {
      marked.text += source.charAt(at + 1);
      at += 2;
    } else if (character in ENDS) {
      at = readEntity(source, at, marked);
    } else {
      marked.text += character;
      at += 1;
    }
  }
  return marked;
}

/** Returns the offset after the entity. */
function readEntity(source: string, begin: number, marked: Marked): number {
  const opening = source.startsWith("```", begin) ? "```" : source.charAt(begin);
  const fence = opening === "```" ? fenceAt(source, begin + 3) : { language: "", end: begin + 1 };
  const ending = opening === "```" ? opening : (ENDS[opening] ?? "");
  const end = source.indexOf(ending, fence.end);
  if (end < 0)
    throw new Malformed(`Can't find end of the entity starting at byte offset ${bytesBefore(source, begin)}`);
  const words = source.slice(fence.end, end);
  const span = { offset: marked.text.length, length: words.length };
  marked.text += words;
  if (words === "") return end + ending.length;
  if (opening === "[") return readLink(source, end, words, span, marked);
  marked.entities.push({ type: typeOf(opening), ...span, ...(fence.language && { language: fence.language }) });
  return end + ending.length;
}

function typeOf(opening: string): string {
  if (opening === "_") return "italic";
  if (opening === "*") return "bold";
  return opening === "`" ? "code" : "pre";
}

function readLink(
  source: string,
  end: number,
  words: string,
  span: Pick<Entity, "offset" | "length">,
  marked: Marked,
): number {
  const hasAddress = source.charAt(end + 1) === "(";
  const close = hasAddress ? source.indexOf(")", end + 2) : end;
  const last = close < 0 ? source.length : close;
  const entity = linkEntity(hasAddress ? source.slice(end + 2, last) : words, span);
  if (entity) marked.entities.push(entity);
  return last + 1;
}
