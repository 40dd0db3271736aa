import { describe, expect, it } from "vitest";
import type { Lease } from "../../../src/domain/account.ts";
import { createPermits, EARLIER_CALLS_MS, MAX_HELD_MS } from "../../../src/gateway/limiter.ts";
import { countEarlierCalls } from "../../../src/module/messages/earlier-calls.ts";
import { createBreakers, createPaces } from "../../../src/relay/limits/limits.ts";
import { handClock } from "../../support/clock.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../support/engines.ts";
import { customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { roomFor } from "../../support/room.ts";
import { takeLease } from "../../support/store.ts";

/** Of thirty, a holder's on PostgreSQL; of these, those that calls without an answer may hold. */
const [PERMITS, SHARE] = [26, 17];
const MINUTE = 60_000;

/** Processes that hand one account to each other; what they save is in the store. */
async function handedOver(engine: TestedEngine) {
  let waiting = 0;
  const opened = await oneChannelOn(engine, { clock: handClock(undefined, () => waiting > 0) });
  const { clock, store, account, rows } = opened;
  const paces = createPaces(clock);
  const begin = (name: string) => {
    let lease: Lease | undefined;
    const save = async (_: string, startedAt: number[]) => {
      if (lease) await store.accounts.setUnanswered(lease, startedAt);
    };
    const permits = createPermits(clock, save, PERMITS);
    const call = async (how: "answered" | "unanswered") => {
      waiting += 1;
      await permits.run(account.id, "message", async (ended) => ended(how));
      waiting -= 1;
    };
    return {
      async takes() {
        lease = await takeLease(store, account.id, name);
        await countEarlierCalls({ store, clock, permits, paces, breakers: createBreakers(clock, silentLog) }, [
          account.id,
        ]);
        return lease;
      },
      async loses(calls: number) {
        await Promise.all(Array.from({ length: calls }, () => call("unanswered")));
        await clock.forward(0);
      },
      /** A call leaves no earlier than after `from`, and no later than after `to`, ms. */
      async calls(from: number, to: number) {
        const left = call("answered");
        await clock.forward(Math.max(0, from - 1));
        if (from > 0) expect(waiting).toBe(1);
        await clock.forward(to - Math.max(0, from - 1));
        await left;
      },
    };
  };
  const saved = async () => Number((await rows("account"))[0]?.unanswered);
  return { ...opened, begin, saved };
}

describe.each(ENGINES)("on $name", (engine) => {
  it("a call without an answer is counted once, however often two processes take the account from each other", async () => {
    const { begin, saved, store, channel } = await handedOver(engine);
    const [one, two] = [begin("one"), begin("two")];
    await one.takes();
    await one.loses(5);
    for (let n = 0; n < 3; n++) {
      await two.takes();
      expect(await saved()).toBe(5);
      await one.takes();
      expect(await saved()).toBe(5);
    }
    // Perhaps under way: they fill the share of calls without an answer at most.
    const events = Array.from({ length: 9 }, (_, n) => customerSays(`${n}`, "", `chat ${n}`));
    await store.outbox.acceptInbound(channel, { events });
    await store.outbox.claim(await one.takes(), roomFor(9));
    for (let n = 0; n < 3; n++) {
      await two.takes();
      expect(await saved()).toBe(SHARE);
      await one.takes();
      expect(await saved()).toBe(SHARE);
    }
    await one.calls(0, EARLIER_CALLS_MS);
    await two.takes();
    expect(await saved()).toBe(SHARE);
  });

  it("with all but a few permits spent, the first probe leaves at once after a hand-over", async () => {
    const { clock, store, begin } = await handedOver(engine);
    const [one, two] = [begin("one"), begin("two")];
    const starts = Array.from({ length: PERMITS - 2 }, (_, n) => clock.now() - n);
    await store.accounts.setUnanswered(await one.takes(), starts);
    await two.takes();
    await two.calls(0, EARLIER_CALLS_MS);
  });

  it("with all permits spent, a call leaves ten minutes after the oldest, which no hand-over moves", async () => {
    const { clock, store, begin, saved } = await handedOver(engine);
    const [one, two] = [begin("one"), begin("two")];
    const starts = Array.from({ length: PERMITS }, (_, n) => clock.now() + (n * MINUTE) / 4);
    await clock.forward(7 * MINUTE);
    await store.accounts.setUnanswered(await one.takes(), starts);
    await one.takes();
    await clock.forward(MINUTE);
    await two.takes();
    await clock.forward(MINUTE);
    await one.takes();
    expect(await saved()).toBe(PERMITS);
    await one.calls(MAX_HELD_MS - 9 * MINUTE, MAX_HELD_MS - 9 * MINUTE);
  });
});
