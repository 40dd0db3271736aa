import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { addChannel, oneChannel, takeLease } from "../../../../support/store.ts";

/** Many more than a claim reads. */
const MANY = 700;

async function setUp() {
  const { clock, folder, store, account, channel } = await oneChannel({ bounds: { perAccount: 100_000 } });
  const lease = await takeLease(store, account.id, "test");
  const other = new Sqlite(join(folder, "gangway.db"));
  onTestFinished(() => void other.close());
  const { outbox } = store;
  const say = (...names: string[]) =>
    outbox.acceptInbound(channel, { events: names.map((name) => customerSays(name, name, name)) });
  const claim = async (most = 10) => (await outbox.claim(lease, roomFor(most))).map(({ id }) => id);
  return { clock, store, outbox, account, channel, lease, other, say, claim };
}

describe("a claim", () => {
  it("takes nothing that another connection has taken back", async () => {
    const { say, claim, other, outbox, account } = await setUp();
    await say("a", "b");
    expect(outbox.nextDue(account.id).due).toHaveLength(1);
    other.exec("UPDATE message SET state = 'dead', head = 0 WHERE id = 1");
    expect(await claim()).toEqual([2]);
  });

  it("takes what another connection has added", async () => {
    const { say, claim, other, clock } = await setUp();
    await say("a");
    expect(await claim()).toEqual([1]);
    other.exec(`UPDATE message SET state = 'ready', attempts = 0 WHERE id = 1`);
    await clock.forward(1);
    expect(await claim()).toEqual([1]);
  });

  it("gives nothing to a lease that has passed to another, and no head twice", async () => {
    const { say, claim, outbox, store, account } = await setUp();
    await say("a");
    const next = await takeLease(store, account.id, "another");
    await expect(claim()).rejects.toThrow("another process has the account");
    expect(await outbox.claim(next, roomFor(10))).toHaveLength(1);
    expect(await outbox.claim(next, roomFor(10))).toEqual([]);
  });

  it("takes nothing of a write that was rolled back, and then knows that nothing is due", async () => {
    const { say, claim, outbox, account, channel, store } = await setUp();
    await say("a");
    expect(await claim()).toEqual([1]);
    // The second event cannot be stored, and takes the first with it.
    const broken = { ...customerSays("c", "c", "c"), key: Symbol("no text") as unknown as string };
    await expect(outbox.acceptInbound(channel, { events: [customerSays("b", "b", "b"), broken] })).rejects.toThrow();
    expect(await claim()).toEqual([]);
    expect(outbox.nextDue(account.id)).toEqual({ due: [] });
    expect((await store.ledger(account.id))[0]).toMatchObject({ accepted: 1, waiting: 1 });
  });

  it("takes all of a long queue, oldest first, while more arrive", async () => {
    const { say, claim, clock } = await setUp();
    for (let n = 0; n < MANY; n++) {
      await say(`chat ${n}`);
      if (n % 50 === 0) await clock.forward(1);
    }
    const claimed: number[] = [];
    for (let n = 0; n < MANY; n += 7) {
      if (n % 70 === 0) await say(`late ${n}`);
      claimed.push(...(await claim(7)));
    }
    expect(claimed).toEqual(Array.from({ length: claimed.length }, (_, n) => n + 1));
    expect(claimed.length).toBeGreaterThanOrEqual(MANY);
  });

  it("deals to a channel whose messages are younger than many of another's", async () => {
    const { say, outbox, lease, store, account, clock } = await setUp();
    for (let n = 0; n < MANY; n++) await say(`chat ${n}`);
    await clock.forward(1_000);
    const bot = await addChannel(store, account);
    await outbox.acceptInbound(bot, { events: [customerSays("one", "one", "one")] });
    await outbox.acceptOutbound(bot, { key: "k", act: agentSays("k", "", "two"), patienceMs: 60_000 });
    const jobs = [...(await outbox.claim(lease, roomFor(4))), ...(await outbox.claim(lease, roomFor(4)))];
    expect(
      jobs
        .filter(({ channelId }) => channelId === bot.id)
        .map(({ direction }) => direction)
        .sort(),
    ).toEqual(["inbound", "outbound"]);
  });

  it("that is rolled back leaves its work due", async () => {
    const { say, claim, outbox, account, other } = await setUp();
    await say("a");
    other.exec("CREATE TRIGGER no_room BEFORE UPDATE ON message BEGIN SELECT raise(ABORT, 'no room'); END");
    await expect(claim()).rejects.toThrow("no room");
    other.exec("DROP TRIGGER no_room");
    expect(outbox.nextDue(account.id).due).toHaveLength(1);
    expect(await claim()).toEqual([1]);
  });
});
