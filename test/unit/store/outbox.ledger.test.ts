import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId, JobId } from "../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";
import { until } from "../../support/until.ts";

describe.each(ENGINES)("on $name", (engine) => {
  async function setUp() {
    const { clock, store, account, channel, change } = await oneChannelOn(engine);
    const lease = await takeLease(store, account.id, "test");
    const claim = async () => (await store.outbox.claim(lease, roomFor(10))) as [Job, ...Job[]];
    const says = (...ids: string[]) =>
      store.outbox.acceptInbound(channel, { events: ids.map((id) => customerSays(id, id, `chat-${id}`)) });
    const answers = (id: string, patienceMs = 60_000) =>
      store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id), patienceMs });
    const row = async () => {
      const [found] = await store.ledger(account.id);
      const { accepted, delivered, refused, waiting, held, hole } = found ?? expect.fail("no row");
      return { accepted, delivered, refused, waiting, held, hole };
    };
    const acks = async () => (await store.ledger(account.id))[0]?.acks;
    const behindItsBack = change;
    return { clock, store, account, channel, claim, says, answers, row, acks, behindItsBack };
  }
  const dead = { state: "dead" as const, code: "general" as const };
  const held = { state: "held" as const, unsure: 1 };
  const NONE = { accepted: 0, delivered: 0, refused: 0, waiting: 0, held: 0, hole: 0 };
  const owed = { owed: 0, given: 0, refused: 0, waiting: 0, hole: 0 };
  const ack = { gatewayMessageId: "1" as GatewayMessageId };

  describe("the ledger", () => {
    it("counts an accepted event as waiting, then as delivered, and ignores repeats", async () => {
      const { store, claim, says, answers, row } = await setUp();
      expect(await row()).toEqual(NONE);
      await says("a");
      await says("a");
      await answers("1");
      await answers("1");
      expect(await row()).toEqual({ ...NONE, accepted: 2, waiting: 2 });
      const [first, second] = await claim();
      expect(await row()).toEqual({ ...NONE, accepted: 2, waiting: 2 });
      await store.outbox.done(first, {});
      await store.outbox.done(second as Job, { ack });
      expect(await row()).toEqual({ ...NONE, accepted: 2, delivered: 2 });
    });

    it("says that a message of days ago that is sent again is due from now on", async () => {
      const { clock, store, account, claim, says } = await setUp();
      await says("a");
      const [job] = await claim();
      await store.outbox.failed(job, dead, "refused");
      await clock.forward(3 * 86_400_000);
      const now = clock.now();
      expect(await store.outbox.sendAgain(account.id, job.id, 3_600_000)).toBe(true);
      expect((await store.ledger(account.id))[0]?.dueAt).toBe(now);
      const [again] = await claim();
      const next = { state: "ready" as const, runAt: now + 60_000, countAttempt: true, unsure: 0 };
      await store.outbox.failed(again, next, "the gateway is away");
      expect((await store.ledger(account.id))[0]?.dueAt).toBe(now);
    });

    it("says that what keeps failing has been due since its first attempt, not since its next one", async () => {
      const { clock, store, account, claim, says } = await setUp();
      await says("a");
      const since = clock.now();
      for (let n = 0; n < 3; n++) {
        const [job] = await claim();
        const next = { state: "ready" as const, runAt: clock.now() + 60_000, countAttempt: true, unsure: 0 };
        await store.outbox.failed(job, next, "the gateway is away");
        expect((await store.ledger(account.id))[0]?.dueAt, `after ${n + 1} attempts`).toBe(since);
        await clock.forward(60_000);
      }
    });

    it("says since when something is due, unless someone holds it back: the account, the channel, or a person", async () => {
      const { clock, store, account, channel, claim, says, answers } = await setUp();
      const look = async () => {
        const [{ dueAt, standing, undelivered, kind } = expect.fail("no row")] = await store.ledger(account.id);
        return { dueAt, standing, undelivered, kind };
      };
      const quiet = { dueAt: undefined, standing: "working", undelivered: 0, kind: channel.kind };
      expect(await look()).toEqual(quiet);
      await says("a");
      const since = clock.now();
      await clock.forward(30_000);
      await answers("1");
      expect(await look()).toEqual({ ...quiet, dueAt: since });
      for (const state of ["paused", "stopped"] as const) {
        await store.channels.setState(channel.id, state);
        expect(await look()).toEqual({ ...quiet, standing: state });
      }
      await store.channels.setState(channel.id, "active");
      await store.accounts.setActivity(account.id, { active: true, frozen: true }, 9);
      expect(await look()).toEqual({ ...quiet, standing: "off" });
      await store.accounts.setActivity(account.id, { active: true, frozen: false }, 9);
      expect(await look()).toEqual({ ...quiet, dueAt: since });
      await store.accounts.setTrouble(account.id, { text: "no token", restUntil: since + 90_000 });
      const rests = { ...quiet, standing: "troubled", dueAt: since + 30_000 };
      expect(await look(), "what goes to the gateway rests").toEqual(rests);
      await store.accounts.setTrouble(account.id);
      const jobs: Job[] = [];
      // PostgreSQL tells of the change after its commit.
      await until("both jobs", async () => jobs.push(...(await claim())) === 2);
      const [first, second] = jobs as [Job, Job];
      expect(await look(), "what is under way is not due").toEqual(quiet);
      await store.outbox.failed(first, dead, "no");
      await store.outbox.failed(second, held, "no");
      expect(await look()).toEqual({ ...quiet, undelivered: 1 });
    });

    it("counts an ack as owed and waiting, then as given, or as refused until it is resent", async () => {
      const { store, account, claim, answers, acks } = await setUp();
      for (const id of ["1", "2"]) await answers(id);
      for (let n = 0; n < 2; n++) {
        const found = (await claim()).find(({ direction }) => direction === "outbound");
        await store.outbox.done(found as Job, { ack });
      }
      expect(await acks()).toEqual({ ...owed, owed: 2, waiting: 2 });
      const next = await takeLease(store, account.id, "test");
      const [first] = await store.outbox.takeOver(next);
      await store.outbox.postponed(first as Job, 0);
      const [one, other] = (await store.outbox.claim(next, roomFor(10))) as [Job, Job];
      await store.outbox.done(one, {});
      expect(await acks()).toEqual({ ...owed, owed: 2, given: 1, waiting: 1 });
      await store.outbox.failed(other as Job, dead, "no");
      expect(await acks()).toEqual({ ...owed, owed: 2, given: 1, refused: 1 });
      const [letter] = await store.outbox.ended(account.id, 9);
      expect(await store.outbox.sendAgain(account.id, letter?.id as JobId, 1000)).toBe(true);
      expect(await acks()).toEqual({ ...owed, owed: 2, given: 1, waiting: 1 });
    });

    it("shows those of agents' messages that end with their channel: told while it closes, and else given up", async () => {
      const { store, channel, claim, answers, acks } = await setUp();
      await answers("1");
      await answers("2");
      expect(await store.outbox.endChannel(channel.id, () => ({ ack }))).toBe(2);
      expect(await store.outbox.endChannel(channel.id, () => ({ ack }))).toBe(0);
      expect(await acks()).toEqual({ ...owed, owed: 2, waiting: 2 });
      expect(await store.messages.hasOutbound(channel.id)).toBe(true);
      for (const job of await claim()) await store.outbox.done(job, {});
      expect(await acks()).toEqual({ ...owed, owed: 2, given: 2 });
      expect(await store.messages.hasOutbound(channel.id)).toBe(false);
      await answers("3");
      await store.channels.setState(channel.id, "removed");
      expect(await acks()).toEqual({ ...owed, owed: 3, given: 2, refused: 1 });
    });

    it("has a hole where an ack is lost", async () => {
      const { store, claim, answers, acks, behindItsBack } = await setUp();
      await answers("1");
      await store.outbox.done((await claim())[0], { ack });
      await behindItsBack("UPDATE message SET ack = NULL");
      expect(await acks()).toEqual({ owed: 1, given: 0, refused: 0, waiting: 0, hole: 1 });
    });

    it("counts neither acks nor our own notes, and each end once", async () => {
      const { clock, store, claim, answers, row } = await setUp();
      await answers("1");
      const [job] = await claim();
      const note = { ...customerSays("note"), type: "note", text: "cut" } as unknown as Extract<
        ChannelEvent,
        { type: "note" }
      >;
      await store.outbox.done(job, { ack, note });
      await store.outbox.done(job, { ack });
      expect(await row()).toEqual({ ...NONE, accepted: 1, delivered: 1 });
      for (const own of await claim()) await store.outbox.failed(own, dead, "no");
      expect(await row()).toEqual({ ...NONE, accepted: 1, delivered: 1 });
      await clock.forward(1);
    });

    it("counts a messenger's own notes", async () => {
      const { store, channel, row } = await setUp();
      const note = { ...customerSays("n"), type: "note", text: "the group has moved" } as unknown as ChannelEvent;
      await store.outbox.acceptInbound(channel, { events: [note] });
      expect(await row()).toEqual({ ...NONE, accepted: 1, waiting: 1 });
    });

    it("counts every part of an album delivered as one message", async () => {
      const { clock, store, channel, claim, row } = await setUp();
      const part = (id: string) => ({ ...customerSays(id), album: "album" }) as ChannelEvent;
      for (const id of ["1", "2", "2", "3"]) await store.outbox.acceptInbound(channel, { events: [part(id)] });
      expect(await row()).toEqual({ ...NONE, accepted: 3, waiting: 3 });
      await clock.forward(1_300);
      await store.outbox.done((await claim())[0], {});
      expect(await row()).toEqual({ ...NONE, accepted: 3, delivered: 3 });
    });

    it("counts retried, postponed and taken-over jobs as waiting", async () => {
      const { clock, store, account, claim, says, row } = await setUp();
      await says("a", "b", "c");
      const [a, b] = await claim();
      const later = { state: "ready" as const, runAt: clock.now() + 5, countAttempt: true, unsure: 0 };
      await store.outbox.failed(a, later, "busy");
      await store.outbox.postponed(b as Job, clock.now() + 5);
      const lease = await takeLease(store, account.id, "another");
      await store.outbox.takeOver(lease);
      expect(await row()).toEqual({ ...NONE, accepted: 3, waiting: 3 });
    });

    it("counts a dead letter as refused, and as waiting again once resent", async () => {
      const { store, account, claim, says, row } = await setUp();
      await says("a");
      const [job] = await claim();
      await store.outbox.failed(job, dead, "no");
      expect(await row()).toEqual({ ...NONE, accepted: 1, refused: 1 });
      await store.outbox.sendAgain(account.id, job.id as JobId, 1000);
      await store.outbox.sendAgain(account.id, job.id as JobId, 1000);
      expect(await row()).toEqual({ ...NONE, accepted: 1, waiting: 1 });
      await store.outbox.done((await claim())[0], {});
      expect(await row()).toEqual({ ...NONE, accepted: 1, delivered: 1 });
    });

    it("counts a held message as waiting, also after it is resent", async () => {
      const { store, account, claim, answers, row } = await setUp();
      await answers("1");
      const [job] = await claim();
      await store.outbox.failed(job, held, "perhaps", { ack });
      expect(await row()).toEqual({ ...NONE, accepted: 1, waiting: 1, held: 1 });
      await store.outbox.sendAgain(account.id, job.id as JobId, 1000);
      expect(await row()).toEqual({ ...NONE, accepted: 1, waiting: 1 });
    });

    it("counts an overdue message as refused", async () => {
      const { clock, store, channel, answers, row } = await setUp();
      await store.channels.setState(channel.id, "stopped", "token died");
      await answers("1", 1000);
      await clock.forward(1000);
      await store.outbox.endOverdue(() => ({ ack }));
      expect(await row()).toEqual({ ...NONE, accepted: 1, refused: 1 });
    });

    it("counts jobs waiting in a removed channel as refused, and those under way by their outcome", async () => {
      const { store, channel, claim, says, answers, row } = await setUp();
      await answers("1");
      const [perhaps] = await claim();
      await store.outbox.failed(perhaps, held, "perhaps");
      await says("a");
      const [underWay] = await claim();
      await says("b", "c");
      await store.channels.setState(channel.id, "removed");
      expect(await row()).toEqual({ ...NONE, accepted: 4, refused: 3, waiting: 1 });
      await store.outbox.done(underWay, {});
      expect(await row()).toEqual({ ...NONE, accepted: 4, refused: 3, delivered: 1 });
    });

    it("books nothing under a stale lease", async () => {
      const { store, account, claim, says, row } = await setUp();
      await says("a");
      const [job] = await claim();
      await store.outbox.takeOver(await takeLease(store, account.id, "another"));
      await store.outbox.done(job, {});
      await store.outbox.failed(job, dead, "no");
      expect(await row()).toEqual({ ...NONE, accepted: 1, waiting: 1 });
    });

    it("shows a hole when a message is deleted behind its back", async () => {
      const { says, row, behindItsBack } = await setUp();
      await says("a", "b");
      await behindItsBack("DELETE FROM message WHERE id = 1");
      expect(await row()).toEqual({ ...NONE, accepted: 2, waiting: 1, hole: 1 });
    });

    it("shows a negative hole when its sums are deleted behind its back", async () => {
      const { says, row, behindItsBack } = await setUp();
      await says("a", "b");
      await behindItsBack("DELETE FROM tally");
      expect(await row()).toEqual({ ...NONE, waiting: 2, hole: -2 });
    });

    it("has a row per channel, of one account or of all, with the age of its oldest job", async () => {
      const { clock, store, account, channel, says } = await setUp();
      const second = await addChannel(store, account);
      const stranger = await addAccount(store, "stranger");
      const theirs = await addChannel(store, stranger);
      const began = clock.now();
      await says("a");
      await clock.forward(500);
      await says("b");
      expect((await store.ledger()).map((row) => row.channelId).sort()).toEqual(
        [channel.id, second.id, theirs.id].sort(),
      );
      expect((await store.ledger(account.id)).find((row) => row.channelId === channel.id)).toMatchObject({
        accountId: account.id,
        jobs: 2,
        oldestAt: began,
      });
      expect(await store.ledger(stranger.id)).toMatchObject([{ channelId: theirs.id, accepted: 0, jobs: 0 }]);
    });
  });
});
