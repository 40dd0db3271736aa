import { type Answer, type CallFailure, retryAfterMs } from "../domain/call.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { errorsOf } from "./word.ts";

/** After a 429 without a wish of its own, ms. */
const DEFAULT_WAIT_MS = 1_000;
/** Longest wait for an answer that is not the gateway's own: a proxy knows nothing of the gateway's limits, ms. */
const LONGEST_STRAY_WAIT_MS = 5_000;
/** Longest piece of the gateway's own words that is kept. */
const WORDS_LENGTH = 300;

/** The gateway's first error text, fit for a log and a page. */
function errorText(status: number, [said = ""]: string[]): string {
  const clean = said.replace(/\p{Cc}+/gu, " ").slice(0, WORDS_LENGTH);
  return clean ? `gateway answered ${status}: ${clean}` : `gateway answered ${status}`;
}

/** The one sign of a repeated message is an English sentence in a 400 (domain facts); matched here only. */
export const isDuplicate = (answer: Answer): boolean => refusedWith(answer, 400, /external_?id\b.*\balready exists/i);

export const isMissing = (answer: Answer): boolean =>
  refusedWith(answer, 404, /(?:)/) || refusedWith(answer, 400, /not found/i);

/** The gateway itself refuses the token. */
export const isUnauthorized = (answer: Answer): boolean =>
  (answer.status === 401 || answer.status === 403) && errorsOf(answer) !== undefined;

const refusedWith = (answer: Answer, status: number, words: RegExp): boolean =>
  answer.status === status && (errorsOf(answer) ?? []).some((error) => words.test(error));

/** A call that got no usable answer. */
export function failureError(failure: CallFailure): DeliveryError {
  const words = `gateway: ${failure.reason} (${failure.detail})`;
  if (failure.reason === "blocked")
    return new DeliveryError(
      { type: "reject", code: "general" },
      `the gateway's address is not allowed: ${failure.detail}`,
    );
  if (failure.reason === "source-too-large")
    return new DeliveryError({ type: "reject", code: "general" }, "the file is larger than it was said to be");
  return new DeliveryError({ type: failure.sent === "no" ? "retry" : "unsure" }, words);
}

/** A file that will be no smaller the next time. */
export const tooLarge = ({ detail }: CallFailure): DeliveryError =>
  new DeliveryError({ type: "reject", code: "general" }, `the file is too large (${detail})`);

/** An answer that is no success. Only a refusal in the contract's shape ends a message or a token. */
export function answerError(answer: Answer, now: number): DeliveryError {
  const errors = errorsOf(answer);
  const { status } = answer;
  const words = errorText(status, errors ?? []);
  const wish = retryAfterMs(answer, now) ?? (status === 429 ? DEFAULT_WAIT_MS : undefined);
  if (wish !== undefined && (status === 429 || status === 503)) {
    const afterMs = errors ? wish : Math.min(wish, LONGEST_STRAY_WAIT_MS);
    return new DeliveryError({ type: "retry", afterMs }, words);
  }
  if (status === 408 || status === 425 || status >= 500) return new DeliveryError({ type: "retry" }, words);
  if (!errors || status < 400) return strayError(answer);
  if (isUnauthorized(answer)) return new DeliveryError({ type: "reconnect" }, words);
  return new DeliveryError({ type: "reject", code: "general", externalCode: String(status) }, words);
}

/** An answer outside the contract: somebody between us and the gateway said it. */
export function strayError({ status, headers }: Answer): DeliveryError {
  const type = headers["content-type"]?.split(";")[0]?.slice(0, 60) || "no content type";
  const words = `an answer that is not the gateway's (status ${status}, ${type})`;
  return status < 300 ? new DeliveryError({ type: "unsure" }, words) : DeliveryError.stray(words, status);
}
