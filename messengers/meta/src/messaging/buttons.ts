import type { Suggestion } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { cutText } from "gangway-messenger/text";

/** Longest payload of a button, characters. */
const MAX_PAYLOAD = 1_000;

/** Marks a payload as ours, not a phone number or an address given by the customer. */
const payloadOf = (text: string): string => cutText(`say:${text}`, MAX_PAYLOAD);

/** Limits: text above buttons, title of a button, quick replies and buttons per message. */
const BUTTON_TEXT = 640;
const TITLE_LENGTH = 20;
const QUICK_REPLIES = 13;
export const BUTTONS = 3;

/** A link is a button of a template; all others are quick replies, which cannot be combined with it. */
export const isLink = ({ type, payload }: Suggestion): boolean => type === "url" && payload !== undefined;

/** What does not fit becomes text: long titles, too many buttons, links below a long text or a file. */
export function asLines(suggestions: Suggestion[], text: string): Suggestion[] {
  const links = suggestions.some(isLink);
  const hasRoom = !links || (text !== "" && text.length <= BUTTON_TEXT);
  const fitting = hasRoom ? suggestions.filter(fits).slice(0, links ? BUTTONS : QUICK_REPLIES) : [];
  return suggestions.filter((each) => !fitting.includes(each));
}

const isWeb = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

function fits(suggestion: Suggestion): boolean {
  const { type, title, payload } = suggestion;
  // The phone fills in the customer's own number or address.
  if (type === "phone" || type === "email") return true;
  const isShort = title !== "" && [...title].length <= TITLE_LENGTH;
  return isShort && (isLink(suggestion) ? isWeb(payload ?? "") : type === "text");
}

export function buttonsOf({ suggestions, text }: SendStep): object {
  const links = suggestions.filter(isLink);
  if (links.length > 0) {
    const payload = { template_type: "button", text, buttons: links.map(linkButton) };
    return { text: undefined, attachment: { type: "template", payload } };
  }
  return suggestions.length > 0 ? { quick_replies: suggestions.map(quickReply) } : {};
}

export const linkButton = ({ title, payload }: Pick<Suggestion, "title" | "payload">) => ({
  type: "web_url",
  title,
  url: payload,
});

function quickReply({ type, title, payload }: Suggestion): object {
  if (type === "phone") return { content_type: "user_phone_number", title };
  if (type === "email") return { content_type: "user_email", title };
  return { content_type: "text", title, payload: payloadOf(payload ?? title) };
}
