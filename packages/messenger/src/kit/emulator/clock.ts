/** The sandbox's time; it can jump. */
export interface Clock {
  /** Unix time, ms. */
  now(): number;
  /** Advances the clock and fires the timers that fall due. Throws beyond the year 2200. */
  jump(ms: number): void;
  /** Runs once after `ms` of this clock; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  stop(): void;
}

const END = Date.UTC(2200, 0, 1);

export function createClock(base: () => number): Clock {
  let offset = 0;
  const waiting = new Set<{ at: number; run: () => void; timer: NodeJS.Timeout }>();
  const now = () => base() + offset;
  return {
    now,
    jump(ms) {
      if (!(now() + ms < END)) throw new Error("The clock cannot pass the year 2200");
      offset += ms;
      for (const entry of [...waiting].sort((a, b) => a.at - b.at)) {
        if (entry.at > now() || !waiting.delete(entry)) continue;
        clearTimeout(entry.timer);
        entry.run();
      }
    },
    after(ms, run) {
      const fire = () => {
        if (waiting.delete(entry)) run();
      };
      const entry = { at: now() + ms, run, timer: setTimeout(fire, ms) };
      entry.timer.unref();
      waiting.add(entry);
      return () => {
        waiting.delete(entry);
        clearTimeout(entry.timer);
      };
    },
    stop() {
      for (const entry of waiting) clearTimeout(entry.timer);
      waiting.clear();
    },
  };
}

/** Times as the APIs write them: whole seconds, or a fraction without trailing zeros. */
export const toSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
export const toMicroseconds = (ms: number): string => new Date(ms).toISOString().replace(/\.?0{1,3}Z$/, "Z");
