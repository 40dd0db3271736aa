import type { CallFailure } from "../domain/call/call.ts";
import { errorCode, errorText } from "../domain/errors.ts";

export class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

export const failure = (sent: CallFailure["sent"], reason: CallFailure["reason"], detail: string): CallFailure => ({
  type: "failure",
  sent,
  reason,
  detail,
});

/**
 * Maps an error of undici, the guard or a form's file to a call failure. Until the request has `started`, no byte has left;
 * `stopped` is the caller's own signal.
 */
export function failureOf(error: unknown, host: string, started: boolean, stopped?: AbortSignal): CallFailure {
  const code = codeOf(error);
  const detail = `${host} ${code}`;
  const sent = started ? "perhaps" : "no";
  if (code === "EBLOCKED") return failure("no", "blocked", `${host} is not a public address`);
  if (code === "ESOURCE") {
    const tooLarge = error instanceof Error && error.cause instanceof TooLarge;
    return failure("no", tooLarge ? "source-too-large" : "source", `the file could not be read (${errorText(error)})`);
  }
  if (code === "ETOOLARGE") return failure(sent, "too-large", detail);
  if (stopped?.aborted) return failure(sent, "aborted", host);
  // `TimeoutError` is our own deadline; the others come from undici.
  if (/timeout/i.test(code)) return failure(sent, "timeout", detail);
  return failure(sent, started ? "reset" : "refused", detail);
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown");
}
