import type { Language } from "gangway-messenger/language";
import type { Suggestion } from "gangway-messenger/message";
import type { AsLines } from "gangway-messenger/plan";
import { buttonLine, cutText } from "gangway-messenger/text";
import { titledId } from "../reading/content.ts";
import { LINES } from "../reading/lines.ts";
import { BODY_LENGTH, TEXT_LENGTH } from "../wire.ts";

/** Most buttons of a message and rows of a list, and their longest titles, characters. */
const MAX_BUTTONS = 3;
const MAX_ROWS = 10;
const BUTTON_TITLE = 20;
const ROW_TITLE = 24;
const ROW_DESCRIPTION = 72;
const MAX_ID = 200;

/** A file above the text, as the wire has it. */
export type Header = Record<string, unknown>;

export interface Composed {
  text: string;
  /** Absent: a plain text or file. */
  interactive?: Record<string, unknown>;
  /** Titles that did not fit, not even as lines. */
  lost: string[];
}

export const isLink = ({ type }: Suggestion): boolean => type === "url";
/** Asks for the customer's number by a button with WhatsApp's own label. It cannot be combined with anything. */
const isPhone = ({ type }: Suggestion): boolean => type === "phone";

/** Suggestions that do not fit under this text or caption; a list cannot be under a file. */
export const asLines: AsLines = (suggestions, text, hasFile) => {
  const asking = suggestions.find(isPhone);
  const rest = asking
    ? suggestions.filter((each) => each !== asking)
    : suggestions.slice(hasFile ? MAX_BUTTONS : MAX_ROWS);
  return withLines(text, rest).text.length > BODY_LENGTH ? suggestions : rest;
};

/** Buttons, a list or a link button under a text; what does not fit becomes lines of the text. */
export function compose(
  text: string,
  suggestions: Suggestion[],
  { language, header }: { language: Language; header?: Header },
): Composed {
  if (suggestions.length === 0) return { text, lost: [] };
  const links = suggestions.filter((each) => isLink(each) && isWebAddress(each.payload));
  const keys = suggestions.filter((each) => !isLink(each));
  const { shown, rest } = keys.length > 0 ? roomFor(keys, header) : { shown: links.slice(0, 1), rest: [] };
  const others = suggestions.filter((each) => !shown.includes(each) && !rest.includes(each));
  const whole = withLines(text, [...rest, ...others]);
  if (whole.text.length > BODY_LENGTH || shown.length === 0) {
    const plain = withLines(text, suggestions);
    return { text: plain.text, lost: plain.lost };
  }
  const body = { text: whole.text || LINES[language].chooseBelow };
  return { ...whole, interactive: { ...interactiveOf(shown, language, header), body, ...(header && { header }) } };
}

/** A list allows no file above its text: long titles are cut there, unless that makes two of them equal. */
function roomFor(keys: Suggestion[], header: Header | undefined) {
  const asking = keys.find(isPhone);
  if (asking) return { shown: [asking], rest: keys.filter((each) => each !== asking) };
  const fitsButtons = keys.length <= MAX_BUTTONS && keys.every(({ title }) => title.length <= BUTTON_TITLE);
  const most = fitsButtons || header ? MAX_BUTTONS : MAX_ROWS;
  const cut = keys.filter((_, n) => n < most).map(({ title }) => cutTitle(title, BUTTON_TITLE));
  if (header && new Set(cut).size < cut.length) return { shown: [], rest: keys };
  return { shown: keys.slice(0, most), rest: keys.slice(most) };
}

function interactiveOf(shown: Suggestion[], language: Language, header?: Header): Record<string, unknown> {
  const [first] = shown;
  if (first && isPhone(first)) return { type: "request_contact_info", action: { name: "request_contact_info" } };
  if (first && isLink(first)) {
    const parameters = { display_text: cutTitle(first.title, BUTTON_TITLE), url: first.payload };
    return { type: "cta_url", action: { name: "cta_url", parameters } };
  }
  const isShort = shown.length <= MAX_BUTTONS && shown.every(({ title }) => title.length <= BUTTON_TITLE);
  if (isShort || header) return { type: "button", action: { buttons: shown.map(buttonOf) } };
  const rows = shown.map(rowOf);
  return { type: "list", action: { button: LINES[language].choose, sections: [{ rows }] } };
}

const idOf = ({ title }: Suggestion, place: number) => cutText(titledId(place, title), MAX_ID);

const buttonOf = (suggestion: Suggestion, place: number) => ({
  type: "reply",
  reply: { id: idOf(suggestion, place), title: cutTitle(suggestion.title, BUTTON_TITLE) },
});

/** A long title continues in the row's second line. */
const rowOf = (suggestion: Suggestion, place: number) => ({
  id: idOf(suggestion, place),
  title: cutTitle(suggestion.title, ROW_TITLE),
  ...(suggestion.title.length > ROW_TITLE && { description: cutTitle(suggestion.title, ROW_DESCRIPTION) }),
});

const cutTitle = (title: string, most: number) =>
  title.length <= most ? title : `${cutText(title, most - 1, "utf16")}…`;

/** For a group, which has no buttons. */
export const inLines = (text: string, suggestions: Suggestion[]): string => withLines(text, suggestions).text;

function withLines(text: string, suggestions: Suggestion[]): Pick<Composed, "text" | "lost"> {
  const lost: string[] = [];
  let whole = text;
  for (const suggestion of suggestions) {
    const longer = [whole, isLink(suggestion) ? buttonLine(suggestion) : `– ${buttonLine(suggestion)}`]
      .filter(Boolean)
      .join("\n");
    if (longer.length > TEXT_LENGTH) lost.push(suggestion.title);
    else whole = longer;
  }
  return { text: whole, lost };
}

const isWebAddress = (url: string | undefined): url is string =>
  url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
