import type { Clock } from "../../src/domain/clock.ts";

export interface HandClock extends Clock {
  /** Moves time on and runs what falls due, in order, letting promises settle between. */
  forward(ms: number): Promise<void>;
  /** Time passes and nothing runs, as while the machine sleeps; what fell due runs with the next step forward. */
  leap(ms: number): void;
  /** Somebody puts the wall clock back; time passes as before. */
  setBack(ms: number): void;
}

/** Most real milliseconds that time stands still for work which rests on real timers. */
const BUSY_TURNS = 12;

/** Time that only the test moves. `busy` tells of work under way that rests on real timers: a library's queue. */
export function handClock(start = Date.UTC(2026, 0, 1), busy?: () => boolean): HandClock {
  let time = 0;
  let wall = start;
  let timers: { at: number; run: () => void }[] = [];
  const settle = async () => {
    for (let turn = 0; turn < BUSY_TURNS; turn++) {
      for (let wait = 0; wait < 20; wait++) await new Promise((resolve) => setImmediate(resolve));
      if (!busy?.()) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  return {
    now: () => wall + time,
    monotonic: () => time,
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((t) => t !== timer);
      };
    },
    leap(ms) {
      time += ms;
    },
    setBack(ms) {
      wall -= ms;
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
