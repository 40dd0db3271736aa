import { describe, expect, it } from "vitest";
import { createLoop } from "../../../src/domain/loop.ts";
import { handClock } from "../../support/clock.ts";

/** A loop of a second whose rounds end when the test says so. */
function setUp({ waitsFirst = false } = {}) {
  const clock = handClock();
  const failures: unknown[] = [];
  const rounds: { stop: AbortSignal; end: () => void; fail: (error: Error) => void }[] = [];
  const round = (stop: AbortSignal) =>
    new Promise<void>((resolve, reject) => void rounds.push({ stop, end: resolve, fail: reject }));
  const loop = createLoop({ clock, everyMs: 1_000, waitsFirst, round, failed: (error) => failures.push(error) });
  return { clock, failures, rounds, loop };
}

describe("a loop", () => {
  it("starts a round only after the last has ended and the interval has passed", async () => {
    const { clock, rounds, loop } = setUp();
    void loop.start();
    await clock.forward(10_000);
    expect(rounds).toHaveLength(1);
    rounds[0]?.end();
    await clock.forward(999);
    expect(rounds).toHaveLength(1);
    await clock.forward(1);
    expect(rounds).toHaveLength(2);
  });

  it("goes on after a failed round, and reports it", async () => {
    const { clock, failures, rounds, loop } = setUp();
    const started = loop.start();
    const error = new Error("no luck");
    rounds[0]?.fail(error);
    await started;
    await clock.forward(1_000);
    expect([failures, rounds.length]).toEqual([[error], 2]);
  });

  it("stops: it aborts the current round, waits for it, and starts no other", async () => {
    const { clock, rounds, loop } = setUp();
    void loop.start();
    let hasStopped = false;
    const stopped = loop.stop().then(() => {
      hasStopped = true;
    });
    await clock.forward(0);
    expect([rounds[0]?.stop.aborted, hasStopped]).toEqual([true, false]);
    rounds[0]?.end();
    await stopped;
    await clock.forward(10_000);
    expect(rounds).toHaveLength(1);
  });

  it("stops between rounds, and cannot be restarted", async () => {
    const { clock, rounds, loop } = setUp();
    const started = loop.start();
    rounds[0]?.end();
    await started;
    await loop.stop();
    await loop.start();
    await clock.forward(10_000);
    expect(rounds).toHaveLength(1);
  });

  it("delays its first round if asked to", async () => {
    const { clock, rounds, loop } = setUp({ waitsFirst: true });
    await loop.start();
    await clock.forward(999);
    expect(rounds).toHaveLength(0);
    await clock.forward(1);
    expect(rounds).toHaveLength(1);
  });
});
