import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { handClock } from "../../../support/clock.ts";
import { postgresStore } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { command, databaseWithTables } from "../../../support/postgres.ts";
import { doorTo } from "../../../support/postgres-door.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

/** A process by a door that loses answers, after the database has committed. */
async function setUp() {
  const url = await databaseWithTables();
  const { url: byDoor, loses } = await doorTo(url);
  const clock = handClock();
  const store = await postgresStore(byDoor, clock);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const lease = await takeLease(store, account.id);
  const claim = () => store.outbox.claim(lease, roomFor(10));
  const begun: Job[] = [];
  const held = { lease, most: 5, begin: (jobs: Job[]) => void begun.push(...jobs) };
  const say = (id: string) => store.outbox.acceptInbound(channel, { events: [customerSays(id, "", id)] }, held);
  const answer = (id: string) =>
    store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, "", id), patienceMs: 60_000 });
  const states = () => command(url, "SELECT state, attempts::int, ack FROM message ORDER BY id");
  const knows = () => until("the work is known", () => store.outbox.nextDue(account.id).due.length > 0);
  const ledger = async () => (await store.ledger(account.id))[0];
  return { store, account, clock, lease, held, begun, loses, claim, say, answer, states, knows, ledger };
}
const ack = { gatewayMessageId: "1" as GatewayMessageId };

describe("when the answer to a commit is lost,", () => {
  it("a message that was stored to leave at once is claimed instead, once, and a repeat is known", async () => {
    const { begun, loses, claim, say, states, knows, store, ledger } = await setUp();
    const lost = loses("COMMIT");
    await expect(say("a")).rejects.toThrow();
    await lost;
    expect(await say("a")).toBe(0);
    expect(begun).toEqual([]);
    expect(await states()).toEqual([{ state: "ready", attempts: 0, ack: null }]);
    await knows();
    const [job, ...others] = await claim();
    expect([job?.attempts, job?.crashes, others]).toEqual([1, 0, []]);
    expect(await store.outbox.done(job as Job, {})).toBe(true);
    expect(await ledger()).toMatchObject({ accepted: 1, delivered: 1, waiting: 0, hole: 0 });
  });

  it("all messages of its group are stored once, and each leaves once", async () => {
    const { begun, loses, claim, say, knows, ledger } = await setUp();
    void loses("COMMIT");
    expect(await Promise.all([say("a"), say("b"), say("c")])).toEqual([0, 0, 0]);
    await knows();
    expect([begun.length, (await claim()).length]).toEqual([0, 3]);
    expect(await ledger()).toMatchObject({ accepted: 3, waiting: 3, hole: 0 });
  });

  it("a message under way stays so when its sender repeats it", async () => {
    const { begun, loses, say, states, store, ledger } = await setUp();
    await say("a");
    void loses("COMMIT");
    // The repeat is alone in its transaction, and finds the key.
    await Promise.allSettled([say("a"), say("b")]);
    expect(begun.map(({ attempts }) => attempts)).toEqual([1]);
    expect(await states()).toMatchObject([{ state: "sending", attempts: 1 }, { state: "ready" }]);
    expect(await store.outbox.done(begun[0] as Job, {})).toBe(true);
    expect(await ledger()).toMatchObject({ accepted: 2, delivered: 1, hole: 0 });
  });

  it("what it has claimed is claimed again, and its attempt counts once", async () => {
    const { loses, claim, answer, states, knows, store, ledger } = await setUp();
    await answer("0");
    const [first] = await claim();
    await store.outbox.done(first as Job, { ack });
    for (const id of ["1", "2"]) await answer(id);
    const done = { state: "done", attempts: 1, ack: "due" };
    // The acks come first.
    for (const lost of ["UPDATE 1", "UPDATE 2"]) {
      void loses(lost);
      await expect(claim()).rejects.toThrow();
      expect(await states()).toEqual([done, ...[1, 2].map(() => ({ state: "ready", attempts: 0, ack: null }))]);
      await knows();
    }
    const jobs = await claim();
    expect(jobs.map(({ direction, attempts }) => [direction, attempts])).toEqual([
      ["ack", 1],
      ["outbound", 1],
      ["outbound", 1],
    ]);
    for (const job of jobs) expect(await store.outbox.done(job, {})).toBe(true);
    expect(await ledger()).toMatchObject({ accepted: 3, delivered: 3, hole: 0, acks: { owed: 1, given: 1, hole: 0 } });
  });

  it("a delivery is recorded once, and its ack is claimed", async () => {
    const { held, begun, loses, claim, answer, states, knows, store, ledger } = await setUp();
    await answer("1");
    const [job] = await claim();
    void loses("COMMIT");
    expect(await store.outbox.done(job as Job, { ack }, held)).toBe(true);
    expect(begun).toEqual([]);
    expect(await states()).toEqual([{ state: "done", attempts: 1, ack: "due" }]);
    expect(await ledger()).toMatchObject({ delivered: 1, hole: 0, acks: { owed: 1, waiting: 1, hole: 0 } });
    await knows();
    const [owed] = await claim();
    expect([owed?.direction, owed?.attempts]).toEqual(["ack", 1]);
    void loses("COMMIT");
    expect(await store.outbox.done(owed as Job, {})).toBe(true);
    expect(await ledger()).toMatchObject({ acks: { owed: 1, given: 1, hole: 0 } });
  });

  it("a failure is recorded once, and a try that begins again is not taken for the one before", async () => {
    const { clock, loses, claim, answer, states, knows, store, ledger } = await setUp();
    for (const id of ["1", "2"]) await answer(id);
    const [one, two] = (await claim()) as [Job, Job];
    const again = { state: "ready" as const, runAt: clock.now(), countAttempt: false, unsure: 0 };
    void loses("COMMIT");
    const results = [
      store.outbox.failed(one, again, "busy"),
      store.outbox.failed(two, { state: "dead", code: "general" }, "no", { ack }),
    ];
    expect(await Promise.all(results)).toEqual([true, true]);
    expect(await states()).toEqual([
      { state: "ready", attempts: 0, ack: null },
      { state: "dead", attempts: 1, ack: "due" },
    ]);
    await knows();
    const jobs = await claim();
    expect(jobs.map(({ id, direction }) => [id, direction])).toEqual([
      [two.id, "ack"],
      [one.id, "outbound"],
    ]);
    expect(await ledger()).toMatchObject({ accepted: 2, refused: 1, waiting: 1, hole: 0, acks: { owed: 1, hole: 0 } });
  });

  it("progress is recorded, and its job stays under way", async () => {
    const { loses, claim, answer, states, store } = await setUp();
    await answer("1");
    const [job] = await claim();
    void loses("COMMIT");
    expect(await store.outbox.callStarted(job as Job)).toBe(true);
    expect(await states()).toEqual([{ state: "sending", attempts: 1, ack: null }]);
    expect(await store.outbox.done(job as Job, {})).toBe(true);
  });
});
