/** The sandbox's time, which can be made to jump. */
export interface Clock {
  /** Unix time, ms. */
  now(): number;
  /** Moves time on; what falls due by it happens at once. Throws beyond the year 2200. */
  jump(ms: number): void;
  /** Runs once after so many ms of this clock; the answer calls it off. */
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
      if (!(now() + ms < END)) throw new Error("The clock goes no further than the year 2200");
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

/** As the APIs write times: to the second, or with a fraction whose trailing zeros are cut. */
export const toSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
export const toMicroseconds = (ms: number): string => new Date(ms).toISOString().replace(/\.?0+Z$/, "Z");
