import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { expect, it } from "vitest";
import type { Channel } from "../../../src/domain/channel.ts";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import { handClock } from "../../support/clock.ts";
import { ENGINES, type TestedEngine } from "../../support/engines.ts";
import { agentSays, customerSays, messengerFails } from "../../support/events.ts";
import { fc, tries } from "../../support/property.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";

const small = fc.nat({ max: 9 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("says" as const), id: small, album: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("answers" as const), id: small, patience: small }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("claims" as const), id: small }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delivers" as const), id: small }) },
  ...(["dies", "held", "later", "postponed", "again", "failsLate"] as const).map((act) => ({
    weight: 2,
    arbitrary: fc.record({ do: fc.constant(act), id: small }),
  })),
  ...(["passes", "expires", "crashes", "stops", "resumes", "removes"] as const).map((act) => ({
    weight: 1,
    arbitrary: fc.record({ do: fc.constant(act), id: small }),
  })),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store for many runs. */
async function openOn(engine: TestedEngine) {
  const clock = handClock();
  return { clock, store: (await engine.open(clock, {})).store, runs: 0 };
}

/** A new account with two channels, and the steps. `counted` sums what was reported as new. */
async function world(on: Awaited<ReturnType<typeof openOn>>) {
  const { clock, store } = on;
  on.runs += 1;
  const account = await addAccount(store, `run-${on.runs}`);
  const channels = [await addChannel(store, account), await addChannel(store, account)] as [Channel, Channel];
  const counted = new Map(channels.map(({ id }) => [id, 0]));
  let lease = await takeLease(store, account.id, "0");
  let claimed: Job[] = [];
  const channelOf = (id: number) => channels[id % 2] as Channel;
  const isNew = (channel: Channel, events: number) => counted.set(channel.id, (counted.get(channel.id) ?? 0) + events);
  const take = (id: number) => claimed.splice(id % Math.max(1, claimed.length), 1)[0];
  const ended = async (job: Job | undefined, how: (job: Job) => Promise<unknown>) => job && how(job);
  const note = (id: number) => ({ ...customerSays(`note:${id}`), type: "note", text: "lost" }) as never;
  const ack = { gatewayMessageId: "1" as GatewayMessageId };
  const partsOf = (job: Job) =>
    job.direction === "outbound"
      ? [{ messengerMessageId: `t${job.key}` as MessengerMessageId, holds: "text" as const }]
      : undefined;
  const acts: Record<Step["do"], (at: Step) => Promise<unknown>> = {
    async says(at) {
      const channel = channelOf(at.id);
      const plain = customerSays(`m${at.id}`, "hi", `chat-${at.id % 3}`);
      const event = ("album" in at && at.album ? { ...plain, album: "album" } : plain) as ChannelEvent;
      isNew(channel, await store.outbox.acceptInbound(channel, { events: [event, event] }));
    },
    async answers(at) {
      const channel = channelOf(at.id);
      const patienceMs = 1 + ("patience" in at ? at.patience * 300 : 0);
      const act = agentSays(`${at.id}`, "hi", `chat-${at.id % 3}`);
      if (await store.outbox.acceptOutbound(channel, { key: `sent:${at.id}`, act, patienceMs })) isNew(channel, 1);
    },
    async claims(at) {
      claimed.push(...(await store.outbox.claim(lease, roomFor(1 + at.id))));
    },
    delivers: ({ id }) =>
      ended(take(id), (job) =>
        store.outbox.done(job, { ack, parts: partsOf(job), note: id % 2 ? note(id) : undefined }),
      ),
    // Ids of messages that have ended, are under way, or do not exist.
    async failsLate({ id }) {
      const events = [1, 11, 21].map((n) => messengerFails(`t${n + id}`, "no", `chat-${(n + id) % 3}`));
      await store.outbox.acceptInbound(channelOf(id), { events });
      await store.outbox.acceptInbound(channelOf(id), { events });
    },
    dies: ({ id }) =>
      ended(take(id), (job) => store.outbox.failed(job, { state: "dead", code: "general" }, "no", { ack })),
    held: ({ id }) => ended(take(id), (job) => store.outbox.failed(job, { state: "held", unsure: 1 }, "perhaps")),
    later: ({ id }) =>
      ended(take(id), (job) =>
        store.outbox.failed(job, { state: "ready", runAt: clock.now() + 5, countAttempt: true, unsure: 0 }, "busy"),
      ),
    postponed: ({ id }) => ended(take(id), (job) => store.outbox.postponed(job, clock.now() + 5)),
    async again({ id }) {
      const letters = await store.outbox.ended(account.id, 50);
      const letter = letters[id % Math.max(1, letters.length)];
      if (letter) await store.outbox.sendAgain(account.id, letter.id, 1000);
    },
    passes: () => clock.forward(1_300),
    async expires() {
      await clock.forward(3_000);
      await store.outbox.endOverdue(() => ({ ack }));
    },
    async crashes() {
      // Earlier claims belong to a stale lease.
      lease = await takeLease(store, account.id, "again");
      const taken = await store.outbox.takeOver(lease);
      for (const job of claimed) expect(await store.outbox.done(job, {})).toBe(false);
      claimed = taken;
    },
    stops: ({ id }) => store.channels.setState(channelOf(id).id, "stopped", "no"),
    resumes: ({ id }) => store.channels.setState(channelOf(id).id, "active"),
    removes: ({ id }) => (id < 4 ? store.channels.setState(channelOf(id).id, "removed") : Promise.resolve()),
  };
  return { ledger: () => store.ledger(account.id), counted, run: (at: Step) => acts[at.do](at) };
}

/** Runs on each engine, and at most in the long run. */
const RUNS = { SQLite: [60, 500], PostgreSQL: [4, 100] } as Record<string, [usual: number, max: number]>;

it.each(ENGINES)(
  "accepted events and owed acks always equal delivered plus refused plus waiting, on $name",
  async (engine) => {
    const on = await openOn(engine);
    const holds = async (steps: Step[]) => {
      const { ledger, counted, run } = await world(on);
      for (const at of steps) {
        await run(at);
        for (const row of await ledger()) {
          expect([at.do, row.hole, row.acks.hole]).toEqual([at.do, 0, 0]);
          expect([at.do, row.accepted]).toEqual([at.do, counted.get(row.channelId)]);
          const { owed, given, refused, waiting } = row.acks;
          for (const sum of [row.delivered, row.refused, row.waiting, owed, given, refused, waiting])
            expect(sum).toBeGreaterThanOrEqual(0);
        }
      }
    };
    const runs = RUNS[engine.name] ?? [1, 1];
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), holds), tries(...runs));
  },
);
