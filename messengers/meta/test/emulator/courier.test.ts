import { createClock } from "gangway-messenger/kit/emulator/clock";
import { createJournal } from "gangway-messenger/kit/emulator/journal";
import { createSwitches } from "gangway-messenger/kit/emulator/switches";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCourier } from "../../emulator/courier.ts";
import { createMetaFaults } from "../../emulator/faults.ts";
import { courierSwitches } from "../../emulator/switches.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A courier whose module answers with the next of `statuses`, the last one forever; time moves by hand. */
function stage(statuses: number[], settings: object = {}) {
  const base = Date.now();
  const clock = createClock(() => base);
  const switches = createSwitches(courierSwitches, settings);
  const faults = createMetaFaults(clock.now, () => 0.5);
  const arrived: { at: number; body: string; signature: string | null }[] = [];
  const courier = createCourier({
    object: "page",
    clock,
    random: () => 0.5,
    faults,
    journal: createJournal(),
    switches: switches.values,
    signature: () => switches.values().signature ?? "raw",
    async deliver(request) {
      const signature = request.headers.get("x-hub-signature-256");
      arrived.push({ at: clock.now() - base, body: await request.text(), signature });
      return new Response(null, { status: statuses.length > 1 ? statuses.shift() : statuses[0] });
    },
  });
  onTestFinished(() => {
    courier.stop();
    clock.stop();
  });
  const live = { is: true };
  const to = { url: "http://module.example/hook", secret: () => "quay-secret", isLive: () => live.is };
  const jump = async (ms: number, step = ms) => {
    for (let moved = 0; moved < ms; moved += step) {
      clock.jump(step);
      for (let n = 0; n < 20; n++) await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const post = (id: string) => courier.post(to, { id, time: 1 });
  const ids = () => arrived.map(({ body }) => JSON.parse(body).entry.map((entry: { id: string }) => entry.id));
  return { courier, arrived, faults, live, jump, post, ids };
}

describe("the courier of Meta's webhooks", () => {
  it("signs the bytes, or their escaped form, and escapes the body if told to", async () => {
    const raw = stage([200]);
    await raw.post("ñ");
    const escaped = stage([200], { signature: "escaped" });
    await escaped.post("ñ");
    const both = stage([200], { body: "escaped" });
    await both.post("ñ");
    expect(raw.arrived[0]?.body).toBe(escaped.arrived[0]?.body);
    expect(raw.arrived[0]?.signature).not.toBe(escaped.arrived[0]?.signature);
    expect(both.arrived[0]?.body).toContain("\\u00f1");
    expect(both.arrived[0]?.signature).toBe(escaped.arrived[0]?.signature);
  });

  it("repeats what was not answered 200, with growing pauses, for seven days", async () => {
    const { arrived, jump, post, courier } = stage([500, 302, 201, 404]);
    await post("1");
    await jump(8 * DAY, HOUR / 8);
    const pauses = arrived.slice(1).map(({ at }, n) => at - (arrived[n]?.at ?? 0));
    expect(arrived.length).toBeGreaterThan(100);
    expect(Math.max(...pauses)).toBeGreaterThanOrEqual(HOUR);
    expect(pauses.every((pause, n) => n === 0 || pause >= (pauses[n - 1] ?? 0) - HOUR / 8)).toBe(true);
    expect(arrived.at(-1)?.at).toBeGreaterThan(6 * DAY);
    expect(arrived.at(-1)?.at).toBeLessThanOrEqual(7 * DAY);
    expect(courier.waiting()).toBe(0);
  });

  it("stops at 200, and when the subscription ends", async () => {
    const taken = stage([500, 200]);
    await taken.post("1");
    await taken.jump(10_000, 1_000);
    expect(taken.arrived).toHaveLength(2);
    const ended = stage([500]);
    await ended.post("1");
    ended.live.is = false;
    await ended.jump(10_000, 1_000);
    expect(ended.arrived).toHaveLength(1);
  });

  it("gathers entries into one body, up to a number", async () => {
    const { ids, post, jump } = stage([200], { batchMs: 1_000, batchEntries: 2 });
    const all = ["1", "2", "3"].map(post);
    await jump(1_000);
    await Promise.all(all);
    expect(ids()).toEqual([["1", "2"], ["3"]]);
  });

  it("brings duplicates, and out of order, when told to", async () => {
    const twice = stage([200], { duplicates: 1 });
    await twice.post("1");
    await twice.jump(1_000);
    expect(twice.ids().slice(0, 2)).toEqual([["1"], ["1"]]);
    const late = stage([200], { disorder: 1 });
    await late.post("1");
    expect(late.ids()).toEqual([]);
    await late.jump(1_000);
    expect(late.ids()).toEqual([["1"]]);
  });

  it("loses an answer by a planned fault, and sends again", async () => {
    const { ids, faults, post, jump } = stage([200]);
    faults.plan({ operation: "webhook", drop: "after" });
    await post("1");
    await jump(1_000);
    expect(ids()).toEqual([["1"], ["1"]]);
  });
});
