import {
  type Answer,
  answerText,
  type Call,
  type CallFailure,
  type CallRequest,
  retryAfterMs,
} from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { cutText } from "gangway-messenger/text";
import type { CallEnd, Permits, Priority } from "./limiter.ts";
import { errorAnswer, parseJson } from "./wire.ts";

// Requests to the gateway. Its own answers are told from those of proxies in between: error pages, redirects, truncated bodies.

/** An answer and its body; undefined when it is not JSON. */
export type ReadAnswer = Answer & { body: unknown };

export function withBody(answer: Answer): ReadAnswer {
  let body: unknown;
  try {
    body = parseJson(answerText(answer));
  } catch {}
  return Object.assign(answer, { body });
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** A refusal's errors; undefined when the body is not the contract's `{"errors": [text, …]}`. */
function errorsOf({ body }: ReadAnswer): string[] | undefined {
  const errors = errorAnswer.safeParse(body).data?.errors;
  return errors && errors.length > 0 ? errors : undefined;
}

/** Whether a call whose success is an empty object succeeded. */
export type EmptyAnswers = (operation: string, answer: ReadAnswer) => boolean;

/**
 * Whether the gateway omits an empty object is undocumented: an empty body counts as success until the operation first
 * answers with an object, on any account.
 */
export function emptyAnswers(): EmptyAnswers {
  const objects = new Set<string>();
  return (operation, answer) => {
    if (!isSuccess(answer)) return false;
    const { body } = answer;
    if (answer.bytes.length === 0) return answer.status === 200 && !objects.has(operation);
    if (typeof body !== "object" || body === null || Array.isArray(body) || errorsOf(answer)) return false;
    objects.add(operation);
    return true;
  };
}

const BODY = [400, 422] as const;
/** 404: the path names a channel, a template or a file that can be gone. */
const PATH = [...BODY, 404] as const;

/**
 * Statuses with which the gateway's own error refuses a request for good, by the contract's operations. The contract names one
 * error for every status, so the rule is ours: any other status says "later", and 401 and 403 are about the token.
 */
export const REFUSALS = {
  listChannels: BODY,
  activateChannel: BODY,
  updateChannel: PATH,
  deactivateChannel: PATH,
  getTemplates: BODY,
  activateTemplate: PATH,
  updateTemplate: PATH,
  deactivateTemplate: PATH,
  uploadFile: BODY,
  getFileUrl: PATH,
  sendMessage: BODY,
  sendHistoryMessage: BODY,
  editMessage: BODY,
  deleteMessage: BODY,
  ackMessage: BODY,
  markMessageRead: BODY,
  markMessagesReadUntil: BODY,
  addMessageReaction: BODY,
  deleteMessageReaction: BODY,
  /** Downloads from the address that getFileUrl returns; takes no token. */
  downloadFile: PATH,
} satisfies Record<string, readonly number[]>;

export type Operation = keyof typeof REFUSALS;

export const refuses = (operation: Operation, status: number): boolean =>
  (REFUSALS[operation] as readonly number[]).includes(status);

/** Wait after a 429 without Retry-After, ms. */
const DEFAULT_WAIT_MS = 1_000;
/** Cap on Retry-After from a proxy, which does not know the gateway's limits, ms. */
const MAX_FOREIGN_WAIT_MS = 5_000;
/** Maximum length of an error text, UTF-16 units. */
const MAX_ERROR_LENGTH = 300;

/** The gateway's sentences are short; a pattern may try each place of a long text anew. */
const MAX_MATCHED = 1_000;

/** The gateway's first error text, cleaned for logs and pages. */
function errorText(status: number, [first = ""]: string[]): string {
  const clean = cutText(first.replace(/\p{Cc}+/gu, " "), MAX_ERROR_LENGTH);
  return clean ? `gateway answered ${status}: ${clean}` : `gateway answered ${status}`;
}

/** The only sign of a duplicate is an English sentence in a 400 (domain facts); matched only here. */
export const isDuplicate = (answer: ReadAnswer): boolean =>
  refusedWith(answer, 400, /external_?id\b.*\balready exists/i);

/** The target is gone, perhaps by an earlier try whose answer was lost. */
export const isMissing = (operation: Operation, answer: ReadAnswer): boolean =>
  (refuses(operation, 404) && refusedWith(answer, 404, /(?:)/)) ||
  refusedWith(answer, 400, operation === "deleteMessage" ? /not found|is deleted/i : /not found/i);

/** The gateway itself refuses the request for good. */
export const isRefused = (operation: Operation, answer: ReadAnswer): boolean =>
  refuses(operation, answer.status) && errorsOf(answer) !== undefined;

/** The gateway itself, not a proxy, refuses the token. */
const isUnauthorized = (answer: ReadAnswer): boolean =>
  (answer.status === 401 || answer.status === 403) && errorsOf(answer) !== undefined;

const refusedWith = (answer: ReadAnswer, status: number, pattern: RegExp): boolean =>
  answer.status === status && (errorsOf(answer) ?? []).some((error) => pattern.test(cutText(error, MAX_MATCHED)));

export function failureError(failure: CallFailure): DeliveryError {
  const text = `gateway: ${failure.reason} (${failure.detail})`;
  if (failure.reason === "blocked")
    return new DeliveryError(
      { type: "reject", code: "general" },
      `the gateway's address is not allowed: ${failure.detail}`,
    );
  if (failure.reason === "source-too-large")
    return new DeliveryError({ type: "reject", code: "general" }, "the file is larger than its stated size");
  return new DeliveryError({ type: failure.sent === "no" ? "retry" : "unsure" }, text);
}

/** A retry would not help. */
export const tooLarge = ({ detail }: CallFailure): DeliveryError =>
  new DeliveryError({ type: "reject", code: "general" }, `the file is too large (${detail})`);

/** Maps an error answer to a verdict. Only a refusal in the contract's shape rejects a message or a token. */
export function answerError(operation: Operation, answer: ReadAnswer, now: number): DeliveryError {
  const errors = errorsOf(answer);
  const { status } = answer;
  const text = errorText(status, errors ?? []);
  const waitMs = retryAfterMs(answer, now) ?? (status === 429 ? DEFAULT_WAIT_MS : undefined);
  if (waitMs !== undefined && (status === 429 || status === 503)) {
    const afterMs = errors ? waitMs : Math.min(waitMs, MAX_FOREIGN_WAIT_MS);
    return new DeliveryError({ type: "retry", afterMs }, text);
  }
  if (status === 408 || status === 425 || status >= 500) return new DeliveryError({ type: "retry" }, text);
  if (!errors || status < 400) return foreignError(answer);
  if (isUnauthorized(answer) && operation !== "downloadFile") return new DeliveryError({ type: "reconnect" }, text);
  if (!isRefused(operation, answer)) return DeliveryError.foreign(text, status);
  return new DeliveryError({ type: "reject", code: "general", externalCode: String(status) }, text);
}

/** An answer outside the contract comes from a proxy in between. */
export function foreignError({ status, headers }: Answer): DeliveryError {
  const type = cutText(headers["content-type"]?.split(";")[0] ?? "", 60) || "no content type";
  const text = `the answer is not from the gateway (status ${status}, ${type})`;
  return status < 300 ? new DeliveryError({ type: "unsure" }, text) : DeliveryError.foreign(text, status);
}

export interface GatewayDeps {
  call: Call;
  clock: Clock;
  permits: Permits;
  /** Key of the permits: an account has one token at a time. */
  account: string;
  /** Whether an answer to a call without a result means success. */
  isDone: EmptyAnswers;
  /** The account's gateway URL and token. */
  access: {
    url(): string;
    token(): string;
    /** Fetches a new token after `dead` was refused; undefined when there is none. */
    renew(dead: string): Promise<string | undefined>;
  };
}

/** A text as its body is JSON. */
export type Request = Pick<CallRequest, "method" | "body"> & {
  operation: Operation;
  path: string;
  priority?: Priority;
  timeoutMs?: number;
  maxBytes?: number;
};
/** Resolves with any answer, errors included. Throws DeliveryError. */
export type Send = (request: Request, signal: AbortSignal) => Promise<ReadAnswer>;

/** A harmless call that checks the token and changes nothing. */
export const PROBE: Request = { operation: "listChannels", method: "GET", path: "/channels?limit=1" };

/** Deadline of a request, ms. */
const REQUEST_MS = 30_000;
/** Delay before an upload is repeated with a new token, ms: avoids a tight loop when the gateway refuses every token. */
const RENEWED_MS = 1_000;

/** Result for a refused token: still good, replaced, or dead without a replacement. */
type TokenCheck = "good" | { token: string } | undefined;

/** Every request takes a permit. Concurrent requests with a refused token share one check of it. */
export function createSend(deps: GatewayDeps): Send {
  const { access } = deps;
  const checks = new Map<string, Promise<TokenCheck>>();
  const checked = (request: Request, token: string, signal: AbortSignal) => {
    // A refused probe needs no second one.
    const check = checks.get(token) ?? (request === PROBE ? renewed(deps, token) : checkToken(deps, token, signal));
    checks.set(token, check);
    const forget = () => void (checks.get(token) === check && checks.delete(token));
    check.then(forget, forget);
    return check;
  };
  return async (request, signal) => {
    const token = access.token();
    const answer = await once(deps, request, token, signal);
    if (!isUnauthorized(answer)) return answer;
    // Another request may have renewed the token meanwhile.
    const newer = access.token();
    const check = newer === token ? await checked(request, token, signal) : { token: newer };
    if (check === "good") throw DeliveryError.foreign(answerError(request.operation, answer, 0).message, answer.status);
    if (check === undefined) return answer;
    // A consumed stream cannot be resent: the job's next attempt reopens it.
    if (isStream(request.body))
      throw new DeliveryError({ type: "retry", afterMs: RENEWED_MS }, "the gateway's token was renewed");
    return once(deps, request, check.token, signal);
  };
}

/** One refusal proves nothing: a second, harmless call must be refused, too. */
async function checkToken(deps: GatewayDeps, token: string, signal: AbortSignal): Promise<TokenCheck> {
  const probe = await once(deps, PROBE, token, signal);
  if (isSuccess(probe)) return "good";
  if (!isUnauthorized(probe)) throw foreignError(probe);
  return renewed(deps, token);
}

async function renewed({ access }: GatewayDeps, token: string): Promise<TokenCheck> {
  const other = await access.renew(token);
  return other === undefined ? undefined : { token: other };
}

async function once(
  { call, clock, permits, account, access }: GatewayDeps,
  request: Request,
  token: string,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const act = async (ended: (how: CallEnd) => void) => {
    const headers: Record<string, string> = { accept: "application/json", "x-transport-token": token };
    if (typeof request.body === "string") headers["content-type"] = "application/json";
    const result = await call({
      method: request.method,
      url: access.url() + request.path,
      headers,
      body: request.body,
      timeoutMs: request.timeoutMs ?? REQUEST_MS,
      maxBytes: request.maxBytes,
      signal,
    });
    if (result.type === "failure") {
      ended(result.sent === "no" ? "unsent" : "unanswered");
      throw failureError(result);
    }
    const answer = withBody(result);
    ended(endOf(answer));
    if (answer.status === 429) {
      const { verdict } = answerError(request.operation, answer, clock.now());
      if (verdict.type === "retry") permits.pauseFor(account, verdict.afterMs ?? 0);
    }
    return answer;
  };
  return permits.run(account, request.priority ?? "message", act, signal);
}

/** A proxy's 5xx page replaces a lost answer: the call may have reached the gateway. */
function endOf(answer: ReadAnswer): CallEnd {
  const { status, body, bytes } = answer;
  // A readable success, or a refusal in the contract's shape.
  const isOfGateway = isSuccess(answer)
    ? body !== undefined || (status === 200 && bytes.length === 0)
    : errorsOf(answer) !== undefined;
  if (isOfGateway) return "answered";
  return status >= 500 && status !== 503 ? "unanswered" : "intercepted";
}

const isStream = (body: CallRequest["body"]) => typeof body === "object" && "files" in body;
