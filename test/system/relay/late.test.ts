import { randomUUID } from "node:crypto";
import { type ChannelSession, defineChannel } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { createAcceptInbound } from "../../../src/relay/accept/inbound.ts";
import { createJournals } from "../../../src/relay/sessions/sessions.ts";
import { messengerFails } from "../../support/events.ts";
import { recordingGateway } from "../../support/gateway.ts";
import { relayLives } from "../../support/lives.ts";
import { silentLog } from "../../support/log.ts";
import { bottles, shoreOf } from "../contract/toy/bottles.ts";

const never = new Promise<never>(() => {});

/** A messenger that drops repeats of a key. `hangs`: it sends, and does not answer. */
async function afloat(hangs = () => false) {
  const shore = randomUUID();
  const adapter = defineChannel({
    ...bottles,
    open(context): ChannelSession {
      const session = bottles.open(context);
      const send: ChannelSession["send"] = async (...given) => {
        const sent = await session.send(...given);
        return hangs() ? never : sent;
      };
      return { ...session, send };
    },
  });
  const gateway = recordingGateway();
  const lives = await relayLives({ adapter, call: gateway.call, settings: { shore } });
  const { store, account, channel, clock, wake, agentSays, begin } = lives;
  const logged: object[] = [];
  await begin();
  const door = () =>
    createAcceptInbound({
      ...{ store: store(), journals: createJournals(store()), wake },
      log: { ...silentLog, warn: (_, fields) => void logged.push(fields ?? {}) },
    });
  let accept = door();
  const fails = (...ids: string[]) => accept(channel, { events: ids.map((id) => messengerFails(id)) });
  const crash = async () => {
    await lives.crash();
    accept = door();
  };
  const lying = () => shoreOf(shore).bottles.map(({ id }) => id);
  const acks = () =>
    gateway.taken
      .filter(({ path }) => path.endsWith("/ack"))
      .map(({ body }) => (body.error ? "failed" : body.transport_message_id));
  const say = async (id: string) => {
    await agentSays(id);
    wake();
    await clock.forward(1_000);
  };
  const listed = () => store().outbox.ended(account.id, 9);
  return { store, account, clock, wake, begin, crash, fails, lying, acks, say, listed, logged };
}

describe("a message that its messenger gives up after it had accepted it", () => {
  it("is told to the agent at once, and reaches the customer when a person sends it again", async () => {
    const { store, account, clock, wake, fails, lying, acks, say, listed } = await afloat();
    await say("1");
    const [bottle = ""] = lying();
    expect(acks()).toEqual([bottle]);
    await fails(bottle);
    await clock.forward(1_000);
    expect(acks()).toEqual([bottle, "failed"]);
    const [late] = await listed();
    await store().outbox.sendAgain(account.id, late?.id ?? expect.fail("not listed"), 60_000);
    wake();
    await clock.forward(2_000);
    expect(lying()).toHaveLength(2);
    expect(acks()).toEqual([bottle, "failed", lying()[1]]);
    expect(await listed()).toEqual([]);
  });

  it("before it answered our call, is told once, also when the process dies in between", async () => {
    let hangs = true;
    const { clock, begin, crash, fails, lying, acks, say, listed } = await afloat(() => hangs);
    await say("1");
    const [bottle = ""] = lying();
    expect(acks()).toEqual([]);
    await fails(bottle);
    await crash();
    hangs = false;
    await begin();
    await clock.forward(5_000);
    expect([lying(), acks()]).toEqual([[bottle], ["failed"]]);
    expect(await listed()).toMatchObject([{ state: "dead", error: "the number has no account" }]);
  });
});

it("failures of messages that nobody knows are ignored, and logged by their count", async () => {
  const { fails, logged, listed } = await afloat();
  await fails("a", "b");
  for (let n = 0; n < 8; n++) await fails("c");
  const what = { kind: "bottles", unknown: "failure of an unknown message" };
  expect(logged).toEqual([
    { ...what, count: 2 },
    { ...what, count: 10 },
  ]);
  expect(await listed()).toEqual([]);
});
