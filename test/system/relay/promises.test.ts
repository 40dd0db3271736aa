import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { type Job, retryDelayMs } from "../../../src/domain/delivery.ts";
import { onPostgres } from "../../support/engine.ts";
import { customerSays } from "../../support/events.ts";
import { answer, type Posted, recordingGateway } from "../../support/gateway.ts";
import { relayLives } from "../../support/lives.ts";
import { LONG } from "../../support/long.ts";
import { seeded } from "../../support/random.ts";
import { bottles } from "../contract/toy/bottles.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Messages of several chats: m<chat>.<number>, in order of writing. */
const crowd = (chats: number, each: number) =>
  Array.from({ length: chats * each }, (_, n) =>
    customerSays(`m${n % chats}.${Math.floor(n / chats)}`, "", `c${n % chats}`),
  );
const messages = (posted: Posted[]) => posted.filter(({ externalId }) => externalId);
const chatOf = (taken: Posted[], chat: number) =>
  messages(taken).flatMap(({ externalId }) =>
    externalId?.startsWith(`m${chat}.`) ? [Number(externalId.split(".")[1])] : [],
  );
const upTo = (most: number) => Array.from({ length: most }, (_, n) => n);

/** The highest number within any second. */
function busiest(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((from, n) => sorted.slice(n).filter((at) => at < from + SECOND).length));
}

