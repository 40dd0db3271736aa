import type { CustomerId } from "../../domain/ids.ts";
import type { InLanguages, Language } from "../../domain/language.ts";
import type { Customer } from "../../domain/message.ts";
import { cutText } from "../../domain/split.ts";
import type { Utm } from "./wire.ts";

/** What a message reveals about its visitor. */
interface Details {
  text?: string;
  /** What the agent asked for, if the text is the answer. */
  answers?: "phone" | "email" | null;
  utm?: Utm;
}

/** What agents call a visitor, before an id. */
const VISITOR: InLanguages<string> = { en: "Visitor", es: "Visitante", ru: "Посетитель" };

/** `language`: the chat's. */
export function customerOf(visitor: string, language: Language, { text = "", answers, utm }: Details): Customer {
  const tags = Object.entries(utm ?? {}).filter(([, tag]) => tag);
  return {
    id: visitor as CustomerId,
    nickname: `${VISITOR[language]} ${cutText(visitor.replace(/[-_]/g, ""), 5).toUpperCase()}`,
    phone: answers === "phone" ? phoneIn(text.trim()) : undefined,
    email: answers === "email" ? emailIn(text.trim()) : undefined,
    utm: tags.length > 0 ? Object.fromEntries(tags) : undefined,
  };
}

/** Digits with the usual separators. E.164 allows 15 digits; local numbers have 5 or more. */
const PHONE = /^\+?[\d\s()./\u2010-\u2015-]{5,40}$/;
const [MIN_DIGITS, MAX_DIGITS] = [5, 15];

/** Text that is not a number reaches the agent as text only. */
function phoneIn(text: string): string | undefined {
  const digits = text.replace(/\D/g, "");
  const isNumber = PHONE.test(text) && digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS;
  return isNumber ? `${text.startsWith("+") ? "+" : ""}${digits}` : undefined;
}

/** Longest mail address (RFC 5321). */
const EMAIL_LENGTH = 254;
const emailIn = (text: string): string | undefined =>
  text.length <= EMAIL_LENGTH && /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/.test(text) ? text : undefined;
