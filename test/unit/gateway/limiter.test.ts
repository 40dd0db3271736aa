import { type Clock, createClock, deadline, pause } from "gangway-messenger/clock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPermits, MAX_HELD_MS } from "../../../src/gateway/limiter.ts";
import { handClock } from "../../support/clock.ts";
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

/** The highest number of arrivals in any window of `ms`. */
function most(arrivals: number[], ms: number): number {
  return Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + ms).length));
}

const random = seeded(3).next;

describe("the permits of a token", () => {
  it("allow at most thirty arrivals in any second, whatever the network does", async () => {
    const permits = createPermits(clock);
    const arrivals: number[] = [];
    const call = async () => {
      await pause(clock, random() * 40);
      arrivals.push(performance.now());
      await pause(clock, random() * 40);
    };
    const all = Promise.all(Array.from({ length: 75 }, () => permits.run("token", "message", call)));
    await forward(3_000);
    await all;
    expect(arrivals).toHaveLength(75);
    expect(most(arrivals, 1_000)).toBe(30);
  });

  it("are not shared between tokens", async () => {
    // A clock that stands: a permit that is out never comes back.
    const permits = createPermits(handClock());
    const all = ["a", "b", "c"].flatMap((token) =>
      Array.from({ length: 30 }, () => permits.run(token, "message", async () => {})),
    );
    await forward(1_000);
    expect(await Promise.all(all)).toHaveLength(90);
  });

  it("have nobody waiting once whoever waited has given up, and serve those after them", async () => {
    const permits = createPermits(clock, undefined, 1);
    const unanswered = permits.run("token", "message", async (ended) => ended("unanswered"));
    const { signal, abort } = deadline(clock, 3_600_000);
    const waiting = permits.run("token", "message", async () => {}, signal);
    waiting.catch(() => undefined);
    await unanswered;
    expect(permits.isQuiet("token")).toBe(false);
    abort("the account is given away");
    await expect(waiting).rejects.toThrow("no permit in time");
    expect(permits.isQuiet("token")).toBe(true);
    let isServed = false;
    const next = permits.run("token", "message", async () => {
      isServed = true;
    });
    await forward(MAX_HELD_MS + 500);
    await next;
    expect([isServed, permits.isQuiet("token")]).toEqual([true, false]);
    await forward(2_000);
    expect(permits.isQuiet("token")).toBe(true);
  });

  it("count the recent calls of the previous process, and no more", async () => {
    const permits = createPermits(clock, undefined, 3);
    permits.countEarlier("token", { recent: 2, ms: 300, unanswered: [], inFlight: [] });
    const began = performance.now();
    const call = () => permits.run("token", "message", async () => performance.now() - began);
    const all = Promise.all([call(), call(), call()]);
    await forward(2_000);
    const [first, ...others] = await all;
    expect(first).toBe(0);
    // Of the test's clock.
    for (const later of others) expect(later).toBeGreaterThanOrEqual(300);
    for (const later of others) expect(later).toBeLessThan(400);
  });

  it("go to bulk work last", async () => {
    const permits = createPermits(clock, undefined, 1);
    const order: string[] = [];
    const add = (name: string, priority: "message" | "bulk") =>
      permits.run("token", priority, async () => void order.push(name));
    const all = [add("first", "message"), add("bulk", "bulk"), add("message", "message"), add("ack", "message")];
    await forward(5_000);
    await Promise.all(all);
    expect(order).toEqual(["first", "message", "ack", "bulk"]);
  });

  it("release a paused request whose caller aborts", async () => {
    const permits = createPermits(clock);
    permits.pauseFor("token", 60_000);
    const stop = new AbortController();
    let ran = false;
    const run = permits.run("token", "message", async () => (ran = true), stop.signal);
    const released = expect(run).rejects.toMatchObject({ verdict: { type: "retry" } });
    await forward(50);
    stop.abort();
    await released;
    expect(ran).toBe(false);
  });

  it("pause after a 429", async () => {
    const permits = createPermits(clock);
    permits.pauseFor("token", 300);
    const began = performance.now();
    const run = permits.run("token", "message", async () => performance.now() - began);
    await forward(300);
    expect(await run).toBe(300);
  });
});
