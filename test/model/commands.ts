import fc from "fast-check";
import type { Verdict } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { planMessage } from "gangway-messenger/planning";
import { expect } from "vitest";
import type { Channel } from "../../src/domain/channel.ts";
import {
  ackOf,
  type Direction,
  type Job,
  MAX_FATAL_CRASHES,
  nextState,
  restAfterCrashMs,
} from "../../src/domain/delivery.ts";
import type { JobId } from "../../src/domain/ids.ts";
import type { OutboundAct, OutboundMessage } from "../../src/domain/message.ts";
import { textOnly } from "../support/capabilities.ts";
import { agentSays, customerSays, messengerFails } from "../support/events.ts";
import { roomFor } from "../support/room.ts";
import { takeLease } from "../support/store.ts";
import { compare, type Real } from "./bench.ts";
import type { Model } from "./lanes.ts";
import * as lanes from "./lanes.ts";

type Step = fc.AsyncCommand<Model, Real>;
type Act = (model: Model, real: Real) => Promise<void>;

/** A named step, followed by a comparison of store and model. */
const step = (name: string, act: Act, check: (model: Readonly<Model>) => boolean = () => true): Step => ({
  check,
  toString: () => name,
  async run(model, real) {
    await act(model, real);
    await compare(model, real);
  },
});

const CHATS = 3;
const chatOf = (n: number) => n % CHATS;
const albumOf = (n: number) => (n >= 20 ? `album-${n % 2}` : undefined);
const outbox = (real: Real) => real.bench.store().outbox;
const channelOf = (real: Real, n: number) => real.channels[n] as Channel;
const there = (channel: number) => (model: Readonly<Model>) => model.channels[channel]?.state !== "removed";

