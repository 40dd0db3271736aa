import type { CustomerId } from "../../domain/ids.ts";
import type { Customer } from "../../domain/message.ts";
import type { Utm } from "./wire.ts";

/** What a message says about its visitor. */
interface Told {
  text?: string;
  /** What the agent asked for, where the text answers that. */
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

/** Digits with the usual separators. E.164 allows 15 digits; local numbers have 5 or more. */
const PHONE = /^\+?[\d\s()./\u2010-\u2015-]{5,40}$/;
const [FEWEST_DIGITS, MOST_DIGITS] = [5, 15];

/** Anything else reaches the agent as text only. */
function phoneIn(text: string): string | undefined {
  const digits = text.replace(/\D/g, "");
  const isNumber = PHONE.test(text) && digits.length >= FEWEST_DIGITS && digits.length <= MOST_DIGITS;
  return isNumber ? `${text.startsWith("+") ? "+" : ""}${digits}` : undefined;
}

/** The longest address that mail can be sent to (RFC 5321). */
const EMAIL_LENGTH = 254;
const emailIn = (text: string): string | undefined =>
  text.length <= EMAIL_LENGTH && /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/.test(text) ? text : undefined;
