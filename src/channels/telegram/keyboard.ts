import type { Suggestion } from "../../domain/message.ts";

/** Quick replies as Telegram shows them. */
export interface Keyboard {
  /** `reply_markup` of the Bot API. */
  markup?: Record<string, unknown>;
  /** A keyboard stands in the chat from now on, in place of the phone's own. */
  standing: boolean;
}

/**
 * Only a message without markup, or with buttons under it, can be edited (Bot API, "Updating messages"): not one that bears keys,
 * nor one that takes them away.
 */
export const isFixed = ({ markup }: Keyboard): boolean => markup !== undefined && !("inline_keyboard" in markup);

/** Two keys stand beside each other on a phone and can still be read. */
const KEYS_A_ROW = 2;

/** A button under the message. One message bears either such buttons or keys: beside keys the plan makes them lines. */
export const isLink = (suggestion: Suggestion): boolean =>
  suggestion.type === "url" && /^(https?|tg):\/\//i.test(suggestion.payload ?? suggestion.title);

/**
 * Texts become keys, a phone number is asked for, links become buttons under the message. An earlier keyboard that still
 * stands is taken away with the next message.
 */
export function keyboardOf(suggestions: Suggestion[], standing: boolean): Keyboard {
  const keys = suggestions.filter((suggestion) => !isLink(suggestion));
  if (keys.length > 0) {
    const markup = { keyboard: rows(keys.map(toKey)), resize_keyboard: true, one_time_keyboard: true };
    return { markup, standing: true };
  }
  const markup = inlineOf(suggestions);
  if (markup) return { markup, standing };
  return { markup: standing ? { remove_keyboard: true } : undefined, standing: false };
}

/** Buttons alone, as an edited message can bear them. */
export function inlineOf(suggestions: Suggestion[]): Record<string, unknown> | undefined {
  const links = suggestions.filter(isLink);
  if (links.length === 0) return undefined;
  return { inline_keyboard: links.map(({ title, payload }) => [{ text: title, url: payload ?? title }]) };
}

const toKey = ({ type, title }: Suggestion) =>
  type === "phone" ? { text: title, request_contact: true } : { text: title };

function rows<T>(keys: T[]): T[][] {
  const made: T[][] = [];
  for (let n = 0; n < keys.length; n += KEYS_A_ROW) made.push(keys.slice(n, n + KEYS_A_ROW));
  return made;
}
