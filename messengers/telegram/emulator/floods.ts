import { tooMany } from "./refusal.ts";
import type { Room, World } from "./world.ts";

/** Messages; Infinity disables a limit. */
export interface Limits {
  /** Per bot and second. */
  perSecond: number;
  /** Per private chat and second. */
  perChat: number;
  perGroupMinute: number;
}
// "avoid sending more than one message per second", "20 messages per minute" in a group, "about 30 messages per
// second": https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
export const PUBLISHED: Limits = { perSecond: 30, perChat: 1, perGroupMinute: 20 };
// Messages sent a second apart may arrive slightly closer.
const LEEWAY_MS = 50;

export interface FloodCounts {
  perChat: number;
  perBot: number;
  perGroup: number;
  /** Sent during a wait. */
  duringWait: number;
}
export interface Floods {
  /** Counts a message. Throws BotRefusal 429 beyond a limit. */
  pass(room: Room, bot: number): void;
  /** Starts a wait as after a breach, seconds. */
  hold(key: string, seconds: number): void;
  counts(): FloodCounts;
  limits(): Limits;
  set(limits: Partial<Limits>): void;
  clear(): void;
}

export function createFloods({ clock }: World, given: Partial<Limits>): Floods {
  let limits = { ...PUBLISHED, ...given };
  const passed = new Map<string, number[]>();
  const waits = new Map<string, number>();
  const none = (): FloodCounts => ({ perChat: 0, perBot: 0, perGroup: 0, duringWait: 0 });
  let counts = none();

  /** Time until the next message fits, ms; 0: now. */
  const waitFor = (key: string, max: number, windowMs: number): number => {
    if (!Number.isFinite(max)) return 0;
    const now = clock.now();
    const within = (passed.get(key) ?? []).filter((at) => at > now - windowMs);
    passed.set(key, within);
    return within.length < max ? 0 : (within[within.length - max] ?? now) + windowMs - now;
  };
  const breach = (key: string, kind: keyof FloodCounts, waitMs: number): never => {
    counts[kind] += 1;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    waits.set(key, clock.now() + seconds * 1000);
    throw tooMany(seconds);
  };
  const checkWait = (key: string): void => {
    const left = (waits.get(key) ?? 0) - clock.now() - LEEWAY_MS;
    if (left <= 0) return;
    counts.duringWait += 1;
    throw tooMany(Math.max(1, Math.ceil(left / 1000)));
  };

  return {
    pass(room, bot) {
      const own = `bot:${bot}`;
      const keys = [own, room.key];
      keys.forEach(checkWait);
      const isGroup = room.kind !== "private" && room.kind !== "people";
      const window = isGroup ? 60_000 : 1000 - LEEWAY_MS;
      const inRoom = waitFor(room.key, isGroup ? limits.perGroupMinute : limits.perChat, window);
      if (inRoom > 0) breach(room.key, isGroup ? "perGroup" : "perChat", inRoom);
      const inAll = waitFor(own, limits.perSecond, 1000 - LEEWAY_MS);
      if (inAll > 0) breach(own, "perBot", inAll);
      for (const key of keys) passed.set(key, [...(passed.get(key) ?? []), clock.now()].slice(-1000));
    },
    hold: (key, seconds) => void waits.set(key, clock.now() + seconds * 1000),
    counts: () => ({ ...counts }),
    limits: () => limits,
    set(change) {
      limits = { ...limits, ...change };
    },
    clear() {
      passed.clear();
      waits.clear();
      counts = none();
    },
  };
}
