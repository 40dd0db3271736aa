import { type Answer, answerText, type CallFailure, retryAfterMs } from "../domain/call.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { parseJson } from "./json.ts";
import { errorAnswer } from "./wire.ts";

/** After a 429 without a wish of its own, ms. */
const DEFAULT_WAIT_MS = 1_000;
/** Longest piece of the gateway's own words that is kept. */
const WORDS_LENGTH = 300;

/** The gateway's first error text, fit for a log and a page. */
export function errorText(answer: Answer): string {
  let errors: string[] = [];
  try {
    errors = errorAnswer.safeParse(parseJson(answerText(answer))).data?.errors ?? [];
  } catch {
    // A 5xx may have an empty or an HTML body.
  }
  const clean = (errors[0] ?? "").replace(/\p{Cc}+/gu, " ").slice(0, WORDS_LENGTH);
  return clean ? `gateway answered ${answer.status}: ${clean}` : `gateway answered ${answer.status}`;
}

/** The one sign of a repeated message is an English sentence in a 400 (domain facts); matched here only. */
export const isDuplicate = (answer: Answer): boolean =>
  answer.status === 400 && /external_?id\b.*\balready exists/i.test(answerText(answer));

export const isMissing = (answer: Answer): boolean =>
  answer.status === 404 || (answer.status === 400 && /not found/i.test(answerText(answer)));

export const ok = (answer: Answer): boolean => answer.status >= 200 && answer.status < 300;

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

/** An answer that is no success. */
export function answerError(answer: Answer, now: number): DeliveryError {
  const words = errorText(answer);
  const { status } = answer;
  if (status === 429)
    return new DeliveryError({ type: "retry", afterMs: retryAfterMs(answer, now) ?? DEFAULT_WAIT_MS }, words);
  if (status === 503 && answer.headers["retry-after"])
    return new DeliveryError({ type: "retry", afterMs: retryAfterMs(answer, now) }, words);
  if (status === 408 || status === 425 || status >= 500) return new DeliveryError({ type: "retry" }, words);
  if (status === 401 || status === 403) return new DeliveryError({ type: "reconnect" }, words);
  return new DeliveryError({ type: "reject", code: "general", externalCode: String(status) }, words);
}