const event = (n: number): ChannelEvent => {
  const says = customerSays(`m${n}`, `m${n}`, `chat-${chatOf(n)}`);
  return says.type === "message" ? { ...says, album: albumOf(n) } : says;
};
/** Slots of a write; what leaves with its commit must be what leaves in the model. */
function holding({ lease, claimed: under }: Real, most: number) {
  const begun: Job[] = [];
  return {
    ready: most > 0 ? { lease, most, begin: (jobs: Job[]) => void begun.push(...jobs) } : undefined,
    expectLeft(entries: lanes.Entry[]) {
      expect(begun.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
      under.push(...begun);
    },
    begun,
  };
}

/** Those that leave are claimed in the model as they are accepted: a later one of the same lane waits. */
const fromCustomer = (channel: number, names: number[], slots: number) =>
  step(
    `customer(${channel}, ${names}, ${slots})`,
    async (model, real) => {
      const { ready, expectLeft } = holding(real, slots);
      const left: lanes.Entry[] = [];
      const added = names.filter((n) => {
        const entry = { way: "inbound" as const, channel, chat: chatOf(n), album: albumOf(n), name: `m${n}` };
        const isNew = lanes.accept(model, `m${n}`, entry);
        if (isNew && !entry.album) left.push(...lanes.leave(model, model.entries.slice(-1), slots - left.length));
        return isNew;
      });
      const taken = await outbox(real).acceptInbound(channelOf(real, channel), { events: names.map(event) }, ready);
      expect(taken).toBe(added.length);
      expectLeft(left);
      for (const entry of left) inOrder(real, entry);
    },
    there(channel),
  );

function inOrder(real: Real, { channel, way, chat, position }: lanes.Entry): void {
  const lane = `${channelOf(real, channel).id}/${way}/chat-${chat}`;
  const order = real.order.get(lane) ?? [];
  if (!order.includes(position)) order.push(position);
  real.order.set(lane, order);
}

const CAPABILITIES = textOnly(10);
const fromAgent = (channel: number, n: number, slots: number) =>
  step(
    `agent(${channel}, ${n}, ${slots})`,
    async (model, real) => {
      const message = String(n + 1);
      const steps = 1 + (n % 2);
      const entry = { way: "outbound" as const, channel, chat: chatOf(n), steps };
      const { ready, expectLeft } = holding(real, slots);
      const isNew = lanes.accept(model, message, entry);
      const left = isNew ? lanes.leave(model, model.entries.slice(-1), slots) : [];
      const text = steps === 1 ? "one" : "one two three";
      const act = agentSays(message, text, `chat-${chatOf(n)}`) as OutboundMessage;
      const acceptance = {
        key: `sent:${n}`,
        act,
        plan: planMessage(act, CAPABILITIES),
        patienceMs: lanes.PATIENCE.outbound,
      };
      expect(await outbox(real).acceptOutbound(channelOf(real, channel), acceptance, ready)).toBe(isNew);
      expectLeft(left);
      for (const each of left) inOrder(real, each);
    },
    there(channel),
  );

const ofWay = (entries: lanes.Entry[], way: lanes.Way) => entries.filter((entry) => entry.way === way);
const isSame = (a: Job, b: Job) =>
  a.id === b.id && a.direction === b.direction && (a.direction !== "ack" || a.ackVersion === b.ackVersion);

function claimed(real: Real, { direction }: Job, entry: lanes.Entry): void {
  if (direction === "ack") {
    lanes.claimAck(entry);
    return;
  }
  lanes.claim(entry);
  inOrder(real, entry);
}

const claim = (most: number) =>
  step(`claim(${most})`, async (model, real) => {
    const jobs = await outbox(real).claim(real.lease, roomFor(most));
    const acks = lanes.acksDue(model);
    const heads = lanes.claimable(model);
    expect(new Set(jobs.map(({ key }) => key)).size).toBe(Math.min(most, acks.length + heads.length));
    const all = { ack: acks, inbound: ofWay(heads, "inbound"), outbound: ofWay(heads, "outbound") };
    const count = (of: Direction) => jobs.filter(({ direction }) => direction === of).length;
    const share = (of: Direction, slots: number) => Math.min(Math.floor(slots / 2), all[of].length);
    for (const job of jobs) {
      const entry = lanes.entryOf(model, job.id);
      expect(all[job.direction], "due").toContain(entry);
      expect(job.key).toBe(job.direction === "ack" ? `ack ${job.id}` : lanes.keyOf(entry));
      expect(job.ackVersion).toBe(entry.ackVersion);
      expect(
        real.claimed.some((other) => isSame(job, other)),
        "claimed once",
      ).toBe(false);
    }
    expect(count("ack"), "acks have half").toBeGreaterThanOrEqual(share("ack", most));
    const left = most - count("ack");
    for (const way of ["inbound", "outbound"] as const)
      expect(count(way), `${way} has half of the rest`).toBeGreaterThanOrEqual(share(way, left));
    for (const job of jobs) claimed(real, job, lanes.entryOf(model, job.id));
    real.claimed.push(...jobs);
  });

/** Acts on one of the claimed jobs, if there is any. */
const onClaimed = (name: string, pick: number, act: (model: Model, real: Real, job: Job) => Promise<void>) =>
  step(`${name} #${pick}`, async (model, real) => {
    const [job] = real.claimed.splice(pick % Math.max(1, real.claimed.length), 1);
    if (job) await act(model, real, job);
  });

const outcome = (job: Job) => ({
  ...(job.task.direction === "outbound" && {
    parts: [{ messengerMessageId: `t${job.key}` as MessengerMessageId, holds: "text" as const }],
    ack: ackOf(job.task.act, { messengerMessageId: `t${job.key}` as MessengerMessageId }),
  }),
});
/** Whether the answer of a claimed job counts: an ack under way may have been replaced by a newer one. */
const counts = (model: Model, { direction, id, ackVersion }: Job) =>
  direction !== "ack" || lanes.isCurrent(lanes.entryOf(model, id), ackVersion);

const sendOk = (pick: number, slots: number) =>
  onClaimed(`ok(${slots})`, pick, async (model, real, job) => {
    const entry = lanes.entryOf(model, job.id);
    const expected = counts(model, job);
    const { ready, begun } = holding(real, slots);
    expect(await outbox(real).done(job, outcome(job), ready)).toBe(expected);
    if (job.direction !== "ack") lanes.done(model, entry);
    else if (expected) lanes.ackGiven(model, entry);
    const leaves = slots > 0 && job.direction === "outbound" && lanes.acksDue(model).includes(entry);
    expect(begun.map(({ key, ackVersion }) => [key, ackVersion])).toEqual(
      leaves ? [[`ack ${job.id}`, entry.ackVersion]] : [],
    );
    if (leaves) lanes.claimAck(entry);
    real.claimed.push(...begun);
  });

/** Our own code runs on it, or awaits a call. */
const ownCode = (pick: number, runs: boolean) =>
  onClaimed(runs ? "own code" : "waits", pick, async (model, real, job) => {
    real.claimed.push(job);
    const expected = counts(model, job);
    expect(await outbox(real).inOwnCode(job, runs)).toBe(expected);
    if (expected) lanes.entryOf(model, job.id).marked = runs ? "runs" : "ran";
  });

/** Like the worker: stops the channel first, then fails the job. */
async function fail(model: Model, real: Real, job: Job, verdict: Verdict): Promise<boolean> {
  const hold = model.channels[lanes.entryOf(model, job.id).channel]?.hold;
  const at = {
    now: model.now,
    random: 0.5,
    repeatableUntil: 0,
    policy: hold ? ("hold" as const) : ("resend" as const),
  };
  const next = nextState(job, verdict, at);
  const { task } = job;
  const error = { code: "general" as const, message: "no" };
  const ack = next.state !== "ready" && task.direction === "outbound" ? ackOf(task.act, { error }) : undefined;
  const store = real.bench.store();
  if (verdict.type === "reconnect" && job.direction === "outbound")
    await store.channels.setState(job.channelId, "stopped", "no");
  else if (verdict.type === "reconnect")
    await store.accounts.setTrouble(job.accountId, { text: "no", restUntil: model.now + 60_000 });
  return store.outbox.failed(job, next, "no", { ack });
}

const sendFail = (pick: number, verdict: Verdict) =>
  onClaimed(JSON.stringify(verdict), pick, async (model, real, job) => {
    const entry = lanes.entryOf(model, job.id);
    // Like the worker: a completed attempt resets the crash counts.
    Object.assign(job, { crashes: 0, fatalCrashes: 0 });
    const expected = counts(model, job);
    expect(await fail(model, real, job, verdict)).toBe(expected);
    if (job.direction === "ack") return ackFailed(model, entry, verdict, expected);
    if (verdict.type === "reject") lanes.end(model, entry, "dead");
    if (verdict.type === "unsure") lanes.unsure(model, entry);
    if (verdict.type === "retry" && verdict.afterMs !== undefined)
      lanes.later(model, entry, verdict.afterMs, { attempts: entry.attempts - 1 });
    else if (verdict.type === "retry") lanes.later(model, entry, lanes.delay(entry.attempts), {});
    if (verdict.type === "reconnect") credentialsDied(model, entry);
    if (entry.state === "ready" || entry.state === "waiting") Object.assign(entry, { crashes: 0, fatal: 0 });
  });

function ackFailed(model: Model, entry: lanes.Entry, verdict: Verdict, counted: boolean): void {
  if (verdict.type === "reconnect") Object.assign(model, { trouble: true, restUntil: model.now + 60_000 });
  if (!counted) return;
  const attempts = entry.ackAttempts;
  const free = verdict.type === "reconnect" ? 0 : "afterMs" in verdict ? verdict.afterMs : undefined;
  if (verdict.type === "reject") lanes.ackRefused(model, entry);
  else lanes.ackLater(model, entry, free ?? lanes.delay(attempts), free === undefined ? attempts : attempts - 1);
  if (entry.ack === "due") Object.assign(entry, { crashes: 0, fatal: 0 });
}

function credentialsDied(model: Model, entry: lanes.Entry): void {
  const { attempts } = entry;
  if (entry.way !== "outbound") {
    Object.assign(model, { trouble: true, restUntil: model.now + 60_000 });
    lanes.later(model, entry, 0, { attempts: attempts - 1 });
    return;
  }
  const removed = model.channels[entry.channel]?.state === "removed";
  if (!removed) lanes.setChannel(model, entry.channel, "stopped");
  Object.assign(entry, { state: removed ? "ready" : "waiting", runAt: model.now, attempts: attempts - 1 });
}

const postpone = (pick: number, ms: number) =>
  onClaimed("postpone", pick, async (model, real, job) => {
    const expected = counts(model, job);
    expect(await outbox(real).postponed(job, model.now + ms)).toBe(expected);
    const entry = lanes.entryOf(model, job.id);
    const [runAt, attempts] = [model.now + ms, entry.attempts - 1];
    if (job.direction !== "ack") Object.assign(entry, { state: "ready", runAt, attempts });
    else if (expected) Object.assign(entry, { ack: "due", ackAt: runAt, ackAttempts: entry.ackAttempts - 1 });
  });

const piece = (pick: number) =>
  onClaimed("piece", pick, async (model, real, job) => {
    real.claimed.push(job);
    const entry = lanes.entryOf(model, job.id);
    if (!job.work || entry.stepsDone + 1 >= entry.steps) return;
    const part = { messengerMessageId: `p${job.key}` as MessengerMessageId, holds: "text" as const };
    const progress = { done: entry.stepsDone + 1, parts: [part], losses: [] };
    expect(await outbox(real).advanced(job, { ...job.work, progress })).toBe(true);
    Object.assign(entry, { unsure: 0, stepsDone: progress.done, named: true });
  });

const lease = (name: string, reopen: boolean) =>
  step(name, async (model, real) => {
    if (reopen) await real.bench.reopen();
    const store = real.bench.store();
    real.stale.push(...real.claimed.splice(0));
    real.lease = await takeLease(store, real.account.id, name);
    const left = (await store.outbox.takeOver(real.lease)).sort((a, b) => a.id - b.id);
    // The store settles them one by one, the model all at once afterwards.
    for (const job of left) {
      const poison = job.fatalCrashes >= MAX_FATAL_CRASHES;
      const verdict: Verdict = poison
        ? { type: "reject", code: "general" }
        : { type: "unsure", afterMs: restAfterCrashMs(job.crashes) };
      expect(await fail(model, real, job, verdict)).toBe(true);
    }
    lanes.crash(model);
  });

const late = (pick: number, how: "done" | "failed" | "postponed" | "advanced") =>
  step(`late ${how} #${pick}`, async (model, real) => {
    const job = real.stale[pick % Math.max(1, real.stale.length)];
    if (!job) return;
    const store = outbox(real);
    const work = job.work ?? { plan: { steps: [], losses: [] }, progress: { done: 0, parts: [], losses: [] } };
    const results = {
      done: () => store.done(job, outcome(job)),
      failed: () => store.failed(job, { state: "dead", code: "general" }, "late"),
      postponed: () => store.postponed(job, model.now),
      advanced: () => store.advanced({ ...job }, work),
    };
    expect(await results[how]()).toBe(false);
  });

/** Acts on any job of the run. */
const onEntry = (name: string, pick: number, act: (model: Model, real: Real, entry: lanes.Entry) => Promise<void>) =>
  step(`${name} #${pick}`, async (model, real) => {
    const ended = model.entries.filter((entry) => ["dead", "held"].includes(entry.state) || entry.ack === "refused");
    const from = pick % 4 === 0 || ended.length === 0 ? model.entries : ended;
    const entry = from[pick % Math.max(1, from.length)];
    if (entry) await act(model, real, entry);
  });
const replay = (pick: number) =>
  onEntry("replay", pick, async (model, real, entry) => {
    const ended = entry.state === "dead" || entry.state === "held";
    const refused = entry.ack === "refused";
    const id = entry.id as JobId;
    expect(await outbox(real).sendAgain(real.account.id, id, lanes.PATIENCE.outbound)).toBe(ended || refused);
    if (ended) lanes.sendAgain(model, entry);
    else if (refused) lanes.oweAgain(model, entry);
  });
const decide = (pick: number, what: "arrived" | "givenUp") =>
  onEntry(what, pick, async (model, real, entry) => {
    const held = entry.state === "held";
    const id = entry.id as JobId;
    const how = { patienceMs: lanes.PATIENCE.outbound, text: () => "it arrived" };
    const { arrived, givenUp } = outbox(real);
    expect(await (what === "arrived" ? arrived(real.account.id, id, how) : givenUp(real.account.id, id))).toBe(held);
    if (held && what === "arrived") lanes.arrived(model, entry);
    else if (held) entry.state = "dead";
  });

/** Ids of a message, now and before it was sent again, whether or not it has them, and one of no message. */
const namesOf = (entry: lanes.Entry) => [`t${lanes.keyOf(entry)}`, `p${lanes.keyOf(entry)}`, `t${entry.id}`, "t0"];

/** The messenger gives up a message that it had accepted, or has not yet answered for. */
const failLate = (pick: number, which: number) =>
  step(`fails late #${pick} ${which}`, async (model, real) => {
    const there = ofWay(model.entries, "outbound").filter(
      ({ channel }) => model.channels[channel]?.state !== "removed",
    );
    const settled = there.filter(({ state }) => state === "done" || state === "sending");
    const from = pick % 4 === 0 || settled.length === 0 ? there : settled;
    const entry = from[pick % Math.max(1, from.length)];
    const name = entry && namesOf(entry)[which];
    if (!name) return;
    const isNews = lanes.failLate(model, entry, name);
    const events = [messengerFails(name, "no", `chat-${entry.chat}`)];
    expect(await outbox(real).acceptInbound(channelOf(real, entry.channel), { events })).toBe(isNews ? 1 : 0);
  });

const channelState = (channel: number, state: "active" | "paused" | "stopped" | "removed") =>
  step(
    `${state}(${channel})`,
    async (model, real) => {
      await real.bench.store().channels.setState(channelOf(real, channel).id, state);
      lanes.setChannel(model, channel, state);
    },
    there(channel),
  );
const close = (channel: number) =>
  step(
    `close(${channel})`,
    async (model, real) => {
      const error = "removed";
      const notices = (act: OutboundAct) => ({ ack: ackOf(act, { error: { code: "general", message: error } }) });
      await outbox(real).endChannel(channelOf(real, channel).id, notices);
      lanes.close(model, channel);
    },
    there(channel),
  );
const rest = (ms: number) =>
  step(`rest(${ms})`, async (model, real) => {
    const restUntil = model.now + ms;
    await real.bench.store().accounts.setTrouble(real.account.id, { text: "no", restUntil });
    Object.assign(model, { trouble: true, restUntil });
  });
const freeze = (frozen: boolean) =>
  step(frozen ? "freeze" : "thaw", async (model, real) => {
    const { accounts } = real.bench.store();
    await accounts.setActivity(real.account.id, { active: true, frozen }, lanes.PATIENCE.inbound);
    model.frozen = frozen;
    for (const entry of frozen ? [] : model.entries)
      if (entry.way === "inbound" && entry.state === "ready") entry.deadlineAt = model.now + lanes.PATIENCE.inbound;
  });
const pass = (ms: number) =>
  step(`pass(${ms})`, async (model, real) => {
    real.bench.clock.leap(ms);
    model.now = real.bench.clock.now();
    const error = { code: "general" as const, message: "late" };
    await outbox(real).endOverdue((act) => ({ ack: ackOf(act, { error }) }));
    lanes.expire(model);
  });

const pick = fc.nat(50);
const channel = fc.nat(1);
const name = fc.nat(39);
/** For what leaves with the commit that stores it. */
const slots = fc.nat(2);
const often = <T>(times: number, one: T): T[] => Array.from({ length: times }, () => one);
const verdict = fc.constantFrom<Verdict>(
  { type: "retry" },
  { type: "retry", afterMs: 5_000 },
  { type: "reject", code: "general" },
  { type: "unsure" },
  { type: "reconnect" },
);
const moment = fc.constantFrom(0, 300, 1_200, 5_000, 20_000, 61_000, 3_600_000, 73 * 3_600_000);

/** All steps, weighted. */
export const STEPS: fc.Arbitrary<Step>[] = [
  ...often(
    5,
    fc
      .tuple(channel, fc.array(name, { minLength: 1, maxLength: 3 }), slots)
      .map(([to, n, most]) => fromCustomer(to, n, most)),
  ),
  ...often(
    5,
    fc.tuple(channel, name, slots).map(([to, n, most]) => fromAgent(to, n, most)),
  ),
  ...often(8, fc.integer({ min: 1, max: 4 }).map(claim)),
  ...often(
    4,
    fc.tuple(pick, slots).map(([n, most]) => sendOk(n, most)),
  ),
  ...often(
    3,
    fc.tuple(pick, fc.nat(3)).map(([n, runs]) => ownCode(n, runs > 0)),
  ),
  ...often(
    4,
    fc.tuple(pick, verdict).map(([n, how]) => sendFail(n, how)),
  ),
  fc.tuple(pick, fc.constantFrom(0, 900)).map(([n, ms]) => postpone(n, ms)),
  ...often(2, pick.map(piece)),
  ...often(2, fc.constant(lease("taken over", false))),
  fc.constant(lease("restart", true)),
  ...often(
    2,
    fc
      .tuple(pick, fc.constantFrom("done", "failed", "postponed", "advanced"))
      .map(([n, how]) => late(n, how as "done")),
  ),
  ...often(3, pick.map(replay)),
  ...often(
    3,
    fc.tuple(pick, fc.constantFrom(0, 0, 0, 1, 2, 3)).map(([n, which]) => failLate(n, which)),
  ),
  ...often(
    2,
    fc.tuple(pick, fc.constantFrom("arrived", "givenUp")).map(([n, what]) => decide(n, what as "arrived")),
  ),
  fc.tuple(channel, fc.constantFrom("stopped" as const, "paused" as const)).map(([n, state]) => channelState(n, state)),
  ...often(
    2,
    fc.tuple(channel, fc.constant("active" as const)).map(([n, state]) => channelState(n, state)),
  ),
  fc.tuple(channel, fc.nat(9)).map(([n, rare]) => (rare === 0 ? close(n) : channelState(n, "active"))),
  fc.tuple(channel, fc.nat(9)).map(([n, rare]) => channelState(n, rare === 0 ? "removed" : "active")),
  fc.constantFrom(0, 2_000).map(rest),
  ...often(
    2,
    fc.boolean().map((on) => freeze(on)),
  ),
  ...often(7, moment.map(pass)),
];
