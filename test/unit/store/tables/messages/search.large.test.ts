import type { ChatId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import type { JobId } from "../../../../../src/domain/ids.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { customerSays } from "../../../../support/events.ts";

const LARGE = "x".repeat(1_500_000);
const BY = { actor: "account user", action: "customer exported" } as const;

describe.each(ENGINES)("large messages, on $name", (engine) => {
  async function setUp() {
    const made = await oneChannelOn(engine);
    const { store, account, channel } = made;
    const arrives = (...events: ChannelEvent[]) => store.outbox.acceptInbound(channel, { events });
    const says = async (count: number) => {
      for (let n = 0; n < count; n++) await arrives(customerSays(`${n}`, `word ${n} ${LARGE}`));
    };
    const copy = (maxBytes?: number) =>
      store.erasure.export(account.id, { channelId: channel.id, chat: "chat-1" as ChatId }, BY, maxBytes);
    return { ...made, arrives, says, copy };
  }

  it("are all found, newest first, by accounts and by the vendor", async () => {
    const { store, account, says } = await setUp();
    await says(8);
    const expected = [7, 6, 5, 4, 3, 2, 1, 0].map((n) => `word ${n}`);
    const beginnings = (found: { words?: string }[]) => found.map(({ words }) => words?.slice(0, 6));
    expect(beginnings(await store.stories.find(account.id, "word"))).toEqual(expected);
    expect(beginnings((await store.stories.findAnywhere("word")).found)).toEqual(expected);
    expect(await store.erasure.find(account.id, "word")).toMatchObject([{ count: 8 }]);
  });

  it("are read as far as 4 MiB after a message, and its story says until when", async () => {
    const { clock, store, account, arrives } = await setUp();
    await arrives(customerSays("a", "hello"));
    const [found] = await store.stories.find(account.id, "hello");
    const story = async () => (await store.stories.of(account.id, found?.id as JobId)) ?? expect.fail("no story");
    const said = customerSays("a", "hello");
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      if (n === 3) expect(await story(), "no more came").toMatchObject({ laterUntil: undefined });
      clock.leap(1_000);
      times.push(clock.now());
      await arrives({ ...said, key: `edit ${n}`, type: "edited", text: LARGE } as unknown as ChannelEvent);
    }
    const { later, laterUntil } = await story();
    expect(later.map(({ kind, at }) => [kind, at])).toEqual(times.slice(0, 3).map((at) => ["edited", at]));
    expect(laterUntil).toBe(times[2]);
  });

  it("are copied for a person as a whole, or refused above the bound, of which the audit has nothing", async () => {
    const { rows, says, copy } = await setUp();
    await says(5);
    expect(await copy(7_000_000)).toBe("too-large");
    expect((await rows("audit")).filter(({ action }) => action === BY.action)).toEqual([]);
    const records = await copy(8_000_000);
    const { messages } = typeof records === "object" ? records : expect.fail("no copy");
    expect(messages.map(({ content }) => JSON.stringify(content).includes(LARGE))).toEqual(Array(5).fill(true));
    expect(Object.keys(messages[0] ?? {}).filter((name) => name.startsWith("window"))).toEqual([]);
    expect(await copy()).toEqual(records);
  });
});
