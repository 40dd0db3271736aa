import { isCorrupted, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { type Fault, isSent } from "gangway-messenger/kit/emulator/faults";
import { type Faults, faultOf, UPDATE } from "./faults.ts";
import { pending, type QueuedUpdate, type Webhook } from "./update-queue.ts";
import type { Answer } from "./webhook-answers.ts";
import type { Bot, World } from "./world.ts";

export interface Courier {
  /** Delivers pending and future updates to the bot's webhook. */
  watch(bot: Bot): void;
  stop(): void;
}

/** A delivery in progress. */
interface Delivery {
  hook: Webhook;
  queued: QueuedUpdate;
  signal: AbortSignal;
  accepted(answer: Answer): void;
}

const ANSWER_WITHIN_MS = 60_000;
const MAX_PAUSE_MS = 60_000;
const LATE = "Read timeout expired";
const RESET = "Connection reset by peer";

/** `answered` gets the bot's answer to an accepted update; `bring` carries updates (default: fetch). */
export function createCourier(
  world: World,
  faults: Faults,
  answered: (bot: Bot, answer: Answer) => void,
  bring?: (request: Request) => Promise<Response>,
): Courier {
  let stopped = false;
  const aborts = new Set<AbortController>();

  const pump = (bot: Bot): void => {
    const hook = bot.queue.webhook;
    if (stopped || !hook) return;
    for (const queued of ready(world, bot, hook)) {
      queued.busy = true;
      void deliver(bot, hook, queued);
    }
  };

  const attempt = async (bot: Bot, delivery: Delivery) => {
    const plan = faults.next({ method: UPDATE, bot: bot.id });
    const fault = plan ? faultOf(plan) : {};
    if (fault.delayMs) await new Promise<void>((resolve) => world.clock.after(fault.delayMs ?? 0, resolve));
    if (!isSent(fault)) return RESET;
    const isLost = fault.drop === "after" || fault.status !== undefined;
    const error = await post(isLost ? { ...delivery, accepted: () => {} } : delivery, fault, bring);
    return isLost ? RESET : error;
  };

  const deliver = async (bot: Bot, hook: Webhook, queued: QueuedUpdate): Promise<void> => {
    const abort = new AbortController();
    aborts.add(abort);
    // Own timer: Node may garbage-collect an `AbortSignal.any` over a timeout, and the call would hang forever.
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), ANSWER_WITHIN_MS);
    const late = new Promise<string>((resolve) => abort.signal.addEventListener("abort", () => resolve(LATE)));
    const accepted = (answer: Answer) => {
      if (!stopped) answered(bot, answer);
    };
    const error = await Promise.race([attempt(bot, { hook, queued, accepted, signal: abort.signal }), late]);
    clearTimeout(timer);
    aborts.delete(abort);
    queued.busy = false;
    if (stopped) return;
    const { queue } = bot;
    if (error === undefined) {
      queue.entries = queue.entries.filter((each) => each !== queued);
    } else if (queue.webhook === hook) {
      queue.error = { at: world.clock.now(), text: error };
      const pause = Math.min(MAX_PAUSE_MS, 1000 * 2 ** queued.attempts);
      queued.attempts += 1;
      queued.dueAt = world.clock.now() + pause;
      // A timer can fire just before `dueAt`; without this reset nothing would be due and nobody would retry.
      world.clock.after(pause, () => {
        queued.dueAt = 0;
        pump(bot);
      });
    }
    pump(bot);
  };

  return {
    watch(bot) {
      bot.queue.wakers.add(() => pump(bot));
      pump(bot);
    },
    stop() {
      stopped = true;
      for (const abort of aborts) abort.abort();
    },
  };
}

function ready(world: World, bot: Bot, { maxConnections }: Webhook): QueuedUpdate[] {
  const updates = pending(world, bot);
  const free = maxConnections - updates.filter((each) => each.busy).length;
  const now = world.clock.now();
  // Telegram keeps the order only with one connection.
  const candidates = maxConnections === 1 ? updates.slice(0, 1) : updates;
  return candidates.filter((each) => !each.busy && each.dueAt <= now).slice(0, Math.max(0, free));
}

/** The error in getWebhookInfo's words; undefined on success. */
async function post(
  { hook, queued: { update }, signal, accepted }: Delivery,
  fault: Fault,
  bring?: (request: Request) => Promise<Response>,
): Promise<string | undefined> {
  const headers = {
    "content-type": "application/json",
    ...(hook.secret && { "x-telegram-bot-api-secret-token": hook.secret }),
  };
  try {
    const { status, ...reply } = await send(
      { url: hook.url, headers, body: JSON.stringify(update), signal },
      fault,
      bring,
    );
    if (isCorrupted(fault)) return RESET;
    if (status < 200 || status >= 300)
      return `Wrong response from the webhook: ${status} ${reply.statusText}`.trimEnd();
    accepted({ contentType: reply.contentType, body: reply.bytes });
    return undefined;
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause && "code" in cause ? String(cause.code) : "";
  if (code === "ECONNREFUSED") return "Connection refused";
  if (code === "ENOTFOUND") return "Failed to resolve host: Name or service not known";
  return error instanceof Error && error.name === "TimeoutError" ? LATE : RESET;
}
