import { createHmac, randomBytes } from "node:crypto";
import type { CallRequest, CallResult } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { createEventSender } from "../../../../src/module/vendor/events.ts";
import { handClock } from "../../../support/clock.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../../support/engines.ts";
import { silentLog } from "../../../support/log.ts";

const HOUR_MS = 3_600_000;
const answer = (status: number): CallResult => ({ type: "answer", status, headers: {}, bytes: Buffer.alloc(0) });

/** A receiver that answers as it is told, 200 by default, and what it was sent. */
async function sending(engine: TestedEngine, ...troubles: (string | undefined)[]) {
  const made = await oneChannelOn(engine, { clock: handClock(Date.now()) });
  const { store, channel, clock } = made;
  await store.vendorEvents.listen(true);
  for (const trouble of troubles) await store.channels.setTrouble(channel.id, trouble);
  const key = randomBytes(32);
  const got: CallRequest[] = [];
  const answers: (CallResult | Promise<CallResult>)[] = [];
  const lines: { level: string; event: string; error?: unknown; pauseMs?: unknown }[] = [];
  const note =
    (level: string) =>
    (event: string, fields: object = {}) =>
      void lines.push({ level, event, ...fields });
  const log = { ...silentLog, warn: note("warn"), error: note("error") };
  const call = async (request: CallRequest) => {
    got.push(request);
    return answers.shift() ?? answer(200);
  };
  const to = { url: "https://vendor.example/events?to=us", key };
  const start = () => createEventSender({ store, to, call, clock, log, random: () => 1 });
  const loop = start();
  void loop.start();
  const ids = () => got.map(({ headers }) => headers?.["webhook-id"]);
  return { ...made, key, got, answers, lines, loop, start, ids, events: store.vendorEvents };
}

describe.each(ENGINES)("the sender of events on $name", (engine) => {
  it("signs each as Standard Webhooks has it, one after the other, to the receiver alone", async () => {
    const { clock, got, key, events, loop } = await sending(engine, "one", undefined);
    await clock.forward(2_000);
    await loop.stop();
    expect(got.map(({ body }) => JSON.parse(String(body)).type)).toEqual(["channel.troubled", "channel.recovered"]);
    for (const { headers = {}, body, url, method, timeoutMs } of got) {
      expect([method, url, timeoutMs <= 10_000]).toEqual(["POST", "https://vendor.example/events?to=us", true]);
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = headers;
      const signed = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
      expect(signature).toBe(`v1,${signed}`);
      expect(Math.abs(Number(at) * 1000 - clock.now())).toBeLessThan(10_000);
    }
    expect((await events.list(9)).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  it("repeats what got no 2xx with the same id and body before anything after it leaves", async () => {
    const { clock, got, answers, ids, loop, lines } = await sending(engine, "one", undefined);
    answers.push(answer(500), answer(302), {
      type: "failure",
      sent: "perhaps",
      reason: "timeout",
      detail: "vendor.example",
    });
    await clock.forward(20_000);
    await loop.stop();
    const [first, second] = [ids()[0], ids().at(-1)];
    expect(ids()).toEqual([first, first, first, first, second]);
    expect(new Set(got.slice(0, 4).map(({ body }) => body)).size).toBe(1);
    const failed = lines.filter(({ event }) => event === "event.not-delivered");
    expect(failed.map(({ error, pauseMs }) => [error, pauseMs])).toEqual([
      ["answered 500", 1_000],
      ["answered 302", 2_000],
      ["timeout: vendor.example", 4_000],
    ]);
  });

  it("goes on after a stop in the middle of a call where it was", async () => {
    const { clock, answers, ids, loop, start, events } = await sending(engine, "one");
    let settle = (_: CallResult) => {};
    answers.push(new Promise((resolve) => (settle = resolve)));
    await clock.forward(1);
    const stopped = loop.stop();
    settle({ type: "failure", sent: "perhaps", reason: "aborted", detail: "" });
    await stopped;
    expect((await events.list(9)).map(({ state, attempts }) => [state, attempts])).toEqual([["due", 0]]);
    const again = start();
    void again.start();
    await clock.forward(1);
    await again.stop();
    expect(new Set(ids()).size).toBe(1);
    expect((await events.list(9)).map(({ state }) => state)).toEqual(["delivered"]);
  });

  it("gives up what the receiver has gone for at once, and the rest after three days, and says so", async () => {
    const { clock, answers, loop, events, lines } = await sending(engine, "one", undefined);
    answers.push(answer(410), ...Array.from({ length: 2_000 }, () => answer(503)));
    await clock.forward(3_000);
    expect((await events.list(9)).map(({ state }) => state)).toEqual(["due", "given up"]);
    clock.leap(73 * HOUR_MS);
    await clock.forward(60_000);
    await loop.stop();
    expect((await events.list(9)).map(({ state, error }) => [state, error])).toEqual([
      ["given up", "answered 503"],
      ["given up", "answered 410"],
    ]);
    expect(lines.filter(({ event, level }) => event === "event.given-up" && level === "error")).toHaveLength(2);
  });

  it("tries three times what was written more than three days ago: its receiver may just be starting", async () => {
    const { clock, store, channel, answers, loop, events } = await sending(engine);
    await store.channels.setTrouble(channel.id, "one");
    clock.leap(80 * HOUR_MS);
    answers.push(...Array.from({ length: 9 }, () => answer(503)));
    await clock.forward(60_000);
    await loop.stop();
    expect((await events.list(9)).map(({ state, attempts }) => [state, attempts])).toEqual([["given up", 3]]);
  });

  it("wants nothing but the status", async () => {
    const { clock, got, loop } = await sending(engine, "one");
    await clock.forward(1_000);
    await loop.stop();
    expect(got).toMatchObject([{ statusOnly: true }]);
  });
});
