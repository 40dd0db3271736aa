import type { Suggestion } from "gangway-messenger/message";
import type { AsLines } from "gangway-messenger/plan";

/** Maximum length of a button; buttons and rows below a message (dev.vk.com/api/bots/development/keyboard). */
const [LABEL, MAX_BUTTONS, MAX_ROWS] = [40, 10, 6];

const isLink = ({ type, title, payload }: Suggestion): boolean =>
  type === "url" && /^https?:\/\//i.test(payload ?? title) && URL.canParse(payload ?? title);

/** Suggestions that do not fit as buttons. */
export const asLines: AsLines = (suggestions) => {
  const isFit = (each: Suggestion) => each.title.length <= LABEL && (each.type !== "url" || isLink(each));
  const fit = suggestions.filter(isFit).slice(0, MAX_BUTTONS);
  return suggestions.filter((each) => !fit.includes(each));
};

/** Buttons below the message, as JSON text; undefined: none. */
export function keyboardOf(suggestions: Suggestion[]): string | undefined {
  if (suggestions.length === 0) return undefined;
  const buttons = suggestions.map((each) => ({ action: actionOf(each) }));
  const perRow = Math.ceil(buttons.length / MAX_ROWS);
  const rows = Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, n) =>
    buttons.slice(n * perRow, (n + 1) * perRow),
  );
  return JSON.stringify({ inline: true, buttons: rows });
}

const actionOf = (suggestion: Suggestion): object => {
  const { title, payload } = suggestion;
  if (isLink(suggestion)) return { type: "open_link", label: title, link: payload ?? title };
  return { type: "text", label: title };
};
