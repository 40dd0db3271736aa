import { type Clock, createClock, pause } from "gangway-messenger/clock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPermits, type Permits } from "../../../src/gateway/limiter.ts";
import { LONG } from "../../support/long.ts";
import { seeded } from "../../support/random.ts";

let clock: Clock;
// Bottleneck uses real timers, so fake all timers. The system's clock is that of other test files, too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  clock = createClock(Date.now);
});
afterEach(() => {
  vi.useRealTimers();
});
const forward = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const SECOND = 1_000;
/** The caller's timeout, and the gateway's answer time, ms. */
const TIMEOUT_MS = 30 * SECOND;
const ANSWER_MS = 5;

/** A gateway behind a proxy that holds requests from `from` to `to` and then forwards them, even abandoned ones. */
function proxied() {
  const arrivals: number[] = [];
  let stall = { from: Number.POSITIVE_INFINITY, to: 0 };
  return {
    arrivals,
    stallFor(ms: number) {
      stall = { from: clock.monotonic(), to: clock.monotonic() + ms };
    },
    /** Resolves with whether the answer came in time. */
    async call(): Promise<boolean> {
      const now = clock.monotonic();
      const held = now >= stall.from && now < stall.to ? stall.to - now : 0;
      clock.after(held, () => arrivals.push(clock.monotonic()));
      await pause(clock, Math.min(held + ANSWER_MS, TIMEOUT_MS));
      return held + ANSWER_MS < TIMEOUT_MS;
    },
  };
}

/** Successive processes of a server that call as fast as they may, `callers` at a time. */
function lives(call: () => Promise<boolean>, callers: number) {
  let kept: number[] = [];
  let life = { alive: false };
  const called: number[] = [];
  const begin = async () => {
    const mine = { alive: true };
    const keep = async (_: string, startedAt: number[]) => {
      if (mine.alive) kept = startedAt;
    };
    const mortal: Clock = { ...clock, after: (ms, run) => clock.after(ms, () => mine.alive && run()) };
    const permits = createPermits(mortal, keep);
    life = mine;
    const recent = called.filter((at) => at > clock.monotonic() - 1_500).length;
    // Jobs are claimed before they have a permit: all were under way when the last process died.
    const inFlight = Array(callers * 2).fill(clock.now());
    await permits.countEarlier("t", { recent, ms: 1_500, unanswered: kept, inFlight });
    for (let n = 0; n < callers; n++) void again(permits, mine);
  };
  const again = async (permits: Permits, mine: { alive: boolean }) => {
    while (mine.alive)
      await permits.run("t", "message", async (ended) => {
        if (!mine.alive) return;
        called.push(clock.monotonic());
        ended((await call()) ? "answered" : "unanswered");
      });
  };
  const end = () => {
    life.alive = false;
  };
  return { begin, end };
}

/** The highest number of arrivals in any one-second window. */
function worst(arrivals: number[]): number {
  const sorted = [...arrivals].sort((a, b) => a - b);
  let from = 0;
  return Math.max(
    0,
    ...sorted.map((at, n) => {
      while ((sorted[from] ?? 0) <= at - SECOND) from += 1;
      return n - from + 1;
    }),
  );
}

describe("a proxy that holds requests and forwards them later", () => {
  // Shorter than the timeout, longer, and much longer, with fewer callers than permits and with more.
  const some = [
    [3, 40],
    [33, 7],
    [300, 40],
  ] as const;
  const all = [1, 3, 33, 66, 300].flatMap((seconds) => [7, 40].map((callers) => [seconds, callers] as const));
  it.each(LONG ? all : some)(
    "never lets more than thirty calls arrive in a second: after %i s, with %i callers",
    async (seconds, callers) => {
      const gateway = proxied();
      const { begin, end } = lives(gateway.call, callers);
      await begin();
      await forward(5 * SECOND);
      gateway.stallFor(seconds * SECOND);
      await forward(seconds * SECOND);
      const before = gateway.arrivals.length;
      await forward(70 * SECOND);
      expect(worst(gateway.arrivals)).toBeLessThanOrEqual(30);
      // Everything resumes within one probe gap.
      await forward(5 * SECOND);
      const last = gateway.arrivals.filter((at) => at >= clock.monotonic() - 5 * SECOND).length;
      expect(last).toBeGreaterThanOrEqual(26 * 5);
      expect(gateway.arrivals.length).toBeGreaterThan(before);
      end();
    },
  );

  it.each(LONG ? [2, 3, 5] : [2])(
    "nor when the server ends again and again meanwhile, at every age (seed %i)",
    async (seed) => {
      const { next } = seeded(seed);
      const gateway = proxied();
      const { begin, end } = lives(gateway.call, 7);
      await begin();
      await forward(3 * SECOND);
      for (const seconds of [5, 40, 300]) {
        gateway.stallFor(seconds * SECOND);
        const until = clock.monotonic() + (seconds + 20) * SECOND;
        while (clock.monotonic() < until) {
          // 20 ms to a minute, evenly on a log scale.
          await forward(Math.round(20 * 3_000 ** next()));
          end();
          await forward(300);
          await begin();
        }
      }
      expect(worst(gateway.arrivals)).toBeLessThanOrEqual(30);
      end();
    },
  );
});

