import { Malformed } from "../refusal.ts";
import type { Entity } from "../wire.ts";
import { detectEntities } from "./detected-entities.ts";
import { bytesBefore, type Marked } from "./marked.ts";
import { inOrder, nested } from "./nesting.ts";

// "At most 100 entities": Telegram's server drops the rest; https://limits.tginfo.me
const MAX_ENTITIES = 100;
const MAX_OFFSET = 1_000_000;
const LATE = ["bold", "italic", "underline", "strikethrough", "spoiler"];

/** The text as Telegram stores it: cleaned, trimmed, with detected entities. */
export function normalized({ text, entities }: Marked): Marked {
  if (/\p{Surrogate}/u.test(text)) throw new Malformed("Strings must be encoded in UTF-8");
  for (const entity of entities) checkNumbers(entity);
  const kept = inOrder(entities.filter(({ length }) => length > 0));
  checkBounds(text, kept);
  const clean = trimmed(cleaned({ text, entities: nested(kept) }));
  const given = capped(nested(clean.entities));
  return { text: clean.text, entities: nested(given, detectEntities(clean.text)) };
}

function checkNumbers({ offset, length }: Entity): void {
  if (offset < 0 || offset > MAX_OFFSET) throw new Malformed(`Receive an entity with incorrect offset ${offset}`);
  if (length < 0 || length > MAX_OFFSET) throw new Malformed(`Receive an entity with incorrect length ${length}`);
}

function checkBounds(text: string, entities: readonly Entity[]): void {
  for (const { offset, length } of entities) {
    const end = offset + length;
    if (splitsPair(text, offset))
      throw new Malformed(
        `Entity begins in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, offset + 1)}`,
      );
    if (splitsPair(text, end))
      throw new Malformed(
        `Entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${bytesBefore(text, end + 1)}`,
      );
  }
  const late = entities.find(({ offset }) => offset > text.length);
  if (late) throw new Malformed(`Entity begins after the end of the text at UTF-16 offset ${late.offset}`);
  const long = entities.findLast(({ offset, length }) => offset + length > text.length);
  if (long)
    throw new Malformed(
      `Entity beginning at UTF-16 offset ${long.offset} ends after the end of the text at UTF-16 offset ${long.offset + long.length}`,
    );
}

const splitsPair = (text: string, at: number): boolean =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1));

// Line and paragraph separators, direction marks, lines above or below a character: TDLib's clean_input_string in
// td/telegram/misc.cpp.
const DROPPED = /[\r\u2028-\u202e]|\u030a|\u0333|\u033f/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const BLANK = /[\0-\x09\x0b\x0c\x0e-\x1f]/g;

function cleaned({ text, entities }: Marked): Marked {
  const gone = [...text.matchAll(DROPPED)].map(({ index }) => index);
  const before = (at: number): number => {
    let [low, high] = [0, gone.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((gone[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const moved = entities.map((each) => {
    const offset = each.offset - before(each.offset);
    const end = each.offset + each.length;
    return { ...each, offset, length: end - before(end) - offset };
  });
  return { text: text.replace(DROPPED, "").replace(BLANK, " "), entities: moved.filter(({ length }) => length > 0) };
}

/** Trims both ends; leading whitespace stays where an entity covers it. */
function trimmed({ text, entities }: Marked): Marked {
  const end = text.length - (/(?<![ \n])[ \n]*$/.exec(text)?.[0].length ?? 0);
  const first = Math.min(entities[0]?.offset ?? text.length, end);
  const blank = /^[ \n]*/.exec(text)?.[0].length ?? 0;
  const start = Math.min(blank, first);
  const moved = entities
    .filter(({ offset }) => offset < end)
    .map((each) => ({
      ...each,
      offset: each.offset - start,
      length: Math.min(each.length, end - each.offset),
    }));
  return { text: text.slice(start, end), entities: moved };
}

function capped(entities: readonly Entity[]): Entity[] {
  const isLate = ({ type }: Entity) => LATE.includes(type);
  const counted = [...entities.filter((each) => !isLate(each)), ...entities.filter(isLate)];
  const kept = new Set(counted.filter(({ type }) => type !== "custom_emoji").slice(0, MAX_ENTITIES));
  return entities.filter((each) => each.type === "custom_emoji" || kept.has(each));
}
