import { expect, it } from "vitest";
import { Gate, MAX_HELD_MS } from "../../../src/gateway/limiter.ts";
import { handClock } from "../../support/clock.ts";

it("a hand-over with more unanswered calls than permits lets a probe leave when the oldest can arrive no more", async () => {
  const clock = handClock();
  const gate = new Gate(clock, 30, () => {});
  const oldest = clock.now() - MAX_HELD_MS + 1_000;
  gate.replaceSpent(
    Array.from({ length: 45 }, (_, n) => oldest + n * 10_000),
    [],
  );
  expect(gate.opensAt()).toBe(Number.POSITIVE_INFINITY);
  await clock.forward(2_000);
  expect(gate.opensAt()).toBeLessThanOrEqual(clock.monotonic());
});
