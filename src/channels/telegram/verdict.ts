import { DeliveryError, type ErrorCode, type Verdict } from "../../domain/delivery.ts";
import type { Hindrance } from "../../domain/message.ts";
import { rowFor, strayAnswer } from "../answers.ts";

/** A refusal as the Bot API words it. */
export interface Refusal {
  status: number;
  description: string;
  /** Seconds. */
  retryAfter?: number;
  /** The supergroup that a group has become: what is sent follows it, what is there already has stayed behind. */
  movedTo?: string;
}

/** A refusal, kept whole for those who can do something about it. */
export class BotError extends DeliveryError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "BotError";
    this.refusal = refusal;
  }
}

/**
 * What a refusal means, by status and words: the Bot API has no codes of its own. Texts as Telegram's server is known to
 * send them; the first line that fits counts.
 */
const TABLE: [status: number, words: RegExp, code: ErrorCode, meaning?: string][] = [
  [403, /user is deactivated/i, "customer_not_exists"],
  [403, /./, "access_restricted"],
  [400, /chat not found|peer_id_invalid|user not found|input_user_deactivated/i, "customer_not_exists"],
  [
    400,
    /not enough rights|have no rights|chat_write_forbidden|administrator rights|topic_closed/i,
    "access_restricted",
  ],
  [400, /business_peer_invalid/i, "access_restricted", "the business account does not let this bot into this chat"],
  [
    400,
    /business_peer/i,
    "reply_timed_out",
    "the customer has not written for 24 hours, so that the bot may not reply for the business account",
  ],
  [400, /business.connection/i, "access_restricted", "the business account has disconnected this bot"],
  [400, /bot_access_forbidden/i, "access_restricted", "the business account does not let this bot do this"],
  [400, /chat_restricted|user_privacy|bot_blocked|need to be invited/i, "access_restricted"],
  [400, /flood|peer_flood/i, "spam_suspicion"],
];

/** Without a wish; and the longest that is taken at its word: beyond it the API has gone astray. */
const DEFAULT_WAIT_S = 1;
const LONGEST_WAIT_S = 3_600;
/** Longest piece of Telegram's own words that is kept. */
const WORDS_LENGTH = 200;

/** Telegram's own words, fit for a page and a log. */
export const plainWords = (said: string): string => [...said.replace(/\p{Cc}+/gu, " ")].slice(0, WORDS_LENGTH).join("");

/** `repeatable`: the call can be made again without harm, so that an unknown outcome is a reason to try again. */
export function refusalError(method: string, refusal: Refusal, repeatable: boolean): BotError {
  const { status, description } = refusal;
  const meaning = knownAs(refusal)?.[3];
  const said = `${meaning ? `${meaning}. ` : ""}Telegram: ${plainWords(description) || status} (${method})`;
  const verdict = verdictOf(refusal, repeatable);
  if (verdict.type === "reconnect")
    return new BotError(refusal, verdict, "Telegram does not know this bot's token any more: BotFather has a new one");
  const error = new BotError(refusal, verdict, said);
  error.hindrance = rowFor(HINDRANCES, status, description)?.[2];
  return error;
}

/** An answer that is not Telegram's own. */
export const strayError = (method: string, status: number, repeatable: boolean): DeliveryError =>
  strayAnswer("Telegram", status, method, repeatable);

const waitS = (wish = DEFAULT_WAIT_S) => Math.min(LONGEST_WAIT_S, Math.max(DEFAULT_WAIT_S, wish));

function verdictOf({ status, description, retryAfter }: Refusal, repeatable: boolean): Verdict {
  if (status === 429) return { type: "retry", afterMs: waitS(retryAfter) * 1000 };
  // 404 is what a token of the wrong form, or a method of another version of the API, gives.
  if (status === 401 || status === 404) return { type: "reconnect" };
  // Behind a 504 the call may have been carried out; every other 5xx says that it was not taken.
  if (status === 504 && !repeatable) return { type: "unsure" };
  if (status >= 500 || [408, 409, 425].includes(status)) return { type: "retry" };
  const code = knownAs({ status, description })?.[2] ?? "general";
  return { type: "reject", code, externalCode: `${status} ${description}`.slice(0, 100) };
}

const knownAs = ({ status, description }: Pick<Refusal, "status" | "description">) =>
  rowFor(TABLE, status, description);

/** The message is there and says this already. */
export const isUnmodified = (error: unknown): boolean => saidBy(error, 400, /message is not modified/i);
export const isGone = (error: unknown): boolean =>
  saidBy(error, 400, /message to delete not found|message_id_invalid/i);
/** Telegram does not take the file for the picture that it claims to be. */
export const isNoPicture = (error: unknown): boolean =>
  saidBy(error, 400, /photo_invalid|photo_ext_invalid|photo_save_file_invalid|image_process_failed|photo has invalid/i);
/** Telegram's servers could not fetch a picture from the web, or it was none. */
export const isUnfetched = (error: unknown): boolean =>
  saidBy(
    error,
    400,
    /failed to get http url content|wrong type of the web page content|webpage_|wrong file identifier/i,
  );

/** What stands in the way of a change, in Telegram's words; hours as its documentation names them (editMessageText, deleteMessage). */
const HINDRANCES: [status: number, words: RegExp, hindrance: Hindrance][] = [
  [400, /message can't be edited/i, { code: "fixed" }],
  [400, /message_edit_time_expired|can't be deleted for everyone/i, { code: "too-old", about: "48" }],
  [400, /message to (edit|delete|react) not found|message_id_invalid|message not found/i, { code: "gone" }],
  [403, /bot was blocked by the user/i, { code: "blocked" }],
  [
    400,
    /message can't be deleted|message_delete_forbidden|bot_access_forbidden|message_author_required|not enough rights/i,
    { code: "forbidden" },
  ],
  [403, /message_delete_forbidden|bot_access_forbidden|not enough rights/i, { code: "forbidden" }],
];

const saidBy = (error: unknown, status: number, words: RegExp): boolean =>
  error instanceof BotError && error.refusal.status === status && words.test(error.refusal.description);
