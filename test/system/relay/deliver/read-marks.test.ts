import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import { planMessage } from "gangway-messenger/planning";
import { expect, it } from "vitest";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { OutboundMessage, RelayedEvent } from "../../../../src/domain/message.ts";
import type { Gateway } from "../../../../src/gateway/client.ts";
import { createPerform } from "../../../../src/relay/deliver/attempt.ts";
import { createBreakers, createPaces } from "../../../../src/relay/limits/limits.ts";
import { createForeignAnswers, type Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { PLAIN, textOnly } from "../../../support/capabilities.ts";
import { agentSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

const OURS = "m1" as MessengerMessageId;
const chat = "chat" as ChatId;
const pace = { perSecond: 100, perChat: () => ({ most: 100, everyMs: 1_000 }) };
const customer = "c" as CustomerId;
const read = (messengerMessageId: string): RelayedEvent => ({
  ...{ type: "read", key: "r", chat, at: 0, messengerMessageId: messengerMessageId as MessengerMessageId },
});
const readUntil = (where: string): RelayedEvent => ({
  ...{ type: "read-until", key: "u", chat: where as ChatId, at: 7, customer, messengerMessageId: OURS },
});

/** A read mark at a gateway that answers every mark so, after an agent's message was sent to the chat. */
async function marked(event: RelayedEvent, answers: Verdict[]) {
  const { clock, store, account, channel } = await oneChannel();
  const capabilities = textOnly(100);
  const send = async () => ({ parts: [{ messengerMessageId: OURS, holds: "text" as const }] });
  const adapter = { sendIdempotency: "native", pace };
  const sessions = {
    open: () => ({ session: { send }, adapter, capabilities }),
    ...{ featuresOf: () => ({}), writingOf: () => PLAIN, adapter: () => adapter },
  } as unknown as Sessions;
  let calls = 0;
  const answer = async () => {
    const verdict = answers[calls];
    calls += 1;
    if (verdict) throw new DeliveryError(verdict, "Message not found");
  };
  const gateway: Partial<Gateway> = { ack: async () => {}, markRead: answer, markReadUntil: answer };
  const perform = createPerform({
    ...{ store, sessions, clock, paces: createPaces(clock), breakers: createBreakers(clock, silentLog) },
    ...{
      foreignAnswers: createForeignAnswers(clock),
      explain: createExplain(COMMON_EXPLANATIONS),
      gatewayOf: () => gateway as Gateway,
    },
  });
  // Past any calls of a previous process.
  await clock.forward(2_000);
  const { worker } = await working({ store, perform, clock });
  const act = agentSays("1", "x", chat) as OutboundMessage;
  const plan = planMessage(act, capabilities);
  await store.outbox.acceptOutbound(channel, { key: "k", act, plan, patienceMs: 120_000 });
  worker.wake(account.id);
  await clock.forward(5_000);
  await store.outbox.acceptInbound(channel, { events: [event] });
  worker.wake(account.id);
  await clock.forward(60_000);
  const [ledger] = await store.ledger(account.id);
  // No page lists a mark; the operator's list does.
  expect(await store.outbox.ended(account.id, 9)).toEqual([]);
  const ended = await store.dead.list({ state: "dead", limit: 9 });
  return { calls, waiting: ledger?.waiting, ended: ended.map(({ state }) => state) };
}

const refused: Verdict = { type: "reject", code: "general" };

it.each([
  ["on a message of another program", read("theirs")],
  ["up to a time, in a chat to which nothing was sent", readUntil("other")],
])("a read mark %s is done when the gateway refuses it, and no failure", async (_, event) => {
  expect(await marked(event, [refused])).toEqual({ calls: 1, waiting: 0, ended: [] });
});

it.each([
  ["on an agent's message", read(OURS)],
  ["up to a time, in a chat with an agent's message", readUntil(chat)],
])("a read mark %s that the gateway refuses has failed", async (_, event) => {
  expect(await marked(event, [refused])).toEqual({ calls: 1, waiting: 0, ended: ["dead"] });
});

it.each([
  ["on a message of another program", read("theirs")],
  ["up to a time, in a chat to which nothing was sent", readUntil("other")],
])("a read mark %s is repeated while the gateway is down", async (_, event) => {
  expect(await marked(event, [{ type: "retry" }])).toEqual({ calls: 2, waiting: 0, ended: [] });
});
