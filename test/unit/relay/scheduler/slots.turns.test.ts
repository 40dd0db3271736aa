import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import type { Job } from "../../../../src/domain/delivery.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { addChannel, oneChannel } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { working } from "../../../support/worker.ts";

const HOUR_MS = 3_600_000;
/** Looks without another start after which there is nothing to start. */
const STILL = 20;
/** Concurrent calls: jobs already under way come first. */
const CALLS = 8;

/** An account with a web chat and a bot. Jobs wait until the test releases them. */
async function shop() {
  const { clock, store, account, channel: webChat } = await oneChannel();
  const bot = await addChannel(store, account);
  const started: Job[] = [];
  let may = 0;
  const waiting: (() => void)[] = [];
  const { worker } = await working({
    store,
    clock,
    limits: { calls: 64, callsPerAccount: CALLS },
    async perform(job) {
      started.push(job);
      if (may > 0) may -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return {};
    },
  });
  const letGo = async (count: number) => {
    const target = started.length + count;
    for (let n = 0; n < count; n++) {
      const next = waiting.shift();
      if (next) next();
      else may += 1;
    }
    let [before, still] = [started.length, 0];
    await until(`${count} more`, async () => {
      await clock.forward(1);
      still = started.length > before ? 0 : still + 1;
      before = started.length;
      return started.length >= target || still > STILL;
    });
    may = 0;
  };
  const say = async (channel: Channel, name: string, chat = name) => {
    await store.outbox.acceptInbound(channel, { events: [customerSays(name, name, chat)] });
    worker.wake(account.id);
  };
  const flood = async (channel: Channel, count: number, chat?: string) => {
    const events = Array.from({ length: count }, (_, n) => customerSays(`f${n}`, "x", chat ?? `f${n}`));
    await store.outbox.acceptInbound(channel, { events });
    worker.wake(account.id);
    await clock.forward(1);
  };
  const answer = async (channel: Channel, id: string) => {
    await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, id, `to-${id}`), patienceMs: HOUR_MS });
    worker.wake(account.id);
  };
  /** How many jobs started between `since` and this one. */
  const turnOf = (name: string, since: number) =>
    started.slice(since).findIndex(({ task }) => {
      if (task.direction === "inbound") return task.event.key === name;
      return task.direction === "outbound" && task.act.type === "message" && task.act.gatewayMessageId === name;
    });
  return { clock, webChat, bot, started, letGo, say, flood, answer, turnOf };
}

describe("while strangers flood an account's web chat with new chats", () => {
  it("a customer of its bot waits for a few of them, not for all", async () => {
    const { webChat, bot, started, letGo, say, flood, turnOf } = await shop();
    await flood(webChat, 900);
    await letGo(50);
    for (const name of ["one", "two", "three"]) {
      const since = started.length;
      await say(bot, name);
      await letGo(2 * CALLS);
      expect(turnOf(name, since)).toBeGreaterThanOrEqual(0);
    }
  });

  it("so does a customer of the web chat known for an hour", async () => {
    const { clock, webChat, started, letGo, say, flood, turnOf } = await shop();
    await say(webChat, "hello", "regular");
    await letGo(1);
    await clock.forward(HOUR_MS);
    await flood(webChat, 900);
    await letGo(50);
    const since = started.length;
    await say(webChat, "again", "regular");
    await letGo(2 * CALLS);
    expect(turnOf("again", since)).toBeGreaterThanOrEqual(0);
  });

  it("so does an agent, whose messages go to messengers", async () => {
    const { webChat, bot, started, letGo, flood, answer, turnOf } = await shop();
    await flood(webChat, 900);
    await letGo(50);
    const since = started.length;
    await answer(bot, "7");
    await letGo(2 * CALLS);
    expect(turnOf("7", since)).toBeGreaterThanOrEqual(0);
  });

  it("known chats do not starve new ones: of five turns, one is theirs", async () => {
    const { clock, webChat, started, letGo, flood, say } = await shop();
    for (let n = 0; n < 100; n++) await say(webChat, `hello${n}`, `regular${n}`);
    await letGo(100);
    await clock.forward(HOUR_MS);
    await flood(webChat, 100);
    for (let n = 0; n < 100; n++) await say(webChat, `again${n}`, `regular${n}`);
    await letGo(CALLS);
    const since = started.length;
    await letGo(60);
    const fresh = started
      .slice(since)
      .filter(({ task }) => task.direction === "inbound" && task.event.key.startsWith("f"));
    expect(fresh.length).toBeGreaterThan(8);
    expect(fresh.length).toBeLessThan(20);
  });
});

describe("while one customer sends a bot more than a thousand messages at once", () => {
  it("all are taken, one by one, and others wait for a few of them", async () => {
    const { bot, started, letGo, say, flood, turnOf } = await shop();
    await flood(bot, 1_300, "loud");
    await letGo(50);
    for (const name of ["one", "two", "three"]) {
      const since = started.length;
      await say(bot, name);
      await letGo(3);
      expect(turnOf(name, since)).toBeGreaterThanOrEqual(0);
      expect(turnOf(name, since)).toBeLessThan(3);
    }
  });
});
