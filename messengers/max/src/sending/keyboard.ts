import type { Suggestion } from "gangway-messenger/message";
import { cutText } from "gangway-messenger/text";

/** Rows of a keyboard, characters of a button's title and of its URL (the schema's limits). */
const MAX_ROWS = 30;
const MAX_TITLE = 128;
const MAX_URL = 2_048;

const addressOf = ({ payload, title }: Suggestion): string => payload ?? title;
const fits = (suggestion: Suggestion): boolean =>
  suggestion.title.trim() !== "" &&
  [...suggestion.title].length <= MAX_TITLE &&
  (suggestion.type !== "url" || isAddress(addressOf(suggestion)));
const isAddress = (url: string): boolean => /^https?:\/\/\S+$/i.test(url) && URL.canParse(url) && url.length <= MAX_URL;

/** One button per row: titles stay readable on a phone. The others become lines of text. */
export function asLines(suggestions: Suggestion[]): Suggestion[] {
  const buttons = suggestions.filter(fits).slice(0, MAX_ROWS);
  return suggestions.filter((each) => !buttons.includes(each));
}

/** The attachment that shows suggestions. A pressed button's text comes back as a message of the customer. */
export function keyboardOf(suggestions: Suggestion[]): object[] {
  if (suggestions.length === 0) return [];
  const buttons = suggestions.slice(0, MAX_ROWS).map((suggestion) => [buttonOf(suggestion)]);
  return [{ type: "inline_keyboard", payload: { buttons } }];
}

function buttonOf(suggestion: Suggestion): object {
  const text = cutText(suggestion.title, MAX_TITLE);
  if (suggestion.type === "url") return { type: "link", text, url: addressOf(suggestion) };
  return { type: suggestion.type === "phone" ? "request_contact" : "message", text };
}
