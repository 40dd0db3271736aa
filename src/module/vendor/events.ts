import { createHmac } from "node:crypto";
import type { Call, CallResult } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import { createLoop, type Loop } from "../../domain/loop.ts";
import type { VendorEvent } from "../../domain/vendor.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

export interface EventParts {
  store: Pick<Store, "vendorEvents">;
  /** Where events go, and the key that signs them. */
  to: { url: string; key: Buffer };
  call: Call;
  clock: Clock;
  log: Log;
  random(): number;
}

/** Polling interval for new events, and the receiver's deadline, ms. */
const [LOOK_MS, TIMEOUT_MS] = [1_000, 10_000];
/** A larger response body ends the connection, but the event counts as delivered. */
const ANSWER = { timeoutMs: TIMEOUT_MS, statusOnly: true, maxBytes: 64 * 1024 };
/** Backoff after a failure doubles from the first to the longest pause, ms. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 300_000];
/** An event older than this, ms, is given up, but only after MIN_TRIES: it may have waited behind others. */
const [PATIENCE_MS, MIN_TRIES] = [72 * 3_600_000, 3];
/** Status by which the receiver declines an event for good (Standard Webhooks). */
const GONE = 410;

/**
 * Sends events to the vendor's system one at a time, in order of their ids: each waits for a 2xx to the one before. So
 * first arrivals are in order even across crashes. Repeats have the same id and body.
 */
export function createEventSender(parts: EventParts): Loop {
  const { store, clock, log } = parts;
  const events = store.vendorEvents;
  /** Consecutive failures. */
  let failures = 0;
  const waits = ({ runAt }: VendorEvent) => {
    const left = runAt - clock.now();
    // A longer wait means that the clock was set back.
    return left > 0 && left <= MAX_PAUSE_MS;
  };
  const failed = async (event: VendorEvent, error: string, isGone: boolean) => {
    const { uid, type, attempts } = event;
    const now = clock.now();
    failures += 1;
    const pauseMs = pauseAfter(Math.max(failures, attempts + 1), parts.random());
    if (isGone || (now - event.createdAt > PATIENCE_MS && attempts + 1 >= MIN_TRIES)) {
      log.error("event.given-up", { id: uid, type, attempts: attempts + 1, error });
      return events.givenUp(event.id, error);
    }
    log.warn("event.not-delivered", { id: uid, type, attempts: attempts + 1, error, pauseMs });
    return events.failed(event.id, error, now + pauseMs);
  };
  const drain = async (stop: AbortSignal) => {
    while (!stop.aborted) {
      const event = await events.next();
      if (!event || waits(event)) return;
      const result = await send(parts, event, stop);
      if (stop.aborted) return;
      const fault = faultOf(result);
      if (fault !== undefined) return failed(event, fault, result.type === "answer" && result.status === GONE);
      failures = 0;
      await events.delivered(event.id);
      log.debug("event.delivered", { id: event.uid, type: event.type });
    }
  };
  return createLoop({
    clock,
    everyMs: LOOK_MS,
    round: async (stop) => {
      if (await events.isDue()) await events.alone(() => drain(stop));
    },
    failed: (error) => log.warn("event.not-read", { error: errorText(error) }),
  });
}

/** Exponential backoff; half of it is jitter. */
const pauseAfter = (failures: number, random: number): number =>
  Math.round(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20)) * (0.5 + random / 2));

function send({ to, call, clock }: EventParts, { uid, body }: VendorEvent, signal: AbortSignal): Promise<CallResult> {
  const at = String(Math.floor(clock.now() / 1000));
  const headers = {
    "content-type": "application/json",
    "webhook-id": uid,
    "webhook-timestamp": at,
    "webhook-signature": `v1,${createHmac("sha256", to.key).update(`${uid}.${at}.${body}`).digest("base64")}`,
  };
  return call({ method: "POST", url: to.url, headers, body, ...ANSWER, signal });
}

/** Undefined on success. */
function faultOf(result: CallResult): string | undefined {
  if (result.type === "failure") return `${result.reason}: ${result.detail}`;
  return result.status >= 200 && result.status < 300 ? undefined : `answered ${result.status}`;
}
