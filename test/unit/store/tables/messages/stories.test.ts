import type { CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../../src/domain/delivery.ts";
import type { JobId } from "../../../../../src/domain/ids.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { oneChannel, takeLease } from "../../../../support/store.ts";

const HOUR = 3_600_000;

async function setUp() {
  const { clock, store, account, channel } = await oneChannel();
  const lease = await takeLease(store, account.id, "test");
  const arrives = (...events: ChannelEvent[]) => store.outbox.acceptInbound(channel, { events });
  const answers = async (id: string, chat = "chat-1") => {
    await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, id, chat), patienceMs: HOUR });
    const claimed = await store.outbox.claim(lease, roomFor(99));
    const job = claimed.find(({ direction }) => direction === "outbound") as Job;
    const messengerMessageId = `w-${id}` as MessengerMessageId;
    await store.outbox.done(job, { parts: [{ messengerMessageId, holds: "text" }] });
    return async () => (await store.stories.of(account.id, job.id as JobId)) ?? expect.fail("no story");
  };
  return { clock, store, account, arrives, answers };
}

const says = (id: string, more: object, chat?: string) => ({ ...customerSays(id, id, chat), ...more }) as ChannelEvent;

describe("the story of a message", () => {
  it("knows until when its chat may be answered, by the customer's last message, not by staff's", async () => {
    const { arrives, answers } = await setUp();
    const story = await answers("1");
    expect((await story()).replyUntil).toBeUndefined();
    await arrives(says("a", { replyUntil: 1_000 }), says("b", { replyUntil: 2_000 }));
    expect((await story()).replyUntil).toBe(2_000);
    await arrives(says("c", { originator: "channel" }), says("elsewhere", { replyUntil: 9_000 }, "chat-2"));
    expect((await story()).replyUntil).toBe(2_000);
    await arrives(says("d", {}));
    expect((await story()).replyUntil).toBeUndefined();
  });

  it("has its whole text, where a list has how it begins: whole words, and a sign that there is more", async () => {
    const { store, account, arrives } = await setUp();
    const text = `${"Do you still have the blue rope of twelve metres? ".repeat(3)}\nThank you`;
    await arrives(customerSays("a", text));
    const [found] = await store.stories.find(account.id, "blue rope");
    expect(found?.words).toBe("Do you still have the blue rope of twelve metres? Do you still have the blue…");
    expect((await store.stories.of(account.id, found?.id as JobId))?.words).toBe(text);
  });

  it("tells when the customer read it, also by a mark up to a time, but not by one from before", async () => {
    const { clock, arrives, answers } = await setUp();
    const first = await answers("1");
    clock.leap(1_000);
    const event = customerSays("r");
    const read = { type: "read-until", customer: "chat-1" as CustomerId } as const;
    const until = ({ key, chat, messengerMessageId, at }: ChannelEvent, name: string): ChannelEvent => ({
      ...{ key: key + name, chat, messengerMessageId, at, ...read },
    });
    await arrives(until(event, "1"));
    const readAt = clock.now();
    clock.leap(1_000);
    const second = await answers("2");
    expect((await first()).later).toMatchObject([{ at: readAt, kind: "read", direction: "inbound" }]);
    expect((await second()).later).toEqual([]);
    await arrives(until(event, "2"));
    expect([(await first()).later.length, (await second()).later.length]).toEqual([1, 1]);
  });
});
