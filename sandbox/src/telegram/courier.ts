import { isSpoiled, send } from "../bent-request.ts";
import { type Fault, goesOut } from "../faults.ts";
import { type Faults, faultOf, UPDATE } from "./faults.ts";
import { type Letter, pending, type Webhook } from "./mailbox.ts";
import type { Answer } from "./webhook-answers.ts";
import type { Bot, World } from "./world.ts";

export interface Courier {
  /** Delivers pending and future updates to the bot's webhook. */
  watch(bot: Bot): void;
  stop(): void;
}

/** A delivery in progress. */
interface Errand {
  hook: Webhook;
  letter: Letter;
  signal: AbortSignal;
  taken(answer: Answer): void;
}

const ANSWER_WITHIN_MS = 60_000;
const LONGEST_PAUSE_MS = 60_000;
const LATE = "Read timeout expired";
const RESET = "Connection reset by peer";

/** `answered` gets the bot's answer to an accepted update. */
export function createCourier(world: World, faults: Faults, answered: (bot: Bot, answer: Answer) => void): Courier {
  let stopped = false;
  const aborts = new Set<AbortController>();

  const pump = (bot: Bot): void => {
    const hook = bot.mail.webhook;
    if (stopped || !hook) return;
    for (const letter of ready(world, bot, hook)) {
      letter.busy = true;
      void bring(bot, hook, letter);
    }
  };

  const attempt = async (bot: Bot, errand: Errand) => {
    const plan = faults.next({ method: UPDATE, bot: bot.id });
    const fault = plan ? faultOf(plan) : {};
    if (fault.delayMs) await new Promise<void>((resolve) => world.clock.after(fault.delayMs ?? 0, resolve));
    if (!goesOut(fault)) return RESET;
    const isLost = fault.drop === "after" || fault.status !== undefined;
    const wrong = await deliver(isLost ? { ...errand, taken: () => {} } : errand, fault);
    return isLost ? RESET : wrong;
  };

  const bring = async (bot: Bot, hook: Webhook, letter: Letter): Promise<void> => {
    const abort = new AbortController();
    aborts.add(abort);
    // Own timer: Node 20 may garbage-collect an `AbortSignal.any` over a timeout, and the call would hang forever.
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), ANSWER_WITHIN_MS);
    const late = new Promise<string>((resolve) => abort.signal.addEventListener("abort", () => resolve(LATE)));
    const taken = (answer: Answer) => {
      if (!stopped) answered(bot, answer);
    };
    const wrong = await Promise.race([attempt(bot, { hook, letter, taken, signal: abort.signal }), late]);
    clearTimeout(timer);
    aborts.delete(abort);
    letter.busy = false;
    if (stopped) return;
    const { mail } = bot;
    if (wrong === undefined) {
      mail.letters = mail.letters.filter((each) => each !== letter);
    } else if (mail.webhook === hook) {
      mail.error = { at: world.clock.now(), text: wrong };
      const pause = Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** letter.attempts);
      letter.attempts += 1;
      letter.dueAt = world.clock.now() + pause;
      // A timer can fire just before `dueAt`; without this reset nothing would be due and nobody would retry.
      world.clock.after(pause, () => {
        letter.dueAt = 0;
        pump(bot);
      });
    }
    pump(bot);
  };

  return {
    watch(bot) {
      bot.mail.wakers.add(() => pump(bot));
      pump(bot);
    },
    stop() {
      stopped = true;
      for (const abort of aborts) abort.abort();
    },
  };
}

function ready(world: World, bot: Bot, { most }: Webhook): Letter[] {
  const letters = pending(world, bot);
  const free = most - letters.filter((each) => each.busy).length;
  const now = world.clock.now();
  // Telegram keeps the order only with one connection.
  const line = most === 1 ? letters.slice(0, 1) : letters;
  return line.filter((each) => !each.busy && each.dueAt <= now).slice(0, Math.max(0, free));
}

/** The error in getWebhookInfo's words; undefined on success. */
async function deliver({ hook, letter: { update }, signal, taken }: Errand, fault: Fault): Promise<string | undefined> {
  const headers = {
    "content-type": "application/json",
    ...(hook.secret && { "x-telegram-bot-api-secret-token": hook.secret }),
  };
  try {
    const { status, ...reply } = await send({ url: hook.url, headers, body: JSON.stringify(update), signal }, fault);
    if (isSpoiled(fault)) return RESET;
    if (status < 200 || status >= 300)
      return `Wrong response from the webhook: ${status} ${reply.statusText}`.trimEnd();
    taken({ contentType: reply.contentType, body: reply.bytes });
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
