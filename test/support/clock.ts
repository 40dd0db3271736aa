import type { Clock } from "../../src/domain/clock.ts";

export interface HandClock extends Clock {
  /** Moves time on and runs what falls due, in order, letting promises settle between. */
  forward(ms: number): Promise<void>;
}

/** Time that only the test moves. */
export function handClock(start = Date.UTC(2026, 0, 1)): HandClock {
  let time = start;
  let timers: { at: number; run: () => void }[] = [];
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((t) => t !== timer);
      };
    },
    async forward(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const next = timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((t) => t !== next);
        time = Math.max(time, next.at);
        next.run();
        await settle();
      }
      time = end;
      await settle();
    },
  };
}
