import type { Pace } from "../../channels/port.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Postponed } from "../../domain/delivery.ts";
import type { ChannelId, ChatId } from "../../domain/ids.ts";

/** Holds every channel to its messenger's own limits. In memory; after a restart it is told what went before. */
export interface Paces {
  /** When calls to this chat ended before this process began (wall clock), if that still counts; asked once a chat. */
  recall(at: PaceAt, endedSince: (since: number) => Promise<number[]>): Promise<void>;
  /** How long no call may leave for this chat, ms; 0: now. */
  wait(at: PaceAt): number;
  /**
   * Counts the call from its start until its window after the answer: then no window holds more than the limit. Whoever has
   * asked `wait` and was busy with something else since may find that others went first.
   */
  run<T extends object>(at: PaceAt, call: () => Promise<T>): Promise<T | Postponed>;
  /** The messenger said "too many" all the same. A second chat that is told so within that time stops the whole channel. */
  pause(at: PaceAt, ms: number): void;
}
export interface PaceAt {
  channelId: ChannelId;
  pace: Pace;
  chat: ChatId;
}

/** One limit: `most` calls within `everyMs`. */
interface Window {
  flying: number;
  /** When the slots of ended calls are free again, ms, in order. */
  freeAt: number[];
  pausedUntil: number;
  /** Of a channel: the chat that was told to wait last, and until when. */
  told?: { chat: ChatId; until: number };
}

const SECOND_MS = 1_000;
/** How soon it is asked again when every slot is taken by calls under way, ms. */
const BUSY_MS = 50;

export function createPaces(clock: Clock): Paces {
  const windows = new Map<string, Window>();
  const born = clock.monotonic();
  const recalled = new Set<string>();
  const windowOf = (name: string): Window => {
    const known = windows.get(name) ?? { flying: 0, freeAt: [], pausedUntil: 0 };
    windows.set(name, known);
    return known;
  };
  const dropIdle = (name: string, window: Window) => {
    const now = clock.monotonic();
    const idle = window.flying === 0 && window.pausedUntil <= now && !window.freeAt.some((at) => at > now);
    if (idle && windows.get(name) === window) windows.delete(name);
  };
  const limitsOf = ({ channelId, pace, chat }: PaceAt) => [
    { name: channelId, most: pace.perSecond, everyMs: SECOND_MS },
    { name: `${channelId}/${chat}`, ...pace.perChat(chat) },
  ];
  const waitFor = (name: string, most: number): number => {
    const window = windows.get(name);
    if (!window) return 0;
    const now = clock.monotonic();
    while (window.freeAt[0] !== undefined && window.freeAt[0] <= now) window.freeAt.shift();
    const paused = Math.max(0, window.pausedUntil - now);
    const taken = window.flying + window.freeAt.length;
    if (taken < most) return paused;
    return Math.max(paused, (window.freeAt[taken - most] ?? now + BUSY_MS) - now);
  };
  const wait = (at: PaceAt) => Math.max(...limitsOf(at).map(({ name, most }) => waitFor(name, most)));
  return {
    async recall(at, endedSince) {
      const [, own] = limitsOf(at);
      if (!own || clock.monotonic() >= born + own.everyMs || recalled.has(own.name)) return;
      recalled.add(own.name);
      // And one that may have been under way when the process before this one ended: nobody knows when it was taken.
      const [wall, now] = [clock.now(), clock.monotonic()];
      const past = await endedSince(wall - own.everyMs);
      // What is yet to come by a clock that was put back has just been.
      const ended = [...past.map((time) => now - Math.max(0, wall - time)), born];
      windowOf(own.name).freeAt.unshift(...ended.map((time) => time + own.everyMs).sort((a, b) => a - b));
    },
    wait,
    async run(at, call) {
      const postponedMs = wait(at);
      if (postponedMs > 0) return { postponedMs };
      const taken = limitsOf(at).map((limit) => ({ ...limit, window: windowOf(limit.name) }));
      for (const { window } of taken) window.flying += 1;
      try {
        return await call();
      } finally {
        for (const { name, window, everyMs } of taken) {
          window.flying -= 1;
          window.freeAt.push(clock.monotonic() + everyMs);
          clock.after(everyMs, () => dropIdle(name, window));
        }
      }
    },
    pause({ channelId, chat }, ms) {
      const now = clock.monotonic();
      const until = now + ms;
      const own = windowOf(`${channelId}/${chat}`);
      own.pausedUntil = Math.max(own.pausedUntil, until);
      const all = windowOf(channelId);
      const others = all.told && all.told.chat !== chat && all.told.until > now;
      if (others) all.pausedUntil = Math.max(all.pausedUntil, until);
      all.told = { chat, until };
      for (const [name, window] of [[channelId, all] as const, [`${channelId}/${chat}`, own] as const])
        clock.after(ms, () => dropIdle(name, window));
    },
  };
}
