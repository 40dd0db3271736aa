import { DeliveryError, type Verdict } from "gangway-messenger/errors";

/** A refusal in Avito's own words. */
export interface Refusal {
  status: number;
  /** Made safe for pages and logs. */
  said: string;
  /** Whether the call was about one chat. */
  isOfChat: boolean;
  /** The wait that it asks for, ms. */
  retryAfterMs?: number;
}

/** Carries the refusal, for callers that can react to it. */
export class AvitoError extends DeliveryError {
  readonly refusal: Refusal;
  constructor(refusal: Refusal, verdict: Verdict, message: string) {
    super(verdict, message);
    this.name = "AvitoError";
    this.refusal = refusal;
  }
}

/** After a 429 that names no wait, ms: Avito counts calls per minute without saying when a minute begins. */
export const DEFAULT_WAIT_MS = 10_000;

export const NO_PLAN =
  "the plan of this Avito account does not include messages by API. It needs the plan Maximum, in services also Extended: change it at Avito, then resume the messenger here";
export const BAD_TOKEN =
  "Avito no longer accepts the credentials of this account. Check the Client_id and Client_secret";

/** What a refusal means, by status (the document's errors). */
const TABLE: Record<number, { verdict: Verdict; meaning?: string }> = {
  400: { verdict: { type: "reject", code: "general" } },
  401: { verdict: { type: "reconnect" }, meaning: BAD_TOKEN },
  402: { verdict: { type: "reconnect" }, meaning: NO_PLAN },
  403: { verdict: { type: "reconnect" }, meaning: BAD_TOKEN },
  404: { verdict: { type: "reject", code: "customer_not_exists" }, meaning: "Avito does not know this chat" },
  422: { verdict: { type: "reject", code: "general" } },
  503: { verdict: { type: "retry" } },
};

/** `repeatable`: an unknown outcome means a retry. */
export function refusalError(refusal: Refusal, what: string, repeatable: boolean): AvitoError {
  const { status, said, retryAfterMs = DEFAULT_WAIT_MS } = refusal;
  const words = `Avito: ${said || status} (${what})`;
  if (status === 429) return new AvitoError(refusal, { type: "retry", afterMs: retryAfterMs }, words);
  const isElsewhere = status === 404 && !refusal.isOfChat;
  const { verdict = otherwise(status, repeatable), meaning } = (isElsewhere ? undefined : TABLE[status]) ?? {};
  const code = verdict.type === "reject" ? { ...verdict, externalCode: String(status) } : verdict;
  if (verdict.type === "reconnect") return new AvitoError(refusal, code, meaning ?? words);
  return new AvitoError(refusal, code, meaning ? `${meaning}. ${words}` : words);
}

/** A 500 does not say what was done. */
function otherwise(status: number, repeatable: boolean): Verdict {
  if (status < 500) return { type: "reject", code: "general" };
  return { type: repeatable ? "retry" : "unsure" };
}

/** The token works for another call: the refusal concerns this one. */
export function refusedAlone({ refusal }: AvitoError): AvitoError {
  const { status, said } = refusal;
  if (status !== 403) return new AvitoError(refusal, { type: "retry" }, `Avito refused a call once (status ${status})`);
  const verdict: Verdict = { type: "reject", code: "access_restricted", externalCode: "403" };
  return new AvitoError(refusal, verdict, `Avito does not let this account write here. Avito: ${said || status}`);
}
