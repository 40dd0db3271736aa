import { type Letter, pending, type Webhook } from "./mailbox.ts";
import type { Bot, World } from "./world.ts";

export interface Courier {
  /** Brings what waits to the bot's webhook, now and from now on. */
  watch(bot: Bot): void;
  stop(): void;
}

const ANSWER_WITHIN_MS = 60_000;
const LONGEST_PAUSE_MS = 60_000;
const LATE = "Read timeout expired";

export function createCourier(world: World): Courier {
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

  const bring = async (bot: Bot, hook: Webhook, letter: Letter): Promise<void> => {
    const abort = new AbortController();
    aborts.add(abort);
    // Not AbortSignal.timeout within AbortSignal.any: Node 20 may collect it, and a call that hangs would hang for ever.
    const timer = setTimeout(() => abort.abort(new DOMException("too late", "TimeoutError")), ANSWER_WITHIN_MS);
    const late = new Promise<string>((resolve) => abort.signal.addEventListener("abort", () => resolve(LATE)));
    const wrong = await Promise.race([deliver(hook, letter, abort.signal), late]);
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
      world.clock.after(pause, () => pump(bot));
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
  // One at a time is the only way that Telegram keeps to the order.
  const line = most === 1 ? letters.slice(0, 1) : letters;
  return line.filter((each) => !each.busy && each.dueAt <= now).slice(0, Math.max(0, free));
}

/** What was wrong with it, in getWebhookInfo's words; undefined when it was taken. */
async function deliver(hook: Webhook, { update }: Letter, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await fetch(hook.url, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: {
        "content-type": "application/json",
        ...(hook.secret && { "x-telegram-bot-api-secret-token": hook.secret }),
      },
      body: JSON.stringify(update),
    });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `Wrong response from the webhook: ${answer.status} ${answer.statusText}`.trimEnd();
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause && "code" in cause ? String(cause.code) : "";
  if (code === "ECONNREFUSED") return "Connection refused";
  if (code === "ENOTFOUND") return "Failed to resolve host: Name or service not known";
  return error instanceof Error && error.name === "TimeoutError" ? LATE : "Connection reset by peer";
}
