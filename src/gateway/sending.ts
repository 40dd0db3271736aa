import type { Call, CallRequest } from "../domain/call/call.ts";
import { DeliveryError } from "../domain/delivery/delivery.ts";
import type { Clock } from "../domain/time/clock.ts";
import { type EmptyAnswers, isGatewayAnswer, isSuccess, type ReadAnswer, withBody } from "./answers.ts";
import type { CallEnd, Permits, Priority } from "./limiter.ts";
import type { Operation } from "./refusals.ts";
import { answerError, failureError, foreignError, isUnauthorized } from "./verdict.ts";

export interface GatewayParts {
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
export function createSend(parts: GatewayParts): Send {
  const { access } = parts;
  const checks = new Map<string, Promise<TokenCheck>>();
  const checked = (request: Request, token: string, signal: AbortSignal) => {
    // A refused probe needs no second one.
    const check = checks.get(token) ?? (request === PROBE ? renewed(parts, token) : checkToken(parts, token, signal));
    checks.set(token, check);
    const forget = () => void (checks.get(token) === check && checks.delete(token));
    check.then(forget, forget);
    return check;
  };
  return async (request, signal) => {
    const token = access.token();
    const answer = await once(parts, request, token, signal);
    if (!isUnauthorized(answer)) return answer;
    // Another request may have renewed the token meanwhile.
    const newer = access.token();
    const check = newer === token ? await checked(request, token, signal) : { token: newer };
    if (check === "good") throw DeliveryError.foreign(answerError(request.operation, answer, 0).message, answer.status);
    if (check === undefined) return answer;
    // A consumed stream cannot be resent: the job's next attempt reopens it.
    if (isStream(request.body))
      throw new DeliveryError({ type: "retry", afterMs: RENEWED_MS }, "the gateway's token was renewed");
    return once(parts, request, check.token, signal);
  };
}

/** One refusal proves nothing: a second, harmless call must be refused, too. */
async function checkToken(parts: GatewayParts, token: string, signal: AbortSignal): Promise<TokenCheck> {
  const probe = await once(parts, PROBE, token, signal);
  if (isSuccess(probe)) return "good";
  if (!isUnauthorized(probe)) throw foreignError(probe);
  return renewed(parts, token);
}

async function renewed({ access }: GatewayParts, token: string): Promise<TokenCheck> {
  const other = await access.renew(token);
  return other === undefined ? undefined : { token: other };
}

async function once(
  { call, clock, permits, account, access }: GatewayParts,
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
  if (isGatewayAnswer(answer)) return "answered";
  return answer.status >= 500 && answer.status !== 503 ? "unanswered" : "intercepted";
}

const isStream = (body: CallRequest["body"]) => typeof body === "object" && "files" in body;
