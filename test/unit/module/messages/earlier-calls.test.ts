import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { createPermits, EARLIER_CALLS_MS, PER_SECOND } from "../../../../src/gateway/limiter.ts";
import { countEarlierCalls } from "../../../../src/module/messages/earlier-calls.ts";
import { createBreakers, createPaces } from "../../../../src/relay/limits/limits.ts";
import { handClock } from "../../../support/clock.ts";
import { postgresStore } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";

describe("whoever takes an account from a process that has just left", () => {
  it("counts the calls that this one has made until then, however long it runs itself", async () => {
    const clock = handClock();
    const store = await postgresStore(await databaseWithTables(), clock);
    const account = await addAccount(store);
    const channel = await addChannel(store, account);
    const lease = await takeLease(store, account.id);
    for (let n = 0; n < PER_SECOND; n++)
      await store.outbox.acceptInbound(channel, { events: [customerSays(`${n}`, "", `chat ${n}`)] });
    for (const job of await store.outbox.claim(lease, roomFor(PER_SECOND))) await store.outbox.done(job, {});
    const permits = createPermits(clock);
    const paces = createPaces(clock);
    await countEarlierCalls({ store, clock, permits, paces, breakers: createBreakers(clock, silentLog) }, [account.id]);
    const pace = { perSecond: PER_SECOND, perChat: () => ({ most: 2 * PER_SECOND, everyMs: 1_000 }) };
    const atMessenger = { accountId: account.id, channelId: channel.id, pace, chat: "chat" as ChatId };
    await paces.countEarlier(atMessenger, async () => []);
    expect(paces.wait(atMessenger)).toBe(1_000);
    let calls = 0;
    const call = permits.run(account.id, "message", async () => {
      calls += 1;
    });
    await clock.forward(EARLIER_CALLS_MS - 1);
    expect(calls).toBe(0);
    await clock.forward(1);
    await call;
    expect(calls).toBe(1);
  });
});
