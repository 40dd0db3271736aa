import type { Call } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { ackOf } from "../../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { AccountId } from "../../../../src/domain/ids.ts";
import type { Permits } from "../../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../../src/gateway/sending.ts";
import { createPerform, type Perform } from "../../../../src/relay/deliver/attempt.ts";
import { createBreakers, createPaces } from "../../../../src/relay/limits/limits.ts";
import { createForeignAnswers, createGateways } from "../../../../src/relay/sessions/sessions.ts";
import { PLAIN } from "../../../support/capabilities.ts";
import { type HandClock, handClock } from "../../../support/clock.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

const account = "shop" as AccountId;
const to = (name: string, pausesWhole = false) => ({ account, name, pausesWhole });
const fails = (verdict: Verdict, fromOtherSide = false) => {
  const error = new DeliveryError(verdict, "no answer");
  error.fromOtherSide = fromOtherSide;
  throw error;
};

/** Tries a destination `times` times, and reports how often it was called. */
function trying(clock: HandClock) {
  const breakers = createBreakers(clock, silentLog);
  return async (times: number, answer: () => object, destination = to("a")) => {
    let calls = 0;
    const waits: number[] = [];
    for (let n = 0; n < times; n++) {
      const act = async () => {
        calls += 1;
        return answer();
      };
      const result = await breakers.through(destination, act).catch(() => ({}));
      if ("postponedMs" in result) waits.push(result.postponedMs);
    }
    return { calls, waits };
  };
}

describe("a breaker", () => {
  it.each<[string, Verdict]>([
    ["retry", { type: "retry" }],
    ["unsure", { type: "unsure" }],
  ])(
    "opens after ten failures in a row (%s), lets one probe through every 15 seconds, and closes with the first answer",
    async (_, verdict) => {
      const clock = handClock();
      const attempt = trying(clock);
      const dead = () => fails(verdict);
      expect((await attempt(9, dead)).calls).toBe(9);
      expect((await attempt(1, () => ({}))).calls).toBe(1);
      expect(await attempt(12, dead)).toEqual({ calls: 10, waits: [15_000, 15_034] });
      await clock.forward(14_999);
      expect((await attempt(3, dead)).calls).toBe(0);
      await clock.forward(1);
      expect((await attempt(5, dead)).calls).toBe(1);
      await clock.forward(15_000);
      expect((await attempt(5, () => ({}))).calls).toBe(5);
      expect((await attempt(9, dead)).calls).toBe(9);
    },
  );

  it.each<[string, Verdict, boolean]>([
    ["a refusal", { type: "reject", code: "general" }, false],
    ["dead credentials", { type: "reconnect" }, false],
    ["a wish to wait", { type: "retry", afterMs: 60_000 }, false],
    ["a failure of the side a file comes from", { type: "retry" }, true],
  ])("does not count %s", async (_, verdict, fromOtherSide) => {
    const attempt = trying(handClock());
    expect((await attempt(30, () => fails(verdict, fromOtherSide))).calls).toBe(30);
  });

  it("lets one probe through, not all jobs that come meanwhile", async () => {
    const clock = handClock();
    const breakers = createBreakers(clock, silentLog);
    const hang = () => pause(clock, 5_000).then(() => fails({ type: "retry" }) as object);
    const all = (times: number, act: () => Promise<object>) =>
      Promise.all(Array.from({ length: times }, () => breakers.through(to("a"), act).catch(() => ({}))));
    const opening = all(10, hang);
    await clock.forward(20_000);
    await opening;
    let calls = 0;
    const seeing = all(8, () => {
      calls += 1;
      return hang();
    });
    await clock.forward(5_000);
    await seeing;
    expect(calls).toBe(1);
  });

  it("leaves other destinations alone", async () => {
    const attempt = trying(handClock());
    await attempt(20, () => fails({ type: "retry" }));
    expect((await attempt(5, () => ({}), to("b"))).calls).toBe(5);
  });

  it("knows nothing of the last lease's failures once the account is taken again", async () => {
    const breakers = createBreakers(handClock(), silentLog);
    const other = { ...to("b"), account: "other" as AccountId };
    const attempt = (destination = to("a"), act = async (): Promise<object> => fails({ type: "retry" })) =>
      breakers.through(destination, act).catch(() => ({}));
    for (let n = 0; n < 10; n++) await Promise.all([attempt(), attempt(other)]);
    breakers.taken(account);
    expect(await attempt(to("a"), async () => ({ sent: true }))).toEqual({ sent: true });
    expect(await attempt(other)).toHaveProperty("postponedMs");
  });

  it("pauses a whole gateway for as long as it requests", async () => {
    const clock = handClock();
    const attempt = trying(clock);
    const gateway = to("gateway", true);
    expect(await attempt(3, () => fails({ type: "retry", afterMs: 60_000 }), gateway)).toEqual({
      calls: 1,
      waits: [60_000, 60_034],
    });
    await clock.forward(60_000);
    expect((await attempt(3, () => ({}), gateway)).calls).toBe(3);
  });
});

