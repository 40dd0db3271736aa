import type { Suggestion } from "../../../domain/message/message.ts";

/** How Telegram shows a message's suggestions. */
export interface Keyboard {
  /** `reply_markup` of the Bot API. */
  markup?: Record<string, unknown>;
  /** After this message the chat shows a keyboard instead of the phone's own. */
  open: boolean;
}

/** A message that opens or closes a keyboard cannot be edited (Bot API, "Updating messages"). */
export const isFixed = ({ markup }: Keyboard): boolean => markup !== undefined && !("inline_keyboard" in markup);

/** Two keys in a row are still readable on a phone. */
const KEYS_PER_ROW = 2;

/** Shown as a button under the message. A message has either such buttons or a keyboard; with keys, links go into the text. */
export const isLink = (suggestion: Suggestion): boolean =>
  suggestion.type === "url" && /^(https?|tg):\/\//i.test(suggestion.payload ?? suggestion.title);

/** Texts and phone requests become keys, links become buttons. A message without either closes an open keyboard. */
export function keyboardOf(suggestions: Suggestion[], open: boolean): Keyboard {
  const keys = suggestions.filter((suggestion) => !isLink(suggestion));
  if (keys.length > 0) {
    const markup = { keyboard: rows(keys.map(toKey)), resize_keyboard: true, one_time_keyboard: true };
    return { markup, open: true };
  }
  const markup = inlineOf(suggestions);
  if (markup) return { markup, open };
  return { markup: open ? { remove_keyboard: true } : undefined, open: false };
}

/** Buttons only: an edited message cannot have keys. */
export function inlineOf(suggestions: Suggestion[]): Record<string, unknown> | undefined {
  const links = suggestions.filter(isLink);
  if (links.length === 0) return undefined;
  return { inline_keyboard: links.map(({ title, payload }) => [{ text: title, url: payload ?? title }]) };
}

const toKey = ({ type, title }: Suggestion) =>
  type === "phone" ? { text: title, request_contact: true } : { text: title };

function rows<T>(keys: T[]): T[][] {
  const made: T[][] = [];
  for (let n = 0; n < keys.length; n += KEYS_PER_ROW) made.push(keys.slice(n, n + KEYS_PER_ROW));
  return made;
}
