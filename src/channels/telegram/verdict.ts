import { DeliveryError, type Verdict } from "../../domain/delivery/delivery.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Hindrance } from "../../domain/message/message.ts";
import { cutText } from "../../domain/text/split.ts";
import { foreignAnswer, rowFor } from "../answers.ts";

/** An error response of the Bot API. */
export interface Refusal {
  status: number;
  description: string;
  /** Seconds. */
  retryAfter?: number;
  /** Id of the supergroup that the group was migrated to. New messages go there; old ones keep their chat. */
  movedTo?: string;
}

/** Carries the whole refusal, for callers that can react to it. */
export class BotError extends DeliveryError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "BotError";
    this.refusal = refusal;
  }
}

/** Error codes by status and description: the Bot API has no codes of its own. The first match counts. */
const TABLE: [status: number, pattern: RegExp, code: ErrorCode, meaning?: string][] = [
  [403, /user is deactivated/i, "customer_not_exists", "the customer has deleted their Telegram account"],
  [403, /blocked by the user/i, "access_restricted", "the customer has blocked the bot"],
  [403, /initiate conversation/i, "access_restricted", "the customer has not started the bot yet"],
  [403, /was kicked|not a member|group chat was deleted/i, "access_restricted", "the bot is no longer in this group"],
  [403, /./, "access_restricted"],
  [
    400,
    /chat not found|peer_id_invalid|user not found|input_user_deactivated/i,
    "customer_not_exists",
    "Telegram no longer knows this customer",
  ],
  [
    400,
    /not enough rights|have no rights|chat_write_forbidden|administrator rights|topic_closed/i,
    "access_restricted",
    "the bot lacks the rights for this in the group",
  ],
  [400, /business_peer_invalid/i, "access_restricted", "the business account does not let this bot into this chat"],
  [
    400,
    /business_peer/i,
    "reply_timed_out",
    "the customer has not written for 24 hours, so the bot may not reply for the business account",
  ],
  [400, /business.connection/i, "access_restricted", "the business account has disconnected this bot"],
  [400, /bot_access_forbidden/i, "access_restricted", "the business account does not let this bot do this"],
  [400, /chat_restricted|user_privacy|bot_blocked|need to be invited/i, "access_restricted"],
  [400, /flood|peer_flood/i, "spam_suspicion", "Telegram takes the bot's messages for spam"],
];

/** Without `retry_after`; and the longest `retry_after` that is believed. */
const DEFAULT_WAIT_S = 1;
const LONGEST_WAIT_S = 3_600;
/** Code points of Telegram's description that are kept. */
const MAX_DESCRIPTION = 200;

/** Makes Telegram's own text safe for pages and logs: no control characters, limited length. */
export const plainText = (text: string): string => cutText(text.replace(/\p{Cc}+/gu, " "), MAX_DESCRIPTION);

/** `repeatable`: the call is idempotent, so an unknown outcome means a retry. */
export function refusalError(method: string, refusal: Refusal, repeatable: boolean): BotError {
  const { status, description } = refusal;
  const meaning = entryOf(refusal)?.[3];
  const text = `${meaning ? `${meaning}. ` : ""}Telegram: ${plainText(description) || status} (${method})`;
  const verdict = verdictOf(refusal, repeatable);
  if (verdict.type === "reconnect")
    return new BotError(
      refusal,
      verdict,
      "Telegram no longer accepts this bot's token. Get the new one from @BotFather",
    );
  const error = new BotError(refusal, verdict, text);
  error.hindrance = rowFor(HINDRANCES, status, description)?.[2];
  return error;
}

/** For a response that is not Telegram's own. */
export const foreignError = (method: string, status: number, repeatable: boolean): DeliveryError =>
  foreignAnswer("Telegram", status, method, repeatable);

const waitS = (retryAfter = DEFAULT_WAIT_S) => Math.min(LONGEST_WAIT_S, Math.max(DEFAULT_WAIT_S, retryAfter));

function verdictOf({ status, description, retryAfter }: Refusal, repeatable: boolean): Verdict {
  if (status === 429) return { type: "retry", afterMs: waitS(retryAfter) * 1000 };
  // 404: a malformed token, or a method that this version of the API lacks.
  if (status === 401 || status === 404) return { type: "reconnect" };
  // After a 504 the call may have succeeded; after any other 5xx it has not.
  if (status === 504 && !repeatable) return { type: "unsure" };
  if (status >= 500 || [408, 409, 425].includes(status)) return { type: "retry" };
  const code = entryOf({ status, description })?.[2] ?? "general";
  return { type: "reject", code, externalCode: cutText(`${status} ${description}`, 100) };
}

const entryOf = ({ status, description }: Pick<Refusal, "status" | "description">) =>
  rowFor(TABLE, status, description);

/** The message already has this content. */
export const isUnmodified = (error: unknown): boolean => isRefusal(error, 400, /message is not modified/i);
export const isGone = (error: unknown): boolean =>
  isRefusal(error, 400, /message to delete not found|message_id_invalid/i);
/** Telegram does not accept the file as a picture. */
export const isNoPicture = (error: unknown): boolean =>
  isRefusal(
    error,
    400,
    /photo_invalid|photo_ext_invalid|photo_save_file_invalid|image_process_failed|photo has invalid/i,
  );
/** Telegram could not fetch the picture from its URL, or it was not a picture. */
export const isUnfetched = (error: unknown): boolean =>
  isRefusal(
    error,
    400,
    /failed to get http url content|wrong type of the web page content|webpage_|wrong file identifier/i,
  );

/** Why an edit or deletion failed, by status and description. 48 hours: Bot API, editMessageText and deleteMessage. */
const HINDRANCES: [status: number, pattern: RegExp, hindrance: Hindrance][] = [
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

const isRefusal = (error: unknown, status: number, pattern: RegExp): boolean =>
  error instanceof BotError && error.refusal.status === status && pattern.test(error.refusal.description);
