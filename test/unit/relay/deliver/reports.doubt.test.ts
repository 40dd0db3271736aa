import { randomUUID } from "node:crypto";
import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { type ChannelAdapter, type ChannelSession, defineChannel } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../../src/domain/ids.ts";
import { forgetDead, onPostgres } from "../../../support/engine.ts";
import { agentSays } from "../../../support/events.ts";
import { recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { seeded } from "../../../support/random.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";
import { bottles, lighthouse, shoreOf } from "../../../system/contract/toy/bottles.ts";

/** Where an attempt ends: before the message leaves, after it, or with an unknown outcome. */
type End = "before" | "after" | "open" | "fine";
type Send = ChannelSession["send"];

const never = new Promise<never>(() => {});

/** A messenger whose attempts end as given; a crash is an attempt that never ends. */
function failing(adapter: ChannelAdapter, end: (key: string) => End, changes: Partial<ChannelAdapter> = {}) {
  const send =
    (real: Send): Send =>
    async (step, at, signal) => {
      const how = end(at.key);
      if (how === "before") return never;
      const sent = await real(step, at, signal);
      if (how === "after") return never;
      if (how === "open") throw new DeliveryError({ type: "unsure" }, "the line broke");
      return sent;
    };
  return defineChannel({
    ...adapter,
    ...changes,
    open: (context) => {
      const session = adapter.open(context);
      const changed = changes.sendIdempotency === "none" ? { lookup: undefined } : {};
      return { ...session, ...changed, send: send(session.send) };
    },
  });
}

/** How the first attempts at each message end; later ones succeed. */
const first = (...ends: End[]) => {
  const tries = new Map<string, number>();
  return (key: string) => {
    const n = tries.get(key) ?? 0;
    tries.set(key, n + 1);
    return ends[n] ?? "fine";
  };
};

async function setUp(adapter: ChannelAdapter, unsure: "resend" | "hold" = "resend") {
  const shore = randomUUID();
  const gateway = recordingGateway();
  const lives = await relayLives({ adapter, call: gateway.call, settings: { shore } });
  const { account, channel } = lives;
  await lives.store().channels.change(channel.id, { name: "Toy", settings: { shore, secret: "tide" }, unsure });
  await lives.begin();
  const lying = () => shoreOf(shore).bottles.map(({ text }) => text);
  const acks = () => gateway.taken.filter(({ path }) => path.endsWith("/ack")).map(({ body }) => body);
  const ended = () => lives.store().outbox.ended(account.id, 200);
  const say = async (...texts: string[]) => {
    for (const [n, text] of texts.entries()) await lives.agentSays(String(n + 1), text);
    lives.wake();
  };
  /** The process dies, stays down for `ms`, and restarts. */
  const crash = async (ms = 1_000) => {
    await lives.crash();
    lives.clock.leap(ms);
    await lives.begin();
    await lives.clock.forward(60_000);
  };
  /** Freezes the account: none of its jobs run. */
  const freeze = async (frozen: boolean) => {
    await lives.store().accounts.setActivity(account.id, { active: true, frozen }, 60_000);
    lives.wake();
  };
  return { ...lives, lives, lying, acks, ended, say, crash, freeze };
}

const none = { sendIdempotency: "none" as const, idempotencyMs: undefined };

describe("a message in doubt after a crash", () => {
  it.each([
    ["is known again by its messenger", bottles],
    ["is looked for before it is repeated", lighthouse],
  ])("%s: is delivered once and acked once, whether it had left or not", async (_, adapter) => {
    for (const end of ["before", "after"] as const) {
      const { clock, say, crash, lying, acks, ended } = await setUp(failing(adapter, first(end)), "hold");
      await say("ahoy", "land in sight");
      await clock.forward(1_000);
      await crash();
      await crash();
      expect(lying()).toEqual(["ahoy", "land in sight"]);
      expect(acks()).toMatchObject([{ message: { id: 1 } }, { message: { id: 2 } }]);
      expect(acks().some(({ error }) => error)).toBe(false);
      expect(await ended()).toEqual([]);
    }
  });

  it.each([
    ["native", bottles],
    ["lookup", lighthouse],
  ])("follows the policy once the messenger has forgotten: %s", async (_, adapter) => {
    const late = { ...adapter, idempotencyMs: 30_000 };
    const held = await setUp(failing(late, first("after")), "hold");
    await held.say("ahoy");
    await held.clock.forward(1_000);
    await held.crash(40_000);
    expect(held.lying()).toEqual(["ahoy"]);
    expect(await held.ended()).toMatchObject([{ state: "held" }]);
    const again = await setUp(failing(late, first("before")), "resend");
    await again.say("ahoy");
    await again.clock.forward(1_000);
    await again.crash(40_000);
    expect(again.lying()).toEqual(["ahoy"]);
    expect(await again.ended()).toEqual([]);
  });

  it("is not repeated if the messenger forgets between the decision and the attempt", async () => {
    let tries = 0;
    const open = (): End => {
      tries += 1;
      return "open";
    };
    const { clock, say, ended, freeze } = await setUp(failing({ ...bottles, idempotencyMs: 10_000 }, open), "hold");
    await say("ahoy");
    while (tries === 0) await clock.forward(10);
    await freeze(true);
    await clock.forward(30_000);
    await freeze(false);
    await clock.forward(30_000);
    expect([tries, (await ended()).map(({ state }) => state)]).toEqual([1, ["held"]]);
  });

  it("measures the messenger's memory from the first attempt, across crashes", async () => {
    const late = { ...bottles, idempotencyMs: 10_000 };
    const { clock, say, lives, ended } = await setUp(failing(late, first("after", "after")), "hold");
    await say("ahoy");
    await clock.forward(1_000);
    for (const away of [6_000, 5_000]) {
      await lives.crash();
      clock.leap(away);
      await lives.begin();
      await clock.forward(1_500);
    }
    expect((await ended()).map(({ state }) => state)).toEqual(["held"]);
  });

  it("measures it from the attempt, not from acceptance", async () => {
    const late = { ...bottles, idempotencyMs: 10_000 };
    const { clock, say, crash, lying, ended, freeze } = await setUp(failing(late, first("after")), "hold");
    await freeze(true);
    await say("ahoy");
    await clock.forward(20_000);
    await freeze(false);
    await clock.forward(1_000);
    await crash();
    expect([lying(), await ended()]).toEqual([["ahoy"], []]);
  });

  it("follows the policy if the messenger cannot tell: held, or resent once and then given up", async () => {
    const blind = {
      ...lighthouse,
      open: (context: never) => ({ ...lighthouse.open(context), lookup: async () => ({ found: "unknown" as const }) }),
    };
    const held = await setUp(failing(blind, first("after")), "hold");
    await held.say("ahoy");
    await held.clock.forward(1_000);
    await held.crash();
    expect([held.lying(), (await held.ended()).map(({ state }) => state)]).toEqual([["ahoy"], ["held"]]);
    const twice = await setUp(failing(blind, first("after", "open")), "resend");
    await twice.say("ahoy");
    await twice.clock.forward(1_000);
    await twice.crash();
    expect([twice.lying(), (await twice.ended()).map(({ state }) => state)]).toEqual([["ahoy", "ahoy"], ["dead"]]);
  });

  it("asks again if asking fails", async () => {
    let lookups = 0;
    const hard = {
      ...lighthouse,
      open: (context: never) => {
        const session = lighthouse.open(context);
        const lookup: ChannelSession["lookup"] = async (...given) => {
          lookups += 1;
          if (lookups < 3) throw new TypeError("fog");
          return session.lookup?.(...given) ?? { found: "unknown" };
        };
        return { ...session, lookup };
      },
    };
    const { clock, say, lying, acks } = await setUp(failing(hard, first("open")), "hold");
    await say("ahoy");
    await clock.forward(60_000);
    expect([lookups, lying(), acks().length]).toEqual([3, ["ahoy"], 1]);
  });

  it("is duplicated at most once if the messenger cannot tell and the policy is resend", async () => {
    const { clock, say, crash, lying, acks } = await setUp(failing(bottles, first("after", "after"), none));
    await say("ahoy");
    await clock.forward(1_000);
    await crash();
    await crash();
    await crash();
    expect(lying().length).toBeLessThanOrEqual(2);
    expect(acks()).toHaveLength(1);
  });

  it("under `hold` is listed: of 120, none is duplicated, and each is delivered or listed", async () => {
    const random = seeded(7).next;
    const end = (): End =>
      (["before", "after", "open", "fine", "fine", "fine"] as const)[Math.floor(random() * 6)] ?? "fine";
    const { clock, agentSays, wake, crash, lying, ended, account, store } = await setUp(
      failing(bottles, end, none),
      "hold",
    );
    const texts = Array.from({ length: 120 }, (_, n) => `m${n}`);
    for (const [n, text] of texts.entries()) await agentSays(String(n + 1), text, `chat-${n % 12}`);
    wake();
    const count = async () => {
      const [line] = await store().ledger(account.id);
      expect(line?.hole).toBe(0);
      return line && { waiting: line.jobs, done: line.delivered, dead: line.refused, held: line.held };
    };
    for (let n = 0; n < 60 && (await count())?.waiting; n++) {
      await clock.forward(3_000);
      await crash();
    }
    const counts = await count();
    const held = (await ended()).filter(({ state }) => state === "held");
    expect(new Set(lying()).size).toBe(lying().length);
    expect(held.length).toBeGreaterThan(20);
    expect(counts).toMatchObject({ waiting: 0, held: held.length, done: 120 - held.length - (counts?.dead ?? 0) });
    // Every message is delivered or listed.
    expect((await ended()).length + (counts?.done ?? 0)).toBe(120);
  });
});

describe("a doubtful message whose messenger can tell only later", () => {
  const ASK_MS = 10_000;
  type Ask = (nth: number) => Promise<unknown> | undefined;
  /**
   * It learns of a bottle from its webhook, which writes a note. `ask` may hinder a question. `fromOpening`: it can
   * tell for certain once its session has been open for three questions' time.
   */
  function hearsay(idempotencyMs: number, ask: Ask, fromOpening: boolean) {
    const asked: number[] = [];
    const adapter = {
      ...lighthouse,
      idempotencyMs,
      open: (context: Parameters<typeof lighthouse.open>[0]): ChannelSession => ({
        ...lighthouse.open(context),
        async lookup(_, { key }) {
          asked.push(context.clock.now());
          await ask(asked.length);
          const id = (await context.notes.get(`heard:${key}`)) as MessengerMessageId | undefined;
          if (fromOpening && context.clock.now() >= context.openedAt + 3 * ASK_MS) return { found: "absent" };
          return id
            ? { found: "arrived", parts: [{ messengerMessageId: id, holds: "text" }] }
            : { found: "unknown", askAgainMs: ASK_MS };
        },
      }),
    };
    return { asked, adapter: failing(defineChannel(adapter), first("open")) };
  }
  async function inDoubt({ idempotencyMs = 60_000, unsure = "resend" as "resend" | "hold", fromOpening = false }) {
    let hindered: Ask = () => undefined;
    const { asked, adapter } = hearsay(idempotencyMs, (nth) => hindered(nth), fromOpening);
    const scene = await setUp(adapter, unsure);
    await scene.say("ahoy");
    for (let n = 0; n < 100 && asked.length === 0; n++) await scene.clock.forward(100);
    const hinder = (how: typeof hindered) => {
      hindered = how;
    };
    const row = async () => {
      const [found] = await scene.store().stories.find(scene.account.id, "ahoy");
      return (found && (await scene.store().stories.of(scene.account.id, found.id))) ?? expect.fail("gone");
    };
    const webhook = async () =>
      scene.store().outbox.acceptInbound(scene.channel, {
        events: [],
        notes: [{ key: `heard:${(await row()).id}`, value: "bottle-9" }],
      });
    return { ...scene, asked, hinder, row, webhook };
  }

  it("is asked about again after that time, at no attempt, and settled as arrived by what the webhook noted", async () => {
    const { clock, asked, row, webhook, lying, acks, ended } = await inDoubt({});
    const { attempts } = await row();
    await clock.forward(25_000);
    expect(asked.map((at) => at - (asked[0] ?? 0))).toEqual([0, ASK_MS, 2 * ASK_MS]);
    expect((await row()).attempts).toBe(attempts);
    await webhook();
    await clock.forward(ASK_MS);
    expect([lying(), await ended()]).toEqual([["ahoy"], []]);
    expect(acks()).toMatchObject([{ message: { id: 1 }, transport_message_id: "bottle-9" }]);
    await clock.forward(60_000);
    expect(asked).toHaveLength(4);
  });

  // Whoever takes over on PostgreSQL gives the call some time before it asks.
  it.skipIf(onPostgres)(
    "is neither given up nor sent again by crashes, while it waits or in the middle of a question",
    async () => {
      const { clock, asked, hinder, webhook, lying, acks, ended, lives } = await inDoubt({});
      hinder((nth) => (nth === 2 ? never : undefined));
      for (let n = 0; n < 30 && asked.length < 2; n++) await clock.forward(1_000);
      for (const questions of [3, 3]) {
        await lives.crash();
        await lives.begin();
        await clock.forward(2_000);
        expect([asked.length, lying(), await ended()]).toEqual([questions, ["ahoy"], []]);
      }
      await webhook();
      await clock.forward(ASK_MS);
      expect([lying(), await ended(), acks().length]).toEqual([["ahoy"], [], 1]);
    },
  );

  it.skipIf(onPostgres)("is settled in time though its job, under way in two crashes, now runs apart", async () => {
    const { clock, asked, hinder, lying, acks, lives } = await inDoubt({ idempotencyMs: 3_600_000, fromOpening: true });
    hinder((nth) => (nth === 2 || nth === 3 ? never : undefined));
    for (const crashes of [1, 2]) {
      for (let n = 0; n < 30 && asked.length < crashes + 1; n++) await clock.forward(1_000);
      await lives.crash();
      await lives.begin();
    }
    await clock.forward(2_000);
    expect([asked.length, lying()]).toEqual([4, ["ahoy"]]);
    await clock.forward(3 * ASK_MS);
    expect([asked.length, lying(), acks().length]).toEqual([7, ["ahoy", "ahoy"], 1]);
  });

  it.each([
    ["hold", ["ahoy"], ["held"]],
    ["resend", ["ahoy", "ahoy"], []],
  ] as const)("follows the policy once it can tell no more: %s", async (unsure, bottlesLying, states) => {
    const { clock, asked, lying, ended } = await inDoubt({ idempotencyMs: 25_000, unsure });
    await clock.forward(20_000);
    expect([lying(), await ended()]).toEqual([["ahoy"], []]);
    await clock.forward(40_000);
    expect(asked).toHaveLength(3);
    expect([lying(), (await ended()).map(({ state }) => state)]).toEqual([bottlesLying, states]);
  });

  it("is sent in time by the policy although it might still tell, and at once when a person says so", async () => {
    const long = { idempotencyMs: 86_400_000 };
    const resent = await inDoubt(long);
    await resent.clock.forward(100_000);
    expect(resent.lying()).toEqual(["ahoy"]);
    await resent.clock.forward(15_000);
    expect([resent.lying(), await resent.ended()]).toEqual([["ahoy", "ahoy"], []]);
    const held = await inDoubt({ ...long, unsure: "hold" });
    await held.clock.forward(110_000);
    expect(await held.ended()).toEqual([]);
    await held.clock.forward(15_000);
    const [job] = await held.ended();
    expect([held.lying(), job?.state]).toEqual([["ahoy"], "held"]);
    await held.store().outbox.sendAgain(held.account.id, job?.id as JobId, 120_000);
    held.lives.wake();
    await held.clock.forward(2_000);
    expect([held.lying(), await held.ended()]).toEqual([["ahoy", "ahoy"], []]);
  });
});

describe("a message that was sent in an outage", () => {
  /** A messenger that accepts every message but answers nothing, or throws what `answer` throws, until `over`. */
  async function outage(answer: (probes: number) => unknown = () => noAnswer("retry")) {
    const state = { over: false, probes: 0 };
    const adapter = {
      ...bottles,
      ...none,
      open: (context: never): ChannelSession => {
        const { lookup: _, ...session } = bottles.open(context);
        return {
          ...session,
          identify: async () => {
            state.probes += 1;
            if (!state.over) throw await answer(state.probes);
            return { id: "bottles", name: "Bottles" };
          },
          send: async (step, at, signal) => {
            const sent = await session.send(step, { ...at, key: randomUUID() }, signal);
            if (!state.over) throw noAnswer("unsure");
            return sent;
          },
        };
      },
    };
    const scene = await setUp(adapter);
    await scene.say("ahoy");
    return { ...scene, state };
  }
  const noAnswer = (type: "retry" | "unsure") => new DeliveryError({ type }, "no answer");

  it("is sent once more, but not before the messenger answers", async () => {
    const { clock, state, lying, acks } = await outage();
    await clock.forward(40_000);
    expect(lying()).toEqual(["ahoy"]);
    expect(state.probes).toBeGreaterThan(2);
    state.over = true;
    await clock.forward(60_000);
    expect(lying()).toEqual(["ahoy", "ahoy"]);
    expect(acks()).toMatchObject([{ transport_message_id: expect.any(String) }]);
  });

  it("arrives once if the outage outlasts its deadline, and its agent reads that the outcome is unknown", async () => {
    const { clock, lying, acks } = await outage();
    await clock.forward(180_000);
    expect(lying()).toEqual(["ahoy"]);
    expect(acks()).toMatchObject([{ error: { message: expect.stringContaining("It is not known") } }]);
  });

  it("is still sent once more if the process dies while asking", async () => {
    const { clock, state, lying, acks, crash } = await outage((probes) => (probes === 2 ? never : noAnswer("retry")));
    while (state.probes < 2) await clock.forward(100);
    state.over = true;
    await crash();
    expect([lying(), acks().some(({ error }) => error)]).toEqual([["ahoy", "ahoy"], false]);
  });

  it("waits as long as the messenger requests, and for a person if the messenger refuses the login", async () => {
    const busy = new DeliveryError({ type: "retry", afterMs: 50_000 }, "too many");
    const scene = await outage(() => busy);
    await scene.clock.forward(45_000);
    expect([scene.state.probes, scene.lying()]).toEqual([1, ["ahoy"]]);
    const refused = await outage(() => new DeliveryError({ type: "reconnect" }, "the login is dead"));
    await refused.clock.forward(45_000);
    expect([refused.state.probes, refused.lying()]).toEqual([1, ["ahoy"]]);
    expect(await refused.store().channels.byId(refused.account.id, refused.channel.id)).toMatchObject({
      state: "stopped",
    });
  });
});

it("a message in doubt once is given up only if a crash interrupts a started repeat", async () => {
  const { clock, folder, store, account, channel } = await oneChannel({});
  await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 3_600_000 });
  const life = async (begins: boolean) => {
    await clock.forward(60_000);
    await forgetDead(folder);
    const lease = await takeLease(store, account.id, "one that crashes");
    const [job] = await store.outbox.claim(lease, roomFor(1));
    if (begins && job) expect(await store.outbox.callStarted(job)).toBe(true);
    await forgetDead(folder);
    // A process that takes over, and claims nothing.
    const adapter = () => ({ sendIdempotency: "none" }) as ChannelAdapter;
    await working({ store, clock, adapter, perform: async () => ({}), limits: { calls: 0, callsPerAccount: 8 } });
    return (await store.outbox.ended(account.id, 9)).map(({ state, error }) => `${state}: ${error}`);
  };
  expect(await life(true)).toEqual([]);
  for (let again = 0; again < 4; again++) expect(await life(false)).toEqual([]);
  expect(await life(true)).toEqual([
    "dead: It is not known whether this message has reached the customer (the server stopped in the middle). Ask before you send it again",
  ]);
});
