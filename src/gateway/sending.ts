import type { Answer, Call, CallRequest, CallResult } from "../domain/call.ts";
import type { Clock } from "../domain/clock.ts";
import { DeliveryError } from "../domain/delivery.ts";
import type { CallEnd, Permits, Priority } from "./limiter.ts";
import { answerError, failureError, isUnauthorized, strayError } from "./verdict.ts";
import { type EmptyAnswers, isOwnWord, isSuccess } from "./word.ts";

export interface GatewayParts {
  call: Call;
  clock: Clock;
  permits: Permits;
  /** Whose permits its calls take: an account has one token at a time. */
  account: string;
  /** What is known of the gateway's empty answers. */
  isDone: EmptyAnswers;
  /** Where the account's gateway is and how it is entered. */
  access: {
    url(): string;
    token(): string;
    /** Asks for another token after this one was refused; undefined when there is none. */
    renew(dead: string): Promise<string | undefined>;
  };
}

export type Request = Pick<CallRequest, "method" | "body" | "headers"> & {
  path: string;
  priority?: Priority;
  timeoutMs?: number;
};
/** Resolves with whatever was answered. Throws DeliveryError. */
export type Send = (request: Request, signal: AbortSignal) => Promise<Answer>;

/** A harmless call: it tells whether a token is good, and changes nothing. */
export const PROBE: Request = { method: "GET", path: "/channels?limit=1" };

/** Deadline of a request, ms. */
const REQUEST_MS = 30_000;
/** Before an upload is begun anew with another token, ms: a gateway that refuses every token must not be asked in a circle. */
const RENEWED_MS = 1_000;

/** What became of a token that was refused: it is good all the same, another is there, or none. */
type Trial = "good" | { token: string } | undefined;

/** Every request takes a permit. Requests whose token is refused together share one trial of it. */
export function sending(parts: GatewayParts): Send {
  const { access } = parts;
  const trials = new Map<string, Promise<Trial>>();
  const tried = (request: Request, token: string, signal: AbortSignal) => {
    // A probe that was refused has told already.
    const known = trials.get(token) ?? (request === PROBE ? renewed(parts, token) : tryToken(parts, token, signal));
    trials.set(token, known);
    const over = () => void (trials.get(token) === known && trials.delete(token));
    known.then(over, over);
    return known;
  };
  return async (request, signal) => {
    const token = access.token();
    const answer = await once(parts, request, token, signal);
    if (!isUnauthorized(answer)) return answer;
    // While this request was under way another may have renewed the token already.
    const newer = access.token();
    const trial = newer === token ? await tried(request, token, signal) : { token: newer };
    if (trial === "good") throw DeliveryError.stray(answerError(answer, 0).message, answer.status);
    if (trial === undefined) return answer;
    // A stream that has been read cannot be sent twice: the job's next try opens it again.
    if (isStream(request.body))
      throw new DeliveryError({ type: "retry", afterMs: RENEWED_MS }, "the gateway's token was renewed");
    return once(parts, request, trial.token, signal);
  };
}

/** One refusal proves nothing: only a second, harmless call with the token does. */
async function tryToken(parts: GatewayParts, token: string, signal: AbortSignal): Promise<Trial> {
  const probe = await once(parts, PROBE, token, signal);
  if (isSuccess(probe)) return "good";
  if (!isUnauthorized(probe)) throw strayError(probe);
  return renewed(parts, token);
}

async function renewed({ access }: GatewayParts, token: string): Promise<Trial> {
  const other = await access.renew(token);
  return other === undefined ? undefined : { token: other };
}

async function once(
  { call, clock, permits, account, access }: GatewayParts,
  request: Request,
  token: string,
  signal: AbortSignal,
): Promise<Answer> {
  const act = async (ended: (how: CallEnd) => void) => {
    const result = await call({
      method: request.method,
      url: access.url() + request.path,
      headers: { ...request.headers, accept: "application/json", "x-transport-token": token },
      body: request.body,
      timeoutMs: request.timeoutMs ?? REQUEST_MS,
      signal,
    });
    ended(endOf(result));
    if (result.type === "failure") throw failureError(result);
    if (result.status === 429) {
      const { verdict } = answerError(result, clock.now());
      if (verdict.type === "retry") permits.pauseFor(account, verdict.afterMs ?? 0);
    }
    return result;
  };
  return permits.run(account, request.priority ?? "message", act, signal);
}

/** A page with a 5xx stands for an answer that was lost: its call has perhaps come through. */
function endOf(result: CallResult): CallEnd {
  if (result.type === "failure") return result.sent === "no" ? "unsent" : "unanswered";
  if (isOwnWord(result)) return "answered";
  return result.status >= 500 && result.status !== 503 ? "unanswered" : "intercepted";
}

const isStream = (body: CallRequest["body"]) => typeof body === "object" && "files" in body;
