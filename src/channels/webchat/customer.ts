import type { CustomerId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { Utm } from "./wire.ts";

/** What a visitor's message tells of the visitor. */
interface Told {
  text?: string;
  /** What the text answers: the agent has asked for a phone number or an e-mail address. */
  answers?: "phone" | "email" | null;
  utm?: Utm;
}

export function customerOf(visitor: string, { text = "", answers, utm }: Told): Customer {
  const marks = Object.entries(utm ?? {}).filter(([, mark]) => mark);
  return {
    id: visitor as CustomerId,
    nickname: `Visitor ${visitor.replace(/[-_]/g, "").slice(0, 5).toUpperCase()}`,
    phone: answers === "phone" ? phoneIn(text.trim()) : undefined,
    email: answers === "email" ? emailIn(text.trim()) : undefined,
    utm: marks.length > 0 ? Object.fromEntries(marks) : undefined,
  };
}

/** Digits as people set them apart, and how many a number has: E.164 ends at 15, short ones of a town have 5. */
const PHONE = /^\+?[\d\s()./\u2010-\u2015-]{5,40}$/;
const [FEWEST_DIGITS, MOST_DIGITS] = [5, 15];

/** What is no number stays words for the agent. */
function phoneIn(text: string): string | undefined {
  const digits = text.replace(/\D/g, "");
  const isNumber = PHONE.test(text) && digits.length >= FEWEST_DIGITS && digits.length <= MOST_DIGITS;
  return isNumber ? `${text.startsWith("+") ? "+" : ""}${digits}` : undefined;
}

/** Longest that mail can be sent to (RFC 5321). */
const EMAIL_LENGTH = 254;
const emailIn = (text: string): string | undefined =>
  text.length <= EMAIL_LENGTH && /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/.test(text) ? text : undefined;
