import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClock, deadline, systemClock } from "gangway-messenger/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { handClock } from "../../../test/support/clock.ts";

const never = () => new AbortController().signal;
const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve(signal.reason?.name)));

describe("a deadline", () => {
  it("aborts after its time, however often the garbage collector runs meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const reasons = Promise.all(Array.from({ length: 50 }, () => aborted(deadline(systemClock, 60, never()).signal)));
    for (let n = 0; n < 2; n++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(new Set(await reasons)).toEqual(new Set(["TimeoutError"]));
  });

  it("aborts with its stop signal, at once or later", async () => {
    const stop = new AbortController();
    const { signal } = deadline(systemClock, 60_000, stop.signal);
    stop.abort();
    expect([signal.aborted, deadline(systemClock, 60_000, stop.signal).signal.aborted]).toEqual([true, true]);
  });

  it("releases its timer and its listener when the work ends", async () => {
    const stop = new AbortController();
    const clock = handClock();
    const { signal, end } = deadline(clock, 5, stop.signal);
    end();
    stop.abort();
    await clock.forward(20);
    expect(signal.aborted).toBe(false);
  });
});

describe("many deadlines with one stop signal", () => {
  it("share one listener, and all abort with it but those that have ended", () => {
    const stop = new AbortController();
    let listeners = 0;
    const add = stop.signal.addEventListener.bind(stop.signal);
    stop.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    const all = Array.from({ length: 20 }, () => deadline(systemClock, 60_000, stop.signal));
    for (const { end } of all.slice(0, 5)) end();
    stop.abort();
    expect(all.map(({ signal }) => signal.aborted)).toEqual(all.map((_, n) => n >= 5));
    expect(listeners).toBe(1);
  });
});

describe("the monotonic clock", () => {
  it("goes on when the wall clock is put back", () => {
    const real = Date.now;
    onTestFinished(() => {
      Date.now = real;
    });
    const before = systemClock.monotonic();
    Date.now = () => real() - 3_600_000;
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
    expect(Number.isInteger(systemClock.monotonic())).toBe(true);
  });
});

describe("a step of the machine's clock", () => {
  const HOUR_MS = 3_600_000;
  /** Both clocks of a machine; `steps` moves one of them. */
  const machine = () => {
    let [up, wall] = [0, Date.UTC(2026, 0, 1)];
    const clock = createClock(
      () => wall,
      () => up,
    );
    const begun = clock.now();
    const goesOn = (ms: number) => {
      up += ms;
      wall += ms;
    };
    const steps = (ms: number) => {
      wall += ms;
    };
    return { clock, goesOn, steps, passed: () => clock.now() - begun };
  };

  it.each([HOUR_MS, -HOUR_MS])("of %i ms that lasts for seconds is not seen", (by) => {
    const { clock, goesOn, steps, passed } = machine();
    steps(by);
    goesOn(6_000);
    expect([passed(), clock.step?.()]).toEqual([6_000, 0]);
    steps(-by);
    goesOn(120_000);
    expect([passed(), clock.step?.()]).toEqual([126_000, 0]);
  });

  it.each([HOUR_MS, -HOUR_MS])("of %i ms that lasts is told of after a minute, and counts once it is adopted", (by) => {
    const { clock, goesOn, steps, passed } = machine();
    steps(by);
    clock.now();
    goesOn(59_000);
    expect(clock.step?.()).toBe(0);
    goesOn(2_000);
    expect([passed(), clock.step?.()]).toEqual([61_000, by]);
    clock.adopt?.(by);
    goesOn(1_000);
    expect([passed(), clock.step?.()]).toEqual([62_000 + by, 0]);
  });

  it("is not what a slewed clock makes", () => {
    const { clock, goesOn, steps, passed } = machine();
    for (let n = 0; n < 100; n++) {
      steps(500);
      goesOn(1_000);
      clock.now();
    }
    expect([passed(), clock.step?.()]).toEqual([150_000, 0]);
  });

  it("is not seen where another clock is followed", () => {
    const { clock, goesOn, steps, passed } = machine();
    clock.follow?.(clock.now(), clock.now());
    steps(HOUR_MS);
    clock.now();
    goesOn(90_000);
    expect([passed(), clock.step?.()]).toEqual([90_000, 0]);
  });
});
