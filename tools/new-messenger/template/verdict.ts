import { DeliveryError, type Verdict } from "../../../src/domain/delivery.ts";

/** A refusal in the network's own words. */
export interface Refusal {
  status: number;
  code: string;
  /** Its wish, ms. */
  retryAfterMs?: number;
}

/** After a 429 without a wish of its own, ms. */
const DEFAULT_WAIT_MS = 1_000;
const ANY = "";

/** What a refusal means, by status and code; the first line that fits counts (write me: the codes of the network). */
const TABLE: [status: number, code: string, verdict: Verdict][] = [
  [401, ANY, { type: "reconnect" }],
  [403, "blocked", { type: "reject", code: "access_restricted" }],
  [404, "no_such_customer", { type: "reject", code: "customer_not_exists" }],
  [503, ANY, { type: "retry" }],
];

export function refusalError({ status, code, retryAfterMs = DEFAULT_WAIT_MS }: Refusal): DeliveryError {
  const message = `Acme refused it: ${status} ${code}`;
  if (status === 429) return new DeliveryError({ type: "retry", afterMs: retryAfterMs }, message);
  const known = TABLE.find(([at, which]) => at === status && (which === ANY || which === code));
  return new DeliveryError(known?.[2] ?? { type: "reject", code: "general", externalCode: code }, message);
}

/** An answer that is not the network's own. Whoever redirects, refuses or has no room has not let the call through. */
export function strayError(status: number): DeliveryError {
  const message = `an answer that is not Acme's (status ${status})`;
  if ((status >= 300 && status < 500) || status === 503) return DeliveryError.stray(message, status);
  return new DeliveryError({ type: "unsure" }, message);
}
