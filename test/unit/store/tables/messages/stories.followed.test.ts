import type { ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../../../src/domain/ids.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { addAccount, addChannel, oneChannel } from "../../../../support/store.ts";

const HOUR = 3_600_000;

async function setUp() {
  const { clock, store, account, channel } = await oneChannel({ bounds: { perAccount: 5_000 } });
  const another = await addChannel(store, account);
  const says = (id: string, chat = "chat-1", by = channel) =>
    store.outbox.acceptInbound(by, { events: [customerSays(id, id, chat)] });
  const answers = (id: string, chat = "chat-1") =>
    store.outbox.acceptOutbound(channel, { key: `sent:${id}`, act: agentSays(id, id, chat), patienceMs: HOUR });
  const wordsOf = async (id: JobId | undefined) => id && (await store.stories.of(account.id, id))?.words;
  return { clock, store, account, channel, another, says, answers, wordsOf };
}

describe("who waits for a message", () => {
  it("finds the first that a customer wrote in the channel since, among thousands elsewhere", async () => {
    const { clock, store, channel, another, says, wordsOf } = await setUp();
    await says("long ago");
    clock.leap(HOUR);
    const since = clock.now();
    expect(await store.stories.firstSince(channel, since)).toBeUndefined();
    await says("elsewhere", "chat-9", another);
    await says("first", "chat-2");
    const many = Array.from({ length: 2_100 }, (_, n) => customerSays(`m${n}`, `m${n}`, `chat-${n}`));
    await store.outbox.acceptInbound(another, { events: many });
    await says("second");
    expect(await wordsOf(await store.stories.firstSince(channel, since))).toBe("first");
    const stranger = await addAccount(store, "other");
    expect(await store.stories.firstSince({ id: channel.id, accountId: stranger.id }, since)).toBeUndefined();
  });

  it("finds the last of a chat, and the first answer to a message", async () => {
    const { store, account, channel, says, answers, wordsOf } = await setUp();
    for (const id of ["one", "two"]) await says(id);
    await says("apart", "chat-2");
    await answers("early");
    await says("three");
    const last = await store.stories.lastIn(channel, "chat-1" as ChatId);
    expect(await wordsOf(last)).toBe("three");
    expect(await store.stories.answerTo(account.id, last as JobId)).toBeUndefined();
    await answers("apart too", "chat-2");
    await answers("late");
    await answers("later");
    expect(await wordsOf(await store.stories.answerTo(account.id, last as JobId))).toBe("late");
    const stranger = await addAccount(store, "other");
    expect(await store.stories.answerTo(stranger.id, last as JobId)).toBeUndefined();
    expect(await store.stories.lastIn({ id: channel.id, accountId: stranger.id }, "chat-1" as ChatId)).toBeUndefined();
  });
});
