import type { CallFailure } from "./call.ts";
import { DeliveryError } from "./errors.ts";

// Interprets answers of a messenger's API. Each adapter adds a table of its refusals.

/** A status, the network's code or a pattern of its words, and what they mean. */
type Row = [status: number, said: string | RegExp, ...meaning: unknown[]];

/** The first row that fits. */
export const rowFor = <Found extends Row>(table: Found[], status: number, said: string): Found | undefined =>
  table.find(([at, words]) => at === status && (typeof words === "string" ? words === said : words.test(said)));

/** The error of a call without a usable answer. `what` names the call; `repeatable`: it is idempotent. */
export function failedCall(
  network: string,
  { sent, reason, detail }: CallFailure,
  what: string,
  repeatable = false,
): DeliveryError {
  if (reason === "blocked") return refused(`${network}'s address is not allowed: ${detail}`);
  if (reason === "source-too-large") return refused("the file is larger than its declared size");
  const type = sent === "no" || repeatable ? "retry" : "unsure";
  return new DeliveryError({ type }, `${network}: ${reason} (${what})`);
}

/** An answer that is not the network's own, such as a proxy's page. With a redirect, a 4xx or a 503 the call did not get through. */
export function foreignAnswer(network: string, status: number, what: string, repeatable = false): DeliveryError {
  const message = `a response that is not ${network}'s (status ${status}, ${what})`;
  if (repeatable || (status >= 300 && status < 500) || status === 503) return DeliveryError.foreign(message, status);
  return new DeliveryError({ type: "unsure" }, message);
}

interface Confirming {
  /** A harmless call with the same credential. */
  probe(): Promise<unknown>;
  /** What the refusal means when the probe succeeds. */
  otherwise(error: DeliveryError): Error | Promise<Error>;
  signal: AbortSignal;
}

/** One refusal does not prove a credential dead: the probe has to be refused, too. */
export async function confirmed<T>(act: () => Promise<T>, { probe, otherwise, signal }: Confirming): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "reconnect" || signal.aborted) throw error;
    await probe();
    throw await otherwise(error);
  }
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);
