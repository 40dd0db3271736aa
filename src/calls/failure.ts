import type { CallFailure } from "../domain/call.ts";
import { errorCode, errorText } from "../domain/errors.ts";
import { TooLarge } from "./answer.ts";

/** Whether a request got a connection: until then not one byte of it can have left. */
export interface Flight {
  started: boolean;
}

export const failure = (sent: CallFailure["sent"], reason: CallFailure["reason"], detail: string): CallFailure => ({
  type: "failure",
  sent,
  reason,
  detail,
});

/** What an error of undici, of the guard or of a form's file means to the caller; `stopped` is the caller's own signal. */
export function failureOf(error: unknown, host: string, { started }: Flight, stopped?: AbortSignal): CallFailure {
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
  // `TimeoutError` is our own deadline, the others are undici's.
  if (/timeout/i.test(code)) return failure(sent, "timeout", detail);
  return failure(sent, started ? "reset" : "refused", detail);
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown");
}
