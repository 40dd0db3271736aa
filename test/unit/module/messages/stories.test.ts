import { createExplain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { expect, it } from "vitest";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { JobId } from "../../../../src/domain/ids.ts";
import { createStories } from "../../../../src/module/messages/stories.ts";
import { agentSays, customerSays, messengerFails } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";

const HOUR = 3_600_000;

async function setUp() {
  const { clock, store, account, channel } = await oneChannel();
  const stories = createStories({ store, clock, explain: createExplain(COMMON_EXPLANATIONS) });
  const arrives = (event: ChannelEvent) => store.outbox.acceptInbound(channel, { events: [event] });
  const answers = async (...ids: string[]) => {
    await store.outbox.acceptOutbound(channel, { key: "1", act: agentSays("1"), patienceMs: HOUR });
    const lease = await takeLease(store, account.id, "test");
    const job = (await store.outbox.claim(lease, roomFor(9))).find(({ direction }) => direction === "outbound");
    const parts = ids.map((id) => ({ messengerMessageId: id as MessengerMessageId, holds: "text" as const }));
    await store.outbox.done(job ?? expect.fail("not claimed"), { parts });
    return (job?.id ?? 0) as JobId;
  };
  return { clock, account, stories, arrives, answers };
}

it("a message's story knows whether its chat may still be answered", async () => {
  const { clock, account, stories, arrives, answers } = await setUp();
  const id = await answers("w-1");
  const window = async () => (await stories.of(account, id, "en"))?.window;
  expect(await window()).toBeUndefined();
  const until = clock.now() + HOUR;
  await arrives({ ...customerSays("m"), replyUntil: until } as ChannelEvent);
  expect(await window()).toEqual({ until, isOpen: true });
  clock.leap(HOUR + 1);
  expect(await window()).toEqual({ until, isOpen: false });
});

it("a failure that came late is told in the reader's language, with its time, and found by it", async () => {
  const { clock, account, stories, arrives, answers } = await setUp();
  const id = await answers("w-1", "w-2");
  clock.leap(HOUR);
  await arrives(messengerFails("w-2", "the file is no longer stored"));
  const error = "Часть 2 из 2 не доставлена: файл больше не хранится";
  expect(await stories.of(account, id, "ru")).toMatchObject({
    ...{ state: "dead", error, lateAt: clock.now(), endedAt: clock.now() - HOUR },
    tries: [{ at: clock.now(), error }],
  });
  expect(await stories.find(account, "файл больше не хранится", "ru")).toMatchObject([{ id }]);
});
