import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import type { Gateway, InboundPost } from "../../../../src/gateway/client.ts";
import { createPerform } from "../../../../src/relay/deliver/attempt.ts";
import { createBreakers, createPaces } from "../../../../src/relay/limits/limits.ts";
import { createForeignAnswers, type Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { PLAIN, textOnly } from "../../../support/capabilities.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { addChannel, oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

const capabilities = textOnly(100);

/** Runs jobs with a gateway that accepts everything and the given sessions. */
async function setUp(
  of: (channel: Channel) => ChannelSession,
  pace: ChannelAdapter["pace"],
  more: Partial<Gateway> = {},
) {
  const { clock, store, account, channel } = await oneChannel();
  const adapter = { sendIdempotency: "native", pace } as ChannelAdapter;
  const sessions = {
    of,
    open: (channel: Channel) => ({ session: of(channel), adapter, capabilities }),
    featuresOf: () => ({ reactions: { dictionary: ["❤️", "👍"], maxCount: 1 } }),
    writingOf: () => PLAIN,
    adapter: () => adapter,
  } as unknown as Sessions;
  const posted: string[] = [];
  const gateway = {
    sendMessage: async (_: string, { event }: { event: { key: string } }) => {
      posted.push(event.key);
      return {};
    },
    ...more,
  };
  const perform = createPerform({
    ...{ store, sessions, clock, paces: createPaces(clock), breakers: createBreakers(clock, silentLog) },
    foreignAnswers: createForeignAnswers(clock),
    explain: createExplain(COMMON_EXPLANATIONS),
    gatewayOf: () => gateway as never,
  });
  // Past any calls of a previous process.
  await clock.forward(2_000);
  const { worker } = await working({ store, perform, clock });
  return { clock, store, account, channel, worker, posted };
}
const fast = { perSecond: 100, perChat: () => ({ most: 100, everyMs: 1_000 }) };

describe("a channel of a messenger that this server does not know", () => {
  it.each([
    ["its kind is gone", new DeliveryError({ type: "reconnect" }, "there is no messenger of the kind")],
    ["its settings do not fit", new TypeError("token: expected string")],
  ])("keeps its own messages waiting while the account's other channels go on: %s", async (_, fault) => {
    let lost: Channel["id"] | undefined;
    const of = ({ id }: Channel) => {
      if (id === lost) throw fault;
      return {} as ChannelSession;
    };
    const { clock, store, account, channel, worker, posted } = await setUp(of, fast);
    const unknown = await addChannel(store, account, "gone");
    lost = unknown.id;
    // Many of them: they must not open the circuit of their shared destination.
    const events = Array.from({ length: 20 }, (_, n) => customerSays(`lost-${n}`, "?", `chat-${n}`));
    await store.outbox.acceptInbound(unknown, { events });
    worker.wake(account.id);
    await clock.forward(2_000);
    await store.outbox.acceptInbound(channel, { events: [customerSays("well")] });
    worker.wake(account.id);
    await clock.forward(2_000);
    expect(posted).toEqual(["well"]);
    expect((await store.accounts.byId(account.id))?.trouble).toBeUndefined();
    const waiting = (await store.ledger(account.id)).find(({ channelId }) => channelId === unknown.id)?.waiting;
    expect(waiting).toBe(20);
  });
});

describe("a customer's picture", () => {
  it("is asked for only where there is one", async () => {
    const asked: string[] = [];
    const avatars = { find: async (id: CustomerId) => void asked.push(id) };
    const { clock, store, account, channel, worker, posted } = await setUp(() => ({ avatars }) as never, fast);
    const [one, other] = [customerSays("one", "hi", "with"), customerSays("other", "hi", "without")];
    if (one.type === "message") one.customer.hasAvatar = true;
    await store.outbox.acceptInbound(channel, { events: [one, other] });
    worker.wake(account.id);
    await clock.forward(2_000);
    expect(posted.sort()).toEqual(["one", "other"]);
    expect(asked).toEqual(["with"]);
  });
});

describe("messages to many chats of a channel that are claimed together", () => {
  it("never exceed its messenger's rate limit", async () => {
    const flying = { now: 0, most: 0, all: 0 };
    const send = async () => {
      flying.now += 1;
      flying.all += 1;
      flying.most = Math.max(flying.most, flying.now);
      await pause(clock, 100);
      flying.now -= 1;
      return { parts: [{ messengerMessageId: `m${flying.all}`, holds: "text" }] };
    };
    const of = () => ({ send }) as unknown as ChannelSession;
    const one = { perSecond: 1, perChat: () => ({ most: 1, everyMs: 1_000 }) };
    const { clock, store, account, channel, worker } = await setUp(of, one);
    for (let n = 0; n < 7; n++) {
      const act = agentSays(`${n}`, "x", `chat-${n}`) as OutboundMessage;
      await store.outbox.acceptOutbound(channel, {
        ...{ key: `k${n}`, act, plan: planMessage(act, capabilities), patienceMs: 120_000 },
      });
    }
    worker.wake(account.id);
    await clock.forward(20_000);
    expect(flying).toEqual({ now: 0, most: 1, all: 7 });
  });
});

describe("a customer's action on an agent's message", () => {
  const PART = { messengerMessageId: "m1" as MessengerMessageId, holds: "text" as const };
  const { messengerMessageId } = PART;
  const marked = {
    type: "reaction",
    key: "r",
    chat: "chat" as ChatId,
    messengerMessageId,
    at: 0,
    reaction: "👍",
  } as const;

  it("waits for the ack that announces the message to the gateway", async () => {
    const reported: string[] = [];
    let down = true;
    const gateway: Partial<Gateway> = {
      ack: async () => {
        if (down) throw new DeliveryError({ type: "retry" }, "the gateway is down");
        reported.push("ack");
      },
      setReaction: async () => void reported.push("reaction"),
    };
    const of = () => ({ send: async () => ({ parts: [PART] }) }) as unknown as ChannelSession;
    const { clock, store, account, channel, worker } = await setUp(of, fast, gateway);
    const act = agentSays("1", "x", "chat") as OutboundMessage;
    const plan = planMessage(act, capabilities);
    await store.outbox.acceptOutbound(channel, { key: "k", act, plan, patienceMs: 120_000 });
    worker.wake(account.id);
    await clock.forward(2_000);
    await store.outbox.acceptInbound(channel, { events: [marked] });
    worker.wake(account.id);
    await clock.forward(30_000);
    expect(reported).toEqual([]);
    down = false;
    await clock.forward(60_000);
    expect(reported).toEqual(["ack", "reaction"]);
  });

  it.each([
    ["as the dictionary writes it", "\u2764", ["❤️"]],
    ["without its skin", "👍🏽", ["👍"]],
    ["taken back", null, [null]],
    [
      "in words, instead of the one before, if the channel has not announced it",
      "🥰",
      [null, "The customer reacted with 🥰"],
    ],
  ])("of a reaction reaches the gateway %s", async (_, reaction, expected) => {
    const reported: (string | null)[] = [];
    const gateway: Partial<Gateway> = {
      setReaction: async (_id, event) => void reported.push(event.reaction),
      async sendNote(_id, { text, messengerMessageId: id }) {
        expect(id).not.toBe(messengerMessageId);
        reported.push(text);
        return {} as never;
      },
    };
    const { clock, store, account, channel, worker } = await setUp(() => ({}) as ChannelSession, fast, gateway);
    await store.outbox.acceptInbound(channel, { events: [{ ...marked, reaction }] });
    worker.wake(account.id);
    await clock.forward(5_000);
    expect(reported).toEqual(expected);
  });

  it("waits, as a read mark up to a time, for every ack of its chat that is owed by then, and for no other", async () => {
    const reported: string[] = [];
    let down = true;
    const gateway: Partial<Gateway> = {
      async ack(_, { gatewayMessageId }) {
        if (down || gatewayMessageId === "3") throw new DeliveryError({ type: "retry" }, "the gateway is down");
        reported.push(`ack ${gatewayMessageId}`);
      },
      markReadUntil: async (_, { customer, at }) => void reported.push(`${customer} has read until ${at}`),
    };
    let last = 0;
    const send = async () => {
      last += 1;
      return { parts: [{ ...PART, messengerMessageId: `m${last}` }] };
    };
    const of = () => ({ send }) as unknown as ChannelSession;
    const { clock, store, account, channel, worker } = await setUp(of, fast, gateway);
    const says = async (id: string, chat: string) => {
      const act = agentSays(id, "x", chat) as OutboundMessage;
      const plan = planMessage(act, capabilities);
      await store.outbox.acceptOutbound(channel, { key: id, act, plan, patienceMs: 120_000 });
      worker.wake(account.id);
      await clock.forward(2_000);
    };
    for (const id of ["1", "2"]) await says(id, "chat");
    const customer = "c" as CustomerId;
    const read = { ...marked, type: "read-until" as const, key: "u", customer, at: 7 };
    await store.outbox.acceptInbound(channel, {
      events: [read, { ...read, key: "v", chat: "other" as ChatId, at: 8 }],
    });
    await says("3", "chat");
    await clock.forward(10_000);
    expect(reported).toEqual(["c has read until 8"]);
    down = false;
    await clock.forward(60_000);
    const order = (name: string) => reported.indexOf(name);
    expect(order("c has read until 7")).toBeGreaterThan(Math.max(order("ack 1"), order("ack 2")));
    expect(reported).toEqual(expect.not.arrayContaining(["ack 3"]));
    expect(reported).toHaveLength(4);
  });

  it("does not count as a passed message while it waits", async () => {
    const page = () =>
      Promise.reject(Object.assign(new DeliveryError({ type: "retry" }, "a page"), { foreignStatus: 404 }));
    const gateway: Partial<Gateway> = { ack: page, setReaction: page, sendMessage: page };
    const of = () => ({ send: async () => ({ parts: [PART] }) }) as unknown as ChannelSession;
    const { clock, store, account, channel, worker } = await setUp(of, fast, gateway);
    const act = agentSays("1", "x", "chat") as OutboundMessage;
    await store.outbox.acceptOutbound(channel, {
      key: "k",
      act,
      plan: planMessage(act, capabilities),
      patienceMs: 120_000,
    });
    worker.wake(account.id);
    await clock.forward(2_000);
    await store.outbox.acceptInbound(channel, { events: [marked, customerSays("m", "hello", "other")] });
    worker.wake(account.id);
    for (let minute = 0; minute < 40; minute++) await clock.forward(60_000);
    expect(await store.outbox.ended(account.id, 9)).toEqual([]);
  });
});

describe("an edit that the gateway refuses", () => {
  const at = { chat: "chat" as ChatId, at: 0 };
  const id = (name: string) => name as MessengerMessageId;
  const anew = {
    messengerMessageId: id("m1e9"),
    originator: "customer" as const,
    customer: { id: "c" as CustomerId, nickname: "Robin" },
    content: { type: "text" as const, text: "new words" },
  };

  async function edited(verdict: DeliveryError["verdict"] | undefined, more: object = { anew }) {
    const sent: InboundPost["event"][] = [];
    const tries: string[] = [];
    const gateway: Partial<Gateway> = {
      editMessage: async (_, { messengerMessageId }) => {
        tries.push(messengerMessageId);
        if (verdict) throw new DeliveryError(verdict, "no such message");
      },
      deleteMessage: async () => {
        if (verdict) throw new DeliveryError(verdict, "no such message");
      },
      sendMessage: async (_, { event }) => {
        sent.push(event);
        return {};
      },
    };
    const { clock, store, account, channel, worker } = await setUp(() => ({}) as ChannelSession, fast, gateway);
    const event = {
      type: "edited" as const,
      key: "e",
      ...at,
      messengerMessageId: id("m1"),
      text: "new words",
      ...more,
    };
    await store.outbox.acceptInbound(channel, { events: [event] });
    worker.wake(account.id);
    await clock.forward(2_000);
    return { sent, tries, ended: await store.outbox.ended(account.id, 10) };
  }

  it("becomes a message of its own that quotes the edited one", async () => {
    const { sent, ended } = await edited({ type: "reject", code: "general" });
    expect(sent).toMatchObject([{ type: "message", key: "e", ...at, ...anew, quote: "m1" }]);
    expect(ended).toEqual([]);
  });

  it("becomes such a message also if it is a deletion", async () => {
    const { sent, ended } = await edited({ type: "reject", code: "general" }, { type: "deleted", anew });
    expect(sent).toMatchObject([{ type: "message", key: "e", ...at, ...anew, quote: "m1" }]);
    expect(ended).toEqual([]);
  });

  it("ends as refused if the messenger gives no replacement", async () => {
    const { sent, ended } = await edited({ type: "reject", code: "general" }, {});
    expect(sent).toEqual([]);
    expect(ended).toMatchObject([{ state: "dead" }]);
  });

  it("is not repeated as a message if the gateway is only away, or takes the edit", async () => {
    expect((await edited({ type: "retry" })).sent).toEqual([]);
    expect((await edited(undefined)).sent).toEqual([]);
  });
});
