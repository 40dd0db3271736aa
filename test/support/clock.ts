import type { Clock } from "gangway-messenger/clock";
import { onTestFinished } from "vitest";
import { answers } from "./in-flight.ts";

export interface HandClock extends Clock {
  /** Advances time and runs due timers in order, letting promises settle in between. */
  forward(ms: number): Promise<void>;
  /** Advances time without running timers, like a sleeping machine; due timers run on the next `forward`. */
  leap(ms: number): void;
  /** Advances time and runs each timer that has become due once: skips the periodic work in between. */
  skip(ms: number): Promise<void>;
  /** Sets the wall clock back; the monotonic clock goes on. */
  setBack(ms: number): void;
}

/** Real milliseconds to wait for work on real timers. */
const BUSY_MS = 12;

/** A clock that only the test moves. `busy`: whether work on real timers, such as a library's queue, is under way. */
export function handClock(start = Date.UTC(2026, 0, 1), busy?: () => boolean): HandClock {
  let time = 0;
  let wall = start;
  let timers: { at: number; run: () => void }[] = [];
  const settle = async () => {
    for (let ms = 0; ms < BUSY_MS; ms++) {
      for (let wait = 0; wait < 20; wait++) {
        const answered = answers();
        if (answered) wait = 0;
        await (answered ?? new Promise((resolve) => setImmediate(resolve)));
      }
      if (!busy?.()) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const clock: HandClock = {
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
    skip(ms) {
      clock.leap(ms);
      return clock.forward(0);
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
  return clock;
}

const STEP_MS = 200;
const PAUSE_MS = 10;

/**
 * A clock that goes by itself until the test ends, some twenty times as fast as real time. It goes in steps, after each of which
 * it waits for what has become due: on a busy machine it is as slow as the work.
 */
export function fastClock(): Clock {
  const clock = handClock(Date.now());
  let isOver = false;
  const go = async () => {
    while (!isOver) {
      await clock.forward(STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  void go();
  onTestFinished(() => {
    isOver = true;
  });
  return clock;
}
