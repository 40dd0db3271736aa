import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { isCorrupted, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { isSent } from "gangway-messenger/kit/emulator/faults";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import { type MaxFaults, WEBHOOK } from "./faults.ts";
import type { SwitchValues } from "./switches.ts";
import { written } from "./views.ts";
import type { Bot, Subscription } from "./world.ts";

/** Brings updates to the webhooks of a bot, or keeps them for GET /updates where it has none. */
export interface Courier {
  /** Resolves when the first try is over; repeats go on by the clock. */
  post(bot: Bot, update: { update_type: string }): Promise<void>;
  /** Updates that wait for a repetition. */
  waiting(): number;
  stop(): void;
}
interface CourierParts {
  clock: EmulatorOptions["clock"];
  deliver: EmulatorOptions["deliver"];
  random(): number;
  switches(): SwitchValues;
  faults: MaxFaults;
  journal: Journal;
}
interface Parcel {
  bot: Bot;
  to: Subscription;
  body: string;
  firstAt: number;
}

/** "In a short period of time (from 30 to 60 seconds)", and "not longer than 8 hours" (schema, Webhook). */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [30_000, 60_000];
const GIVE_UP_MS = 8 * 3_600_000;
const ANSWER_WITHIN_MS = 20_000;

export function createCourier(parts: CourierParts): Courier {
  const cancels = new Set<() => void>();
  const aborts = new Set<AbortController>();
  let stopped = false;
  const later = (ms: number, run: () => void) => {
    const cancel = parts.clock.after(ms, () => {
      cancels.delete(cancel);
      if (!stopped) run();
    });
    cancels.add(cancel);
  };
  const attempt = async (parcel: Parcel): Promise<void> => {
    const { bot, to, firstAt } = parcel;
    if (stopped || bot.subscriptions.get(to.url) !== to) return;
    const abort = new AbortController();
    aborts.add(abort);
    const taken = await tried(parts, parcel, abort);
    aborts.delete(abort);
    if (stopped) return;
    if (taken) {
      if (parts.random() < parts.switches().duplicates)
        later(parts.random() * MAX_PAUSE_MS, () => void attempt(parcel));
      return;
    }
    const pause = MIN_PAUSE_MS + parts.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
    if (parts.clock.now() + pause < firstAt + GIVE_UP_MS) return later(pause, () => void attempt(parcel));
    // Eight hours without an answer end the subscription.
    if (bot.subscriptions.get(to.url) === to) bot.subscriptions.delete(to.url);
  };
  return {
    async post(bot, update) {
      if (bot.subscriptions.size === 0) return keep(bot, update);
      const { withheld } = parts.switches();
      if (withheld > 0 && parts.random() < withheld) return;
      const wants = ({ updateTypes }: Subscription) => updateTypes?.includes(update.update_type) ?? true;
      const body = written(update);
      const all = [...bot.subscriptions.values()].filter(wants);
      await Promise.all(all.map((to) => attempt({ bot, to, body, firstAt: parts.clock.now() })));
    },
    waiting: () => cancels.size,
    stop() {
      stopped = true;
      for (const abort of aborts) abort.abort();
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

function keep(bot: Bot, update: object): void {
  bot.lastMarker += 1;
  bot.queue.push({ marker: bot.lastMarker, update });
}

/** True: answered 200. */
async function tried(parts: CourierParts, { to, body }: Parcel, abort: AbortController): Promise<boolean> {
  const { operation: _, code: __, ...fault } = parts.faults.next(WEBHOOK) ?? { operation: "" };
  if (fault.delayMs) await new Promise<void>((resolve) => void parts.clock.after(fault.delayMs ?? 0, resolve));
  if (!isSent(fault)) return false;
  const timer = setTimeout(() => abort.abort(), ANSWER_WITHIN_MS);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "MAX-Bot-API",
    ...(to.secret && { "x-max-bot-api-secret": to.secret }),
  };
  const request = { url: to.url, headers, body, signal: abort.signal };
  const status = await send(request, fault, parts.deliver).then(
    (reply) => reply.status,
    () => 0,
  );
  clearTimeout(timer);
  if (isCorrupted(fault)) return false;
  note(parts, to, body, status);
  return status === 200 && fault.drop !== "after" && fault.status === undefined;
}

function note({ clock, journal }: CourierParts, { url }: Subscription, body: string, status: number): void {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const shared = { at: clock.now(), kind: "webhook" as const, operation: "update", method: "POST", path, query: {} };
  journal.add({ ...shared, status, request: JSON.parse(body), answer: undefined, headers: {} });
}
