import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, takeLease } from "../../support/store.ts";

describe.each(ENGINES)("on $name", (engine) => {
  it("the next process knows the previous one's calls by account: recent, under way and unanswered", async () => {
    const { clock, store, account, channel } = await oneChannelOn(engine);
    await addAccount(store, "quiet");
    const { outbox, accounts } = store;
    const called = () => outbox.recentCalls(clock.now() - 1_500);
    expect(await called()).toEqual([]);
    const events = ["a", "b", "c"].map((name) => customerSays(name, name, `chat-${name}`));
    await outbox.acceptInbound(channel, { events });
    await outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: 60_000 });
    const lease = await takeLease(store, account.id, "one");
    const [done, later] = await outbox.claim(lease, roomFor(3));
    await outbox.done(done as Job, {});
    await outbox.postponed(later as Job, clock.now() + 60_000);
    const own = { accountId: account.id };
    expect(await called()).toEqual([{ ...own, recent: 2, sending: 1, unanswered: [] }]);
    await clock.forward(60_000);
    const unanswered = [clock.now() - 40_000, clock.now() - 1];
    await accounts.setUnanswered(lease, unanswered);
    expect(await called()).toEqual([{ ...own, recent: 0, sending: 1, unanswered }]);
    await takeLease(store, account.id, "two");
    await accounts.setUnanswered(lease, [clock.now()]);
    expect(await called()).toEqual([{ ...own, recent: 0, sending: 1, unanswered }]);
  });

  it("a message that waits between two of its steps was called for, one that nothing was done for was not", async () => {
    const { clock, store, account, channel } = await oneChannelOn(engine);
    const { outbox, messages } = store;
    const act = agentSays("1");
    await outbox.acceptOutbound(channel, { key: "1", act, patienceMs: 60_000 });
    const [job] = await outbox.claim(await takeLease(store, account.id, "one"), roomFor(1));
    const since = clock.now() - 1_500;
    const called = async () => [
      (await outbox.recentCalls(since)).length,
      (await messages.sentSince(channel.id, act.chat, since)).length,
    ];
    await outbox.postponed(job as Job, clock.now());
    expect(await called()).toEqual([0, 0]);
    const [again] = await outbox.claim(await takeLease(store, account.id, "one"), roomFor(1));
    const progress = { done: 1, parts: [], losses: [] };
    await outbox.advanced(again as Job, { plan: { steps: [], losses: [] }, progress });
    await outbox.postponed(again as Job, clock.now());
    expect(await called()).toEqual([1, 1]);
  });
});