describe("calls that get no answer", () => {
  const never = new Promise<never>(() => {});

  it("are at most twenty; the other ten permits are probes at growing intervals, and never used twice", async () => {
    const permits = createPermits(clock);
    const starts: number[] = [];
    const began = clock.monotonic();
    for (let n = 0; n < 60; n++)
      void permits.run("t", "message", async () => {
        starts.push(clock.monotonic() - began);
        return never;
      });
    await forward(9 * 60 * SECOND);
    expect(starts.slice(0, 20)).toEqual(Array(20).fill(0));
    const gaps = starts.slice(20).map((at, n) => (at - (starts[n + 19] ?? 0)) / SECOND);
    // The queue's timers take some milliseconds.
    expect(gaps.map(Math.floor)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
  });

  it("hold their permits until one window after the gateway answers a later call", async () => {
    const permits = createPermits(clock, undefined, 3);
    const started: string[] = [];
    const run = (name: string, how: "answered" | "intercepted" | "unanswered", ms = 0) =>
      permits.run("t", "message", async (ended) => {
        started.push(name);
        await pause(clock, ms);
        ended(how);
      });
    const all = [run("slow", "answered", 3 * SECOND), run("lost", "unanswered", 10)];
    await forward(2 * SECOND);
    all.push(run("page", "intercepted"));
    await forward(900);
    all.push(run("next", "answered"), run("last", "answered"));
    await forward(50);
    // Of three permits one is spent, one in flight, and one cooling after the proxy's page.
    expect(started).toEqual(["slow", "lost", "page"]);
    await forward(200);
    // The slow call started before the lost one, so its answer proves nothing about it.
    expect(started).toEqual(["slow", "lost", "page", "next"]);
    await forward(1_100);
    all.push(...["a", "b", "c"].map((name) => run(name, "answered")));
    await forward(50);
    // Two were answered a moment ago.
    expect(started).toEqual(["slow", "lost", "page", "next", "last", "a", "b"]);
    await forward(1_100);
    expect(started).toHaveLength(8);
    await Promise.all(all);
  });

  it("are saved before a probe leaves, so that no process forgets it", async () => {
    const told: number[] = [];
    let kept = () => {};
    const keep = (_: string, startedAt: number[]) => {
      told.push(startedAt.length);
      return new Promise<void>((resolve) => {
        kept = resolve;
      });
    };
    const permits = createPermits(clock, keep, 3);
    let probes = 0;
    for (let n = 0; n < 2; n++) void permits.run("t", "message", () => never);
    void permits.run("t", "message", async () => {
      probes += 1;
      return never;
    });
    await forward(2 * SECOND);
    expect([told, probes]).toEqual([[3], 0]);
    kept();
    await forward(0);
    expect(probes).toBe(1);
  });

  it("are saved with the next change after a save that failed", async () => {
    const kept: number[][] = [];
    let isAway = true;
    const keep = async (_: string, startedAt: number[]) => {
      if (isAway) throw new Error("the database is away");
      kept.push(startedAt);
    };
    const permits = createPermits(clock, keep);
    await permits.run("t", "message", async (ended) => ended("unanswered"));
    await forward(SECOND);
    isAway = false;
    await permits.run("t", "message", async (ended) => ended("intercepted"));
    await forward(SECOND);
    expect(kept).toEqual([[expect.any(Number)]]);
  });

  it("do not keep a probe from being aborted while they cannot be saved", async () => {
    const permits = createPermits(clock, () => new Promise(() => {}), 3);
    for (let n = 0; n < 2; n++) void permits.run("t", "message", () => never);
    const stop = new AbortController();
    const probe = permits.run("t", "message", () => never, stop.signal).catch((error) => error.message);
    await forward(2 * SECOND);
    stop.abort();
    expect(await probe).toContain("no permit");
  });
});
