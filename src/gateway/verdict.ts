import { type Answer, type CallFailure, retryAfterMs } from "../domain/call/call.ts";
import { DeliveryError } from "../domain/delivery/delivery.ts";
import { cutText } from "../domain/text/split.ts";
import { errorsOf, type ReadAnswer } from "./answers.ts";
import { type Operation, refuses } from "./refusals.ts";

/** Wait after a 429 without Retry-After, ms. */
const DEFAULT_WAIT_MS = 1_000;
/** Cap on Retry-After from a proxy, which does not know the gateway's limits, ms. */
const MAX_STRAY_WAIT_MS = 5_000;
/** Maximum length of an error text, UTF-16 units. */
const MAX_ERROR_LENGTH = 300;

/** The gateway's first error text, cleaned for logs and pages. */
function errorText(status: number, [first = ""]: string[]): string {
  const clean = cutText(first.replace(/\p{Cc}+/gu, " "), MAX_ERROR_LENGTH);
  return clean ? `gateway answered ${status}: ${clean}` : `gateway answered ${status}`;
}

/** The only sign of a duplicate is an English sentence in a 400 (domain facts); matched only here. */
export const isDuplicate = (answer: ReadAnswer): boolean =>
  refusedWith(answer, 400, /external_?id\b.*\balready exists/i);

/** Also after an earlier try whose answer was lost: it is not there any more. */
export const isMissing = (operation: Operation, answer: ReadAnswer): boolean =>
  (refuses(operation, 404) && refusedWith(answer, 404, /(?:)/)) ||
  refusedWith(answer, 400, operation === "deleteMessage" ? /not found|is deleted/i : /not found/i);

/** The gateway itself refuses the request for good. */
export const isRefused = (operation: Operation, answer: ReadAnswer): boolean =>
  refuses(operation, answer.status) && errorsOf(answer) !== undefined;

/** The gateway itself, not a proxy, refuses the token. */
export const isUnauthorized = (answer: ReadAnswer): boolean =>
  (answer.status === 401 || answer.status === 403) && errorsOf(answer) !== undefined;

const refusedWith = (answer: ReadAnswer, status: number, pattern: RegExp): boolean =>
  answer.status === status && (errorsOf(answer) ?? []).some((error) => pattern.test(error));

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
    const afterMs = errors ? waitMs : Math.min(waitMs, MAX_STRAY_WAIT_MS);
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
