import type { ChannelId, ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { createPaces, type PaceAt } from "../../../../src/relay/limits/limits.ts";
import { handClock } from "../../../support/clock.ts";

const pace = { perSecond: 5, perChat: () => ({ most: 1, everyMs: 1_000 }) };
const account = "account" as AccountId;
const at = (chat: string, own = pace): PaceAt => ({
  accountId: account,
  channelId: "channel" as ChannelId,
  pace: own,
  chat: chat as ChatId,
});

async function opened() {
  const clock = handClock();
  const paces = createPaces(clock);
  const call = (chat: string, ms = 0) =>
    paces.run(at(chat), () => new Promise<object>((resolve) => void clock.after(ms, () => resolve({}))));
  return { clock, paces, call };
}

describe("the pace of a messenger", () => {
  it("starts the next call to a chat a whole window after the answer to the last", async () => {
    const { clock, paces, call } = await opened();
    expect(paces.wait(at("a"))).toBe(0);
    const slow = call("a", 300);
    expect(paces.wait(at("a"))).toBeGreaterThan(0);
    await clock.forward(300);
    await slow;
    expect(paces.wait(at("a"))).toBe(1_000);
    expect(paces.wait(at("b"))).toBe(0);
    await clock.forward(1_000);
    expect(paces.wait(at("a"))).toBe(0);
  });

  it("has a limit of its own for calls with files, which leaves the others alone", async () => {
    const { paces } = await opened();
    const own = { ...pace, filesPerSecond: 2 };
    const withFile = (chat: string): PaceAt => ({ ...at(chat, own), hasFiles: true });
    for (const chat of ["a", "b"]) await paces.run(withFile(chat), async () => ({}));
    expect(paces.wait(withFile("c"))).toBe(1_000);
    expect(paces.wait(at("c", own))).toBe(0);
  });

  it("keeps all chats of a channel together within its limit", async () => {
    const { clock, paces, call } = await opened();
    const calls = ["a", "b", "c", "d", "e"].map((chat) => call(chat, 100));
    expect(paces.wait(at("f"))).toBeGreaterThan(0);
    await clock.forward(100);
    await Promise.all(calls);
    expect(paces.wait(at("f"))).toBe(1_000);
  });

  it("never exceeds the limit, even if several callers were told at once that they may go", async () => {
    const { clock, paces, call } = await opened();
    const chats = ["a", "b", "c", "d", "e", "f", "g", "h"];
    expect(chats.map((chat) => paces.wait(at(chat)))).toEqual(chats.map(() => 0));
    const calls = Promise.all(chats.map((chat) => call(chat, 100)));
    await clock.forward(100);
    expect((await calls).filter((result) => "postponedMs" in result)).toHaveLength(3);
  });

  it("pauses the chat that was told to wait; a second such chat within that time pauses the channel", async () => {
    const { clock, paces } = await opened();
    paces.pause(at("a"), 7_000);
    expect([paces.wait(at("a")), paces.wait(at("b"))]).toEqual([7_000, 0]);
    paces.pause(at("b"), 5_000);
    expect([paces.wait(at("a")), paces.wait(at("b")), paces.wait(at("c"))]).toEqual([7_000, 5_000, 5_000]);
    await clock.forward(7_000);
    expect(paces.wait(at("a"))).toBe(0);
  });

  it("counts what the last holder of the account sent to a chat and had under way, after each hand-over", async () => {
    const clock = handClock();
    const paces = createPaces(clock);
    const group = at("-1", { perSecond: 5, perChat: () => ({ most: 3, everyMs: 60_000 }) });
    for (let take = 0; take < 2; take++) {
      await clock.forward(300_000);
      paces.taken(account, 0);
      const before = [clock.now() - 30_000, clock.now() - 20_000, clock.now() - 90_000];
      await paces.countEarlier(group, async (since) => before.filter((time) => time > since));
      expect(paces.wait(group)).toBe(30_000);
      await paces.countEarlier(group, () => Promise.reject(new Error("asked twice")));
      await paces.countEarlier(at("a"), async () => []);
      expect(paces.wait(at("a"))).toBe(1_000);
    }
  });

  const busy = { perSecond: 50, perChat: () => ({ most: 4, everyMs: 60_000 }) };

  it("counts its own calls once when an account comes back", async () => {
    const clock = handClock();
    const paces = createPaces(clock);
    const sent: number[] = [];
    for (let n = 0; n < 2; n++) {
      await paces.run(at("a", busy), async () => ({}));
      sent.push(clock.now());
      await clock.forward(1_000);
    }
    paces.taken(account, 0);
    await paces.countEarlier(at("a", busy), async () => sent);
    expect(paces.wait(at("a", busy))).toBe(0);
    await paces.run(at("a", busy), async () => ({}));
    expect(paces.wait(at("a", busy))).toBeGreaterThan(0);
  });

  it("asks again when the last holder's calls could not be read", async () => {
    const clock = handClock();
    const paces = createPaces(clock);
    paces.taken(account, 0);
    const fails = () => Promise.reject(new Error("no database"));
    await expect(paces.countEarlier(at("a", busy), fails)).rejects.toThrow("no database");
    await paces.countEarlier(at("a", busy), async () => [1, 2, 3].map((second) => clock.now() - second * 1_000));
    expect(paces.wait(at("a", busy))).toBe(57_000);
  });

  it("counts calls with files of the last holder, too", async () => {
    const { paces } = await opened();
    paces.taken(account, 2);
    const withFile: PaceAt = { ...at("a"), pace: { ...pace, filesPerSecond: 2 }, hasFiles: true };
    await paces.countEarlier({ ...withFile, hasFiles: false }, async () => []);
    expect(paces.wait({ ...withFile, chat: "b" as ChatId })).toBe(1_000);
  });

  it("leaves a channel only what the last holder has not used of its second", async () => {
    const clock = handClock();
    const paces = createPaces(clock);
    const free = at("a", { perSecond: 5, perChat: () => ({ most: 9, everyMs: 1_000 }) });
    const leave = async () => {
      await paces.countEarlier(free, async () => []);
      const calls = await Promise.all(Array.from({ length: 9 }, () => paces.run(free, async () => ({}))));
      return calls.filter((result) => !("postponedMs" in result)).length;
    };
    paces.taken(account, 3);
    expect(await leave()).toBe(2);
    await clock.forward(1_000);
    expect(await leave()).toBe(5);
    await clock.forward(1_000);
    paces.taken(account, 40);
    expect(await leave()).toBe(0);
    await clock.forward(1_000);
    expect(await leave()).toBe(5);
  });
});
