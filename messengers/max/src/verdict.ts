import { rowFor } from "gangway-messenger/answers";
import { DeliveryError, type ErrorCode, type Hindrance, type Verdict } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";

/** A refusal in MAX's own shape. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  /** `Retry-After`, ms. */
  retryAfterMs?: number;
}

/** Carries the whole refusal, for callers that can react to it. */
export class MaxError extends DeliveryError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "MaxError";
    this.refusal = refusal;
  }
}

type Meaning = [status: number, said: RegExp, code: ErrorCode, meaning?: string];

/** Codes of a rejection by status and `<code> <message>`; the first row that fits counts. */
const REJECTS: Meaning[] = [[403, /error\.dialog\.suspended/, "access_restricted", "the customer has stopped the bot"]];
/** For a message that is sent. */
const NOT_SENT: Meaning[] = [
  ...REJECTS,
  [403, /^/, "access_restricted", "MAX does not let this bot into this chat"],
  [404, /^/, "customer_not_exists", "MAX no longer knows this chat"],
];
/** For anything else: about a message, a file, a dialog. */
const NOT_DONE: Meaning[] = [
  ...REJECTS,
  [403, /^/, "access_restricted"],
  [404, /^/, "general", "MAX no longer has it"],
];

/** Why an edit or a deletion was refused. */
const HINDRANCES: [status: number, said: RegExp, hindrance: Hindrance][] = [
  [403, /error\.dialog\.suspended/, { code: "blocked" }],
  [403, /^/, { code: "forbidden" }],
  [404, /^/, { code: "gone" }],
];

const BAD_TOKEN = /^verify\.token /;
/** Maximum length of MAX's words that is kept, characters. */
const MAX_WORDS = 200;

/** MAX's own words for pages and logs: one line, limited. */
export const plainWords = (text: string): string => cutText(text.replace(/\p{Cc}+/gu, " "), MAX_WORDS);

const saidBy = ({ code, message }: Refusal): string => `${code} ${message}`;

interface Refused {
  /** Names the call. */
  what: string;
  /** Whether an unknown outcome means a retry. */
  repeatable: boolean;
  /** Whether it sends a message. */
  sends: boolean;
}

export function refusalError(refusal: Refusal, { what, repeatable, sends }: Refused): MaxError {
  const row = rowFor(sends ? NOT_SENT : NOT_DONE, refusal.status, saidBy(refusal));
  const verdict = verdictOf(refusal, repeatable, row?.[2]);
  if (verdict.type === "reconnect")
    return new MaxError(refusal, verdict, "MAX no longer accepts this bot's token. Copy the new one from MAX");
  const { status, code, message } = refusal;
  const meaning = row?.[3];
  const said = `MAX: ${plainWords(message) || code || status} (${what})`;
  const error = new MaxError(refusal, verdict, meaning ? `${meaning}. ${said}` : said);
  error.hindrance = rowFor(HINDRANCES, status, saidBy(refusal))?.[2];
  return error;
}

/** The wait if MAX names none, ms. */
const DEFAULT_WAIT_MS = 1_000;
/** `.not.processed` is what older servers say. */
export const isNotReady = ({ status, code, message }: Refusal): boolean =>
  status === 400 && (code === "attachment.not.ready" || message.endsWith(".not.processed"));

function verdictOf(refusal: Refusal, repeatable: boolean, reject: ErrorCode = "general"): Verdict {
  const { status, code, retryAfterMs = DEFAULT_WAIT_MS } = refusal;
  if (status === 429) return { type: "retry", afterMs: retryAfterMs };
  if (isNotReady(refusal)) return { type: "retry" };
  if (status === 401 || (status === 403 && BAD_TOKEN.test(saidBy(refusal)))) return { type: "reconnect" };
  if (status === 503 || [408, 425].includes(status)) return { type: "retry" };
  if (status >= 500) return { type: repeatable ? "retry" : "unsure" };
  return { type: "reject", code: reject, externalCode: cutText(`${status} ${code}`, 100) };
}

export const rejected = (message: string): DeliveryError =>
  new DeliveryError({ type: "reject", code: "general" }, message);
