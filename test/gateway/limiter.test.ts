import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/domain/clock.ts";
import { createPermits } from "../../src/gateway/limiter.ts";
import { handClock } from "../support/clock.ts";
import { seeded } from "../support/random.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The highest number of arrivals in any window of `ms`. */
function most(arrivals: number[], ms: number): number {
  return Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + ms).length));
}

const random = seeded(3).next;

describe("the permits of a token", () => {
  it("allow at most thirty arrivals in any second, whatever the network does", async () => {
    const permits = createPermits(systemClock);
    const arrivals: number[] = [];
    const call = async () => {
      await pause(random() * 40);
      arrivals.push(performance.now());
      await pause(random() * 40);
    };
    await Promise.all(Array.from({ length: 75 }, () => permits.run("token", "message", call)));
    expect(arrivals).toHaveLength(75);
    expect(most(arrivals, 1_000)).toBeLessThanOrEqual(30);
  });

  it("are not shared between tokens", async () => {
    // A clock that stands: a permit that is out never comes back.
    const permits = createPermits(handClock());
    const all = ["a", "b", "c"].flatMap((token) =>
      Array.from({ length: 30 }, () => permits.run(token, "message", async () => {})),
    );
    expect(await Promise.all(all)).toHaveLength(90);
  });

  it("count the recent calls of the previous process, and no more", async () => {
    const permits = createPermits(systemClock, undefined, 3);
    permits.recall("token", { recent: 2, ms: 300, unanswered: 0, inFlight: 0, ago: 0 });
    const began = performance.now();
    const call = () => permits.run("token", "message", async () => performance.now() - began);
    const [first = 0, ...others] = await Promise.all([call(), call(), call()]);
    expect(first).toBeLessThan(Math.min(...others));
    expect(Math.min(...others)).toBeGreaterThanOrEqual(290);
  });

  it("go to bulk work last", async () => {
    const permits = createPermits(systemClock, undefined, 1);
    const order: string[] = [];
    const add = (name: string, priority: "message" | "bulk") =>
      permits.run("token", priority, async () => void order.push(name));
    await Promise.all([add("first", "message"), add("bulk", "bulk"), add("message", "message"), add("ack", "message")]);
    expect(order).toEqual(["first", "message", "ack", "bulk"]);
  });

  it("release a paused request whose caller aborts", async () => {
    const permits = createPermits(systemClock);
    permits.pauseFor("token", 60_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    let ran = false;
    const run = permits.run("token", "message", async () => (ran = true), stop.signal);
    await expect(run).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(ran).toBe(false);
  });

  it("pause after a 429", async () => {
    const permits = createPermits(systemClock);
    permits.pauseFor("token", 300);
    const began = performance.now();
    await permits.run("token", "message", async () => {});
    expect(performance.now() - began).toBeGreaterThan(280);
  });
});
