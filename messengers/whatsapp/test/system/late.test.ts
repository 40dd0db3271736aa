import type { Call } from "gangway-messenger/call";
import type { ChatId } from "gangway-messenger/ids";
import { callFrom } from "gangway-messenger/kit/call";
import { type ChannelSession, defineChannel } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { createAcceptInbound } from "../../../../src/relay/accept/inbound.ts";
import { createJournals } from "../../../../src/relay/sessions/sessions.ts";
import { customerSays } from "../../../../test/support/events.ts";
import { recordingGateway } from "../../../../test/support/gateway.ts";
import { relayLives } from "../../../../test/support/lives.ts";
import { silentLog } from "../../../../test/support/log.ts";
import { statusError } from "../../emulator/codes.ts";
import { createEmulator } from "../../emulator/emulator.ts";
import { fail, mark } from "../../emulator/statuses.ts";
import type { Chat, Message } from "../../emulator/world.ts";
import whatsapp from "../../src/index.ts";

const never = new Promise<never>(() => {});

/** The relay between a gateway and WhatsApp, whose statuses come when the test says. `lost`: its answers do not come. */
async function between(lost: () => boolean = () => false) {
  let session: ChannelSession | undefined;
  const adapter = defineChannel({
    ...whatsapp,
    open(context) {
      const server = { ...context.server, ...whatsapp.serverSettings?.parse({}) };
      session = whatsapp.open({ ...context, server } as typeof context);
      return session;
    },
  });
  let chat: ChatId | undefined;
  // The emulator is there first.
  let now = () => Date.UTC(2026, 0, 1);
  const emulator = createEmulator({
    origin: () => "https://network.example",
    clock: { now: () => now(), after: () => () => {} },
    async deliver(request) {
      const receipt = (await session?.receive(request)) ?? expect.fail("no session");
      const accept = createAcceptInbound({
        ...{ store: lives.store(), journals: createJournals(lives.store()), wake: lives.wake },
        log: silentLog,
      });
      await accept(lives.channel, receipt);
      chat ??= receipt.events[0]?.chat;
      return receipt.reply;
    },
  });
  const gateway = recordingGateway();
  const site = callFrom(emulator.site);
  const call: Parameters<typeof relayLives>[0]["call"] = (clock) => {
    const toGateway = gateway.call(clock);
    const toNetwork: Call = async (request) => {
      const answer = await site(request);
      return lost() && request.url.endsWith("/messages") ? never : answer;
    };
    return (request) => (request.url.includes("gateway.example") ? toGateway : toNetwork)(request);
  };
  const settings = { ...emulator.channel().settings, verifyToken: "v".repeat(43) };
  const lives = await relayLives({ adapter, call, settings });
  now = lives.clock.now;
  emulator.network.switches.set({ outcome: "hand" });
  await lives.begin();
  // Opens the session.
  await lives.store().outbox.acceptInbound(lives.channel, { events: [customerSays("first", "hi", "34600000009")] });
  lives.wake();
  await lives.clock.forward(1_000);
  await session?.connect(new AbortController().signal);
  await emulator.says("hello");
  const sent = () => {
    const all = [...emulator.network.world.messages.values()];
    return all.filter(({ message }) => message.from === "business") as { chat: Chat; message: Message }[];
  };
  const answers = async () => {
    await lives.agentSays("1", "hello to you", chat);
    lives.wake();
    await lives.clock.forward(1_000);
    return sent()[0] ?? expect.fail("not sent");
  };
  const acks = () =>
    gateway.taken
      .filter(({ path }) => path.endsWith("/ack"))
      .map(({ body }) => body.error ?? { sent: body.transport_message_id });
  const reads = () => gateway.taken.filter(({ path }) => path.endsWith("/read")).length;
  return { ...lives, lives, network: emulator.network, sent, answers, acks, reads };
}

it("a message that fails after its 200 is told to the agent, in words", async () => {
  const { network, clock, answers, acks, store, account } = await between();
  const { chat, message } = await answers();
  expect(acks()).toEqual([{ sent: message.id }]);
  await clock.forward(60_000);
  await fail(network, chat, message, statusError(131026));
  await clock.forward(1_000);
  expect(acks()).toEqual([{ sent: message.id }, expect.objectContaining({ code: "customer_not_exists" })]);
  expect(await store().outbox.ended(account.id, 9)).toMatchObject([{ state: "dead", code: "customer_not_exists" }]);
});

it("a message whose answer was lost in a crash is settled by its status, and sent once", async () => {
  let lost = true;
  const { network, clock, answers, acks, sent, lives, store, account } = await between(() => lost);
  const { chat, message } = await answers();
  lost = false;
  await lives.crash();
  await lives.begin();
  await clock.forward(10_000);
  expect([sent().length, acks()]).toEqual([1, []]);
  await mark(network, chat, message, "sent");
  await clock.forward(10_000);
  expect([sent().length, acks()]).toEqual([1, [{ sent: message.id }]]);
  expect(await store().outbox.ended(account.id, 9)).toEqual([]);
});

it("a failure that is all that is heard of a message whose answer was lost ends it as failed, once", async () => {
  let lost = true;
  const { network, clock, answers, acks, sent, lives } = await between(() => lost);
  const { chat, message } = await answers();
  await fail(network, chat, message, statusError(131026));
  lost = false;
  await lives.crash();
  await lives.begin();
  await clock.forward(10_000);
  expect(sent()).toHaveLength(1);
  expect(acks()).toEqual([expect.objectContaining({ code: "customer_not_exists" })]);
});

it("a read mark that overtakes the answer to the call waits for the ack, as the gateway knows the message only then", async () => {
  let lost = true;
  const { network, clock, answers, acks, reads, lives } = await between(() => lost);
  const { chat, message } = await answers();
  await mark(network, chat, message, "read");
  await clock.forward(5_000);
  expect([acks(), reads()]).toEqual([[], 0]);
  lost = false;
  await lives.crash();
  await lives.begin();
  await clock.forward(10_000);
  expect([acks(), reads()]).toEqual([[{ sent: message.id }], 1]);
});
