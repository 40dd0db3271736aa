import type { Entity } from "../wire.ts";
import { addresses } from "./addresses.ts";

// Word and hashtag characters: TDLib's td/telegram/MessageEntity.cpp.
const WORD = "\\p{L}\\p{N}_";
const TAG = "\\p{L}\\p{Nd}_\\u00b7\\u200c\\u0d80-\\u0dff";
const AT_CHAT = `(?:@[A-Za-z0-9_]{3,32}(?![${WORD}]))?`;

const MENTION = new RegExp(`(?<![${WORD}])@([A-Za-z0-9_]{2,32})(?![${WORD}])`, "gu");
const COMMAND = new RegExp(
  `(?<![${WORD}/<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32}(?![${WORD}/<>])|(?![${WORD}/<>@]))`,
  "gu",
);
// The lookahead makes the tag atomic: no shorter match is tried.
const HASHTAG = new RegExp(`(?<![${TAG}])#(?=([${TAG}]+))\\1(?!#)${AT_CHAT}`, "gu");
const CASHTAG = new RegExp(`(?<![${TAG}$])\\$(?:1INCH|[A-Z]{1,8})(?![${TAG}$])${AT_CHAT}`, "gu");
// Telegram's server finds these; only the international form is known.
const PHONE = new RegExp(`(?<![${WORD}+])\\+[1-9](?:[ ()-]{0,2}\\d){6,14}(?![${WORD}])`, "gu");

const SHORT_NAMES = new Set(["gif", "vid", "pic"]);
const MAX_TAG = 256;

/** Entities that Telegram detects itself. They do not overlap: the first wins. */
export function detectEntities(text: string): Entity[] {
  const all = [
    ...matches(text, "mention", MENTION, ([, name = ""]) => name.length >= 4 || SHORT_NAMES.has(name.toLowerCase())),
    ...matches(text, "bot_command", COMMAND),
    ...matches(text, "hashtag", HASHTAG, ([, tag = ""]) => tag.length <= MAX_TAG && /\p{L}/u.test(tag)),
    ...matches(text, "cashtag", CASHTAG),
    ...matches(text, "phone_number", PHONE),
    ...addresses(text),
  ];
  let end = 0;
  return all
    .sort((a, b) => a.offset - b.offset || b.length - a.length)
    .filter((each) => {
      if (each.offset < end) return false;
      end = each.offset + each.length;
      return true;
    });
}

function matches(
  text: string,
  type: string,
  pattern: RegExp,
  isMeant: (match: RegExpMatchArray) => boolean = () => true,
): Entity[] {
  return [...text.matchAll(pattern)]
    .filter(isMeant)
    .map((match) => ({ type, offset: match.index ?? 0, length: match[0].length }));
}
