import { rowFor } from "gangway-messenger/answers";
import { DeliveryError, type Verdict } from "gangway-messenger/errors";

/** A refusal in the network's own words. */
interface Refusal {
  status: number;
  code: string;
  /** The wait that it asks for, ms. */
  retryAfterMs?: number;
}

/** The wait after a 429 that names none, ms. */
const DEFAULT_WAIT_MS = 1_000;
const ANY = /^/;

/** What a refusal means, by status and code; the first row that fits counts. */
const TABLE: [status: number, code: string | RegExp, verdict: Verdict][] = [
  [401, ANY, { type: "reconnect" }],
  [403, "blocked", { type: "reject", code: "access_restricted" }],
  [404, "no_such_pager", { type: "reject", code: "customer_not_exists" }],
  [500, "perhaps_sent", { type: "unsure" }],
  [500, ANY, { type: "retry" }],
  [503, ANY, { type: "retry" }],
];

export function refusalError({ status, code, retryAfterMs = DEFAULT_WAIT_MS }: Refusal, what: string): DeliveryError {
  const message = `Pager refused ${what}: ${status} ${code}`;
  if (status === 429) return new DeliveryError({ type: "retry", afterMs: retryAfterMs }, message);
  // The network does not say what its own errors left done.
  const other: Verdict = status < 500 ? { type: "reject", code: "general", externalCode: code } : { type: "unsure" };
  const verdict = rowFor(TABLE, status, code)?.[2] ?? other;
  return new DeliveryError(verdict, message);
}
