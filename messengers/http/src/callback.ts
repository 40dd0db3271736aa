import { failedCall, foreignAnswer } from "gangway-messenger/answers";
import { type Answer, answerJson, answerText, retryAfterMs } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { HostedContext } from "gangway-messenger/hosted";
import { cutText } from "gangway-messenger/text";
import { callbackAnswer, callbackRefusal, type OutboundEvent } from "./events.ts";
import { signed } from "./signature.ts";
import { type Settings, secretsOf } from "./wire.ts";

type Context = HostedContext<Settings>;

const APP = "the app";
const TIMEOUT_MS = 15_000;
/** Statuses that ask to slow down (Standard Webhooks). */
const SLOWER = [429, 502, 503, 504];
const GONE = 410;
/** Characters of a refusal that an agent reads. */
const MAX_REFUSAL = 500;

/** Sends an event to the app's URL; resolves with its id of the message, if it gives one. Throws DeliveryError. */
export async function callBack(
  context: Context,
  url: string,
  event: OutboundEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  const { settings, call, clock } = context;
  const body = JSON.stringify(event);
  const headers = { "content-type": "application/json", ...signed(secretsOf(settings), event.id, body, clock.now()) };
  const result = await call({ method: "POST", url, headers, body, timeoutMs: TIMEOUT_MS, signal });
  // The same words for every reason, so that nobody can map this server's network.
  if (result.type === "failure")
    throw new DeliveryError(failedCall(APP, result, event.type).verdict, "the app cannot be reached at its address");
  return readAnswer(result, event, clock.now());
}

function readAnswer(answer: Answer, { type }: OutboundEvent, now: number): string | undefined {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    // A page is not the app's answer.
    if (/^\s*<(!doctype|html)/i.test(answerText(answer))) throw foreignAnswer(APP, status, type);
    return callbackAnswer.safeParse(answerJson(answer)).data?.id;
  }
  if (status === GONE)
    throw new DeliveryError({ type: "reconnect" }, "the app answers 410: it wants no more messages of this channel");
  if (SLOWER.includes(status)) throw slower(answer, type, now);
  const refusal = status < 500 ? callbackRefusal.safeParse(answerJson(answer)).data : undefined;
  if (!refusal) throw foreignAnswer(APP, status, type);
  const { message, code = "general" } = refusal.error;
  throw new DeliveryError({ type: "reject", code, externalCode: String(status) }, cutText(message, MAX_REFUSAL));
}

/** 429 and 503 mean that nothing was accepted; a proxy's statuses do not. */
function slower(answer: Answer, what: string, now: number): DeliveryError {
  const afterMs = retryAfterMs(answer, now);
  const message = `${APP}: status ${answer.status} (${what})`;
  const type = answer.status === 429 || answer.status === 503 ? "retry" : "unsure";
  return new DeliveryError({ type, ...(afterMs !== undefined && { afterMs }) }, message);
}