describe("a gateway that answers 429 for a minute", () => {
  it.each([
    ["with a wish to wait", 1],
    ["without one", undefined],
  ])("loses nothing, costs no attempt and is served again within two seconds: %s", async (_, retryAfter) => {
    let end = 0;
    const gateway = recordingGateway((now) => (now < end ? { status: 429, retryAfter } : undefined));
    const { clock, channel, store, begin, wake, agentSays, attempts } = await relayLives({
      adapter: bottles,
      call: gateway.call,
    });
    await begin();
    end = clock.now() + MINUTE;
    await store().outbox.acceptInbound(channel, { events: crowd(10, 3) });
    for (const id of ["1", "2", "3"]) await agentSays(id, "ahoy", `agent-${id}`);
    wake();
    await clock.forward(MINUTE + 10 * SECOND);
    const first = Math.min(...gateway.taken.map(({ at }) => at));
    expect(first - end).toBeLessThanOrEqual(2 * SECOND);
    expect([messages(gateway.taken).length, gateway.taken.length]).toEqual([30, 33]);
    for (const chat of upTo(10)) expect(chatOf(gateway.taken, chat)).toEqual([0, 1, 2]);
    expect(attempts.filter(({ verdict }) => verdict === "retry").length).toBeGreaterThan(30);
    expect(new Set(attempts.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });
});

describe("a gateway that routes a path wrongly for five seconds", () => {
  it("costs no message and no ack, although its 404 has the contract's shape", async () => {
    let end = 0;
    const wrong = { status: 404, body: { errors: ["Not found"] } };
    const gateway = recordingGateway((now) => (now < end ? wrong : undefined));
    const { clock, channel, store, begin, wake, account, agentSays } = await relayLives({
      adapter: bottles,
      call: gateway.call,
    });
    await begin();
    end = clock.now() + 5 * SECOND;
    await store().outbox.acceptInbound(channel, { events: crowd(10, 3) });
    for (const id of ["1", "2", "3"]) await agentSays(id, "ahoy", `agent-${id}`);
    wake();
    await clock.forward(MINUTE);
    expect(gateway.requests.length).toBeGreaterThan(33);
    expect(await store().outbox.ended(account.id, 99)).toEqual([]);
    expect([messages(gateway.taken).length, gateway.taken.length]).toEqual([30, 33]);
    expect(gateway.taken.flatMap(({ body }) => body.error ?? [])).toEqual([]);
  });
});

/** A day takes long; `npm run test:long` plays it on SQLite. */
const AWAY_HOURS = LONG && !onPostgres ? 24 : 6;
describe("a gateway that is away for hours", () => {
  it("gets everything afterwards, in order and without a burst; no message is tried more than 250 times a day", async () => {
    let end = 0;
    const gateway = recordingGateway((now) => (now < end ? "refused" : undefined));
    const { clock, channel, store, begin, wake, account, attempts } = await relayLives({
      adapter: bottles,
      call: gateway.call,
    });
    await begin();
    end = clock.now() + AWAY_HOURS * HOUR;
    const [chats, each] = [4, 50];
    await store().outbox.acceptInbound(channel, { events: crowd(chats, each) });
    wake();
    await clock.forward(AWAY_HOURS * HOUR);
    expect(gateway.requests).toEqual([]);
    await clock.forward(11 * MINUTE);
    expect(await store().outbox.ended(account.id, 99)).toEqual([]);
    for (const chat of upTo(chats)) expect(chatOf(gateway.taken, chat)).toEqual(upTo(each));
    const tries = new Map<number, number>();
    for (const { job } of attempts) tries.set(job, (tries.get(job) ?? 0) + 1);
    expect(Math.max(...tries.values())).toBeLessThanOrEqual(10 + AWAY_HOURS * 10);
    expect(Math.max(...tries.values())).toBeGreaterThan((150 * AWAY_HOURS) / 24);
    expect(busiest(gateway.requests.map(({ at }) => at))).toBeLessThanOrEqual(30);
  });
});

describe("a message that crashes the process each time", () => {
  /** A gateway that is slow with some messages. */
  const slowly =
    (inner: (clock: Clock) => Call) =>
    (clock: Clock): Call => {
      const call = inner(clock);
      return async (request) => {
        if (String(request.body).includes('"slow')) await pause(clock, 40 * SECOND);
        return call(request);
      };
    };

  it("is parked after the fifth crash; its chat goes on within a minute, and the others lose nothing", async () => {
    const gateway = recordingGateway();
    const crashes: number[] = [];
    let down = false;
    const fault = async ({ task }: Job) => {
      if (task.direction !== "inbound" || task.event.key !== "poison") return;
      down = true;
      await new Promise(() => {});
    };
    const { clock, channel, store, begin, crash, wake, account } = await relayLives({
      adapter: bottles,
      call: slowly(gateway.call),
      fault,
    });
    await begin();
    // Under way at each crash: slow messages must not be taken for fatal ones.
    const events = [
      customerSays("poison"),
      customerSays("next"),
      customerSays("slow1", "", "s1"),
      customerSays("slow2", "", "s2"),
      ...crowd(4, 3),
    ];
    await store().outbox.acceptInbound(channel, { events });
    wake();
    for (let waited = 0; waited < 5 * MINUTE; waited += 250) {
      await clock.forward(250);
      if (!down) continue;
      down = false;
      crashes.push(clock.now());
      await crash();
      await begin();
    }
    expect(crashes).toHaveLength(5);
    const next = gateway.taken.find(({ externalId }) => externalId === "next");
    expect((next?.at ?? Number.POSITIVE_INFINITY) - (crashes.at(-1) ?? 0)).toBeLessThanOrEqual(MINUTE);
    expect(await store().outbox.ended(account.id, 99)).toMatchObject([
      { state: "dead", error: expect.stringContaining("crashed each time") },
    ]);
    const ids = messages(gateway.taken).map(({ externalId }) => externalId);
    expect(ids.sort()).toEqual(events.flatMap(({ key }) => (key === "poison" ? [] : [key])).sort());
  });

  const LIVES = LONG && !onPostgres ? 60 : 20;
  /** Age of the process when it is killed, ms: 20 ms to a minute, log-uniform. */
  const age = (random: number) => Math.round(20 * 3_000 ** random);
  const NEVER = new Promise<never>(() => {});
  const peers: [string, (inner: Call, clock: Clock) => Call][] = [
    ["hangs", () => () => NEVER],
    ["answers after a minute", (inner, clock) => async (request) => pause(clock, MINUTE).then(() => inner(request))],
    ["has had its calls of this second", () => async () => answer(429, { errors: ["Too many requests"] })],
    ["does not know the token, and the CRM hangs", () => async () => answer(401, { errors: ["Unauthorized"] })],
  ];
  it.each(peers)(
    "is not confused with messages merely under way when the process is killed while the gateway %s",
    async (_, behave) => {
      const gateway = recordingGateway();
      const random = seeded(11).next;
      let well = false;
      const { clock, channel, store, begin, crash, wake, account } = await relayLives({
        adapter: bottles,
        call: (clock) => {
          const ill = behave(gateway.call(clock), clock);
          return (request) => (well ? gateway.call(clock)(request) : ill(request));
        },
        renewToken: () => (well ? Promise.resolve(undefined) : NEVER),
      });
      await begin();
      const events = crowd(12, 2);
      await store().outbox.acceptInbound(channel, { events });
      wake();
      for (let life = 0; life < LIVES; life++) {
        await clock.forward(age(random()));
        await crash();
        await begin();
      }
      well = true;
      await clock.forward(15 * MINUTE);
      expect(await store().outbox.ended(account.id, 99)).toEqual([]);
      expect(new Set(messages(gateway.taken).map(({ externalId }) => externalId)).size).toBe(events.length);
    },
  );
});

describe("the retry schedule", () => {
  const random = seeded(5).next;
  const delays = (attempt: number) => Array.from({ length: 2_000 }, () => retryDelayMs(attempt, random()));
  const mean = (all: number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

  it.each([1, 2, 5, 9])("doubles with full jitter: attempt %i", (attempt) => {
    const ceiling = SECOND * 2 ** (attempt - 1);
    const all = delays(attempt);
    expect(Math.max(...all)).toBeLessThanOrEqual(ceiling);
    expect(Math.min(...all)).toBeLessThan(ceiling / 20);
    expect(mean(all) / ceiling).toBeCloseTo(0.5, 1);
  });

  it.each([11, 40, 1_000])("stays within ten minutes, with jitter: attempt %i", (attempt) => {
    const all = delays(attempt);
    expect(Math.max(...all)).toBeLessThanOrEqual(10 * MINUTE);
    expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(6 * MINUTE);
  });

  it("is the same for the same seed", () => {
    const run = (seed: number) => {
      const from = seeded(seed).next;
      return Array.from({ length: 20 }, (_, n) => retryDelayMs(n + 1, from()));
    };
    expect(run(3)).toEqual(run(3));
    expect(run(3)).not.toEqual(run(4));
  });
});
