import { confirmed, failedCall, foreignAnswer, rowFor } from "gangway-messenger/answers";
import { type Answer, answerJson, type Call, type FormFile, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError, type ErrorCode, type Hindrance, type Verdict } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import type { OpenFile } from "gangway-messenger/message";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import { FETCH_BYTES } from "./wire.ts";

/** An error response of the Bot API. */
export interface Refusal {
  status: number;
  description: string;
  /** Seconds. */
  retryAfter?: number;
  /** Id of the supergroup to which the group was migrated. New messages go there; old ones keep their chat. */
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

/** The wait without `retry_after`, and the cap on `retry_after`; s. */
const DEFAULT_WAIT_S = 1;
const LONGEST_WAIT_S = 3_600;
/** Maximum length of Telegram's description that is kept, code points. */
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

/** For a response that did not come from Telegram itself. */
const foreignError = (method: string, status: number, repeatable: boolean): DeliveryError =>
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

/**
 * Client of the Bot API for one bot (core.telegram.org/bots/api). Throws DeliveryError. Messages of errors never contain
 * a URL, since it holds the token.
 */
export interface BotApi {
  /** Calls a method; resolves with its parsed result. */
  call<Schema extends z.ZodType>(request: BotRequest<Schema>, signal: AbortSignal): Promise<z.infer<Schema>>;
  openFile(fileId: string, signal: AbortSignal): Promise<OpenFile>;
}

interface BotRequest<Schema extends z.ZodType> {
  method: string;
  /** Objects and arrays are sent as JSON; undefined values are omitted. */
  params?: Record<string, unknown>;
  /** Files by name; `params` refers to them as `attach://<name>`. */
  files?: FormFile[];
  result: Schema;
  /** Idempotent: a call with an unknown outcome may be repeated. */
  repeatable?: boolean;
  /** Default 30 s, with files 120 s. */
  timeoutMs?: number;
  /** A long poll. */
  waiting?: boolean;
  /** Largest response, bytes; default 1 MiB. */
  maxBytes?: number;
}

const REQUEST_MS = 30_000;
const FILE_MS = 120_000;
/** For a file these mean that it is gone; they say nothing about the token. */
const GONE = [404, 410];
/** Path segments that would change the path: empty, `.` and `..`. */
const UNSAFE_SEGMENT = /^\.{0,2}$/;

/** A response of the Bot API itself, not of a proxy before it (core.telegram.org/bots/api#making-requests). */
const answerBody = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown().refine((result) => result !== undefined) }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string(),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.union([z.number(), z.string()]).optional() })
      .nullish(),
  }),
]);
const file = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });

export function botApi({ call, apiUrl, token }: { call: Call; apiUrl: string; token: string }): BotApi {
  const callOnce: BotApi["call"] = async (request, signal) => {
    const { method, params = {}, files = [], repeatable = false } = request;
    const body = files.length > 0 ? { fields: asText(params), files } : JSON.stringify(params);
    const result = await call({
      method: "POST",
      url: `${apiUrl}/bot${token}/${method}`,
      headers: files.length > 0 ? {} : { "content-type": "application/json" },
      body,
      timeoutMs: request.timeoutMs ?? (files.length > 0 ? FILE_MS : REQUEST_MS),
      waiting: request.waiting,
      maxBytes: request.maxBytes,
      signal,
    });
    if (result.type === "failure") throw failedCall("Telegram", result, method, repeatable);
    return read(request, result, repeatable, token);
  };
  const callMethod = confirming(callOnce);
  return {
    call: callMethod,
    async openFile(fileId, signal) {
      const { file_path: path, file_size: knownSize } = await callMethod(
        { method: "getFile", params: { file_id: fileId }, result: file, repeatable: true },
        signal,
      );
      const segments = path?.split("/") ?? [""];
      if (segments.some((segment) => UNSAFE_SEGMENT.test(segment))) throw refused("Telegram gave no path for the file");
      const url = `${apiUrl}/file/bot${token}/${segments.map(encodeURIComponent).join("/")}`;
      const bytes = await call({ method: "GET", url, timeoutMs: FILE_MS, maxBytes: FETCH_BYTES, stream: true, signal });
      // Compressed without our asking: not a file from Telegram.
      if (bytes.type === "failure" && bytes.reason === "too-large") throw foreignError("a file", 200, true);
      if (bytes.type === "failure") throw new DeliveryError({ type: "retry" }, `Telegram: ${bytes.reason} (a file)`);
      if (bytes.status !== 200 || !bytes.stream) throw fileRefusal(await withBufferedBody(bytes));
      const found = await fetchedFile({ ...bytes, stream: bytes.stream }, { name: segments.at(-1), size: knownSize });
      if (!found) throw foreignError("a file", 200, true);
      return found;
    },
  };
}

/** The fields of a form. */
function asText(params: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function fileRefusal(answer: Answer): DeliveryError {
  const body = parsed(answer);
  if (!body || body.ok) return foreignError("a file", answer.status, true);
  if (GONE.includes(body.error_code)) return refused("Telegram no longer has the file");
  return refusalError("a file", { status: body.error_code, description: "the file is not there" }, true);
}

/** A harmless call that shows whether the token works. */
const PROBE = { method: "getMe", result: z.unknown(), repeatable: true };

/** Probes before it reports a dead token: a single 401 or 404 may concern the call alone. */
function confirming(call: BotApi["call"]): BotApi["call"] {
  return (request, signal) => {
    if (request.method === PROBE.method) return call(request, signal);
    return confirmed(() => call(request, signal), {
      probe: () => call(PROBE, signal),
      otherwise: (error) => tokenIsGood(request.method, error),
      signal,
    });
  };
}

function tokenIsGood(method: string, error: DeliveryError): DeliveryError {
  const status = error instanceof BotError ? error.refusal.status : undefined;
  if (status === 404) return refused(`Telegram has no method ${method}`);
  return new DeliveryError({ type: "retry" }, `Telegram refused ${method} once (${status})`);
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

function read<Schema extends z.ZodType>(
  { method, result }: BotRequest<Schema>,
  answer: Answer,
  repeatable: boolean,
  token: string,
): z.infer<Schema> {
  const body = parsed(answer);
  if (!body) throw foreignError(method, answer.status, repeatable);
  if (!body.ok) {
    const { error_code: status, parameters } = body;
    const description = masked(body.description, token);
    const movedTo = parameters?.migrate_to_chat_id;
    const hints = { retryAfter: parameters?.retry_after, movedTo: movedTo === undefined ? undefined : String(movedTo) };
    throw refusalError(method, { status, description, ...hints }, repeatable);
  }
  const value = result.safeParse(body.result);
  if (value.success) return value.data;
  // The call succeeded, but its result cannot be read.
  throw new DeliveryError(
    { type: repeatable ? "retry" : "unsure" },
    `Telegram sent an unexpected result for ${method}`,
  );
}

/** A refusal may quote the request URL, which holds the token. */
const masked = (description: string, token: string): string =>
  [token, token.split(":")[1] ?? ""]
    .filter(Boolean)
    .reduce((text, secret) => text.replaceAll(secret, "…"), description);

const parsed = (answer: Answer): z.infer<typeof answerBody> | undefined =>
  answerBody.safeParse(answerJson(answer)).data;