async function relaying(answer: (job: Job) => object, direct?: Perform) {
  const { clock, store, account, channel } = await oneChannel();
  const calls: Job[] = [];
  const acks: unknown[] = [];
  const breakers = createBreakers(clock, silentLog);
  const perform: Perform = async (job) => {
    if (job.task.direction === "ack") acks.push(job.task.ack);
    if (job.task.direction === "ack") return {};
    return breakers.through(to(job.direction), async () => {
      calls.push(job);
      const outcome = answer(job);
      return job.task.direction === "outbound" ? { ack: ackOf(job.task.act, {}), ...outcome } : outcome;
    });
  };
  const { worker } = await working({ store, perform: direct ?? perform, clock });
  return { clock, store, account, channel, worker, calls, acks, breakers };
}

describe("a worker whose destination is down", () => {
  it("uses few attempts, loses nothing and delivers everything soon after the recovery", async () => {
    let dead = true;
    const done = new Set<string>();
    const { clock, store, account, channel, worker, calls } = await relaying((job) => {
      if (dead) fails({ type: "retry" });
      done.add(job.key);
      return {};
    });
    const events = Array.from({ length: 40 }, (_, n) => customerSays(`m${n}`, "hello", `chat ${n}`));
    await store.outbox.acceptInbound(channel, { events });
    worker.wake(account.id);
    await clock.forward(300_000);
    // Ten and those under way with them, then four a minute, for 40 messages and five minutes.
    expect(calls.length).toBeLessThanOrEqual(20 + 20);
    dead = false;
    await clock.forward(60_000);
    expect(done.size).toBe(40);
    expect(Math.max(...calls.map((job) => job.attempts))).toBeLessThanOrEqual(10);
    expect(await store.outbox.ended(account.id, 9)).toEqual([]);
  });

  it("still tells the agent within the patience", async () => {
    const { clock, store, account, channel, worker, acks } = await relaying(() => fails({ type: "retry" }));
    for (let n = 1; n <= 30; n++) {
      const act = agentSays(String(n), "hello", `chat ${n}`);
      await store.outbox.acceptOutbound(channel, { key: `sent:${n}`, act, patienceMs: 60_000 });
    }
    worker.wake(account.id);
    await clock.forward(70_000);
    expect(acks).toHaveLength(30);
    for (const ack of acks) expect(ack).toMatchObject({ error: { code: "general" } });
  });
});

/** No limit of our own, to see the effect of the gateway's. */
const unlimited: Permits = {
  run: (_key, _priority, act) => act(() => {}),
  pauseFor: () => {},
  countEarlier: async () => {},
  isQuiet: () => true,
};

describe("a gateway that answers 429 for a minute", () => {
  it.each<[string | undefined, number]>([
    ["10", 30],
    [undefined, 6],
  ])("loses nothing, costs no attempt and resumes within 2 seconds (Retry-After: %s)", async (wish, chats) => {
    const posted: string[] = [];
    let [until, calls, attempts] = [0, 0, 0];
    let now = () => 0;
    let firstAfter: number | undefined;
    const call: Call = async ({ body }) => {
      calls += 1;
      const headers: Record<string, string> = wish ? { "retry-after": wish } : {};
      const answer = { type: "answer" as const, headers };
      if (now() < until) return { ...answer, status: 429, bytes: Buffer.from('{"errors":["Too many requests"]}') };
      firstAfter ??= now();
      posted.push(JSON.parse(String(body)).message.external_id);
      return { ...answer, status: 200, bytes: Buffer.from(JSON.stringify({ message_id: posted.length })) };
    };
    let perform: Perform = async () => ({});
    const { clock, store, account, channel, worker, breakers } = await relaying(
      () => ({}),
      (job, signal) => {
        attempts = Math.max(attempts, job.attempts);
        return perform(job, signal);
      },
    );
    now = clock.now;
    until = clock.now() + 60_000;
    perform = createPerform({
      ...{ store, clock, breakers, paces: createPaces(clock), foreignAnswers: createForeignAnswers(clock) },
      explain: createExplain(COMMON_EXPLANATIONS),
      sessions: {
        ...{ of: () => ({}), adapter: () => ({}), writingOf: () => PLAIN },
        open: () => ({ capabilities: { language: "en" } }),
      } as never,
      gatewayOf: createGateways({
        call,
        clock,
        permits: unlimited,
        renewToken: async () => undefined,
        isDone: emptyAnswers(),
      }),
    });
    const events = Array.from({ length: chats }, (_, n) => customerSays(`m${n}`, "hello", `chat ${n}`));
    await store.outbox.acceptInbound(channel, { events });
    worker.wake(account.id);
    await clock.forward(59_000);
    expect(posted).toEqual([]);
    // One or a few per wait, not every message each time.
    expect(calls).toBeLessThanOrEqual(wish ? 60 : 400);
    await clock.forward(3_000);
    expect((firstAfter ?? Number.POSITIVE_INFINITY) - until).toBeLessThanOrEqual(2_000);
    await clock.forward(30_000);
    expect(new Set(posted).size).toBe(chats);
    expect(posted).toHaveLength(chats);
    expect(attempts).toBe(1);
    expect(await store.outbox.ended(account.id, 99)).toEqual([]);
  });
});
