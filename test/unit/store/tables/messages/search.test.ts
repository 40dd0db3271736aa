import type { ChannelEvent } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { agentSays, customerSays } from "../../../../support/events.ts";
import { roomFor } from "../../../../support/room.ts";
import { takeLease } from "../../../../support/store.ts";

describe.each(ENGINES)("a search over all accounts, on $name", (engine) => {
  async function conversations() {
    const made = await oneChannelOn(engine);
    const { store, channel } = made;
    const asks = (id: string, nickname: string, chat: string) =>
      store.outbox.acceptInbound(channel, {
        events: [{ ...customerSays(id, `question ${id}`, chat), customer: { id: chat, nickname } } as ChannelEvent],
      });
    const answers = (id: string, chat: string) =>
      store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, `answer ${id}`, chat), patienceMs: 60_000 });
    const find = async (text: string, limits?: { rows?: number; before?: never; withContents?: boolean }) => {
      const { found, reached } = await store.stories.findAnywhere(text, limits);
      return { words: found.map(({ words }) => words), customers: found.map(({ customer }) => customer), reached };
    };
    return { ...made, asks, answers, find };
  }

  it("finds what agents wrote to a customer of that name, before and after the customer's own words", async () => {
    const { asks, answers, find } = await conversations();
    await answers("1", "chat-1");
    await asks("a", "Мария", "chat-1");
    await answers("2", "chat-1");
    await asks("b", "Pedro", "chat-2");
    await answers("3", "chat-2");
    const { words, customers } = await find("мАРИ");
    expect(words).toEqual(["answer 2", "question a", "answer 1"]);
    expect(customers).toEqual(["Мария", "Мария", "Мария"]);
  });

  it("without contents finds ids and errors only, neither words nor customers nor chats", async () => {
    const { asks, answers, find, store, account } = await conversations();
    await asks("a", "Мария", "chat-1");
    await answers("1", "chat-1");
    for (const job of await store.outbox.claim(await takeLease(store, account.id), roomFor(9)))
      if (job.direction === "outbound") await store.outbox.failed(job, { state: "dead", code: "general" }, "blocked");
    for (const text of ["мария", "question", "answer", "chat-1"]) {
      expect((await find(text)).words, text).not.toEqual([]);
      expect((await find(text, { withContents: false })).words, text).toEqual([]);
    }
    for (const [text, words] of Object.entries({ BLOCK: "answer 1", a: "question a" }))
      expect((await find(text, { withContents: false })).words, text).toContain(words);
  });

  it("says how far back it has read, and goes on before that; nothing is skipped or found twice on the way", async () => {
    const { asks, find, clock } = await conversations();
    const times: number[] = [];
    for (let n = 0; n < 7; n++) {
      clock.leap(1_000);
      times.push(clock.now());
      await asks(`${n}`, "Pedro", `chat-${n}`);
    }
    const seen: (string | undefined)[] = [];
    const reached = [];
    for (let before: never | undefined; ; ) {
      const part = await find("question", { rows: 3, before });
      seen.push(...part.words);
      reached.push([part.reached?.rows, part.reached?.since]);
      before = part.reached?.next as never;
      if (before === undefined) break;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `question ${n}`));
    expect(reached).toEqual([
      [3, times[4]],
      [3, times[1]],
      [1, times[0]],
    ]);
  });

  it("stops at fifty, and goes on after the last that it has found", async () => {
    const { asks, find } = await conversations();
    for (let n = 0; n < 60; n++) await asks(`${n}`, "Pedro", `chat-${n}`);
    const first = await find("pedro");
    expect([first.words.length, first.words.at(-1)]).toEqual([50, "question 10"]);
    const second = await find("pedro", { before: first.reached?.next as never });
    expect(second.words).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `question ${n}`));
    expect(second.reached?.next).toBeUndefined();
  });

  it("finds an id that CRM or messenger gave, or the number of a message, however old it is", async () => {
    const { asks, find, rows } = await conversations();
    for (const id of ["a", "b", "c"]) await asks(id, "Pedro", "chat-1");
    const [oldest] = (await rows("message")) as { id: number; messenger_message_id: string }[];
    expect((await find(String(oldest?.messenger_message_id), { rows: 1 })).words).toEqual(["question a"]);
    expect((await find(String(oldest?.id), { rows: 1 })).words).toContain("question a");
    expect((await find("question a", { rows: 1 })).words).toEqual([]);
  });
});
