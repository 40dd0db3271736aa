import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import type { Perform } from "../../../src/relay/deliver/attempt.ts";
import { textOnly } from "../../support/capabilities.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { oneChannel } from "../../support/store.ts";
import { working } from "../../support/worker.ts";

const HOUR_MS = 3_600_000;
const lookup = () => ({ sendIdempotency: "lookup" }) as ChannelAdapter;
const errorOf = ({ task }: Job) => (task.direction === "ack" ? task.ack.error?.message : undefined);

/** Agents' messages with two minutes of patience, each in its own chat. */
async function answered(count: number) {
  const scene = await oneChannel();
  const { store, channel, clock } = scene;
  const act = (n: number) => agentSays(`${n}`, "x", `chat${n}`);
  for (let n = 0; n < count; n++) {
    const plan = planMessage(act(n) as never, textOnly(100));
    await store.outbox.acceptOutbound(channel, { key: `k${n}`, act: act(n), plan, patienceMs: 120_000 });
  }
  return { ...scene, clock };
}

describe("an expired message", () => {
  it("is not sent after an outage, however many there are, and its agent is told", async () => {
    const { store, clock, account } = await answered(450);
    clock.leap(HOUR_MS);
    const sent: Job[] = [];
    const errors: (string | undefined)[] = [];
    await working({
      store,
      clock,
      perform: async (job) => {
        if (job.direction === "outbound") sent.push(job);
        else errors.push(errorOf(job));
        return {};
      },
    });
    for (let waits = 0; errors.length < 450 && waits < 2_000; waits++) await clock.forward(10);
    expect(sent).toEqual([]);
    expect(errors).toEqual(Array(450).fill("The message could not be delivered in time"));
    expect(await store.ledger()).toMatchObject([{ accountId: account.id, refused: 450, waiting: 0, hole: 0 }]);
  });

  it("names the pause, if its channel was paused", async () => {
    const { store, clock, channel } = await answered(1);
    await store.channels.setState(channel.id, "paused");
    clock.leap(HOUR_MS);
    const performed: Job[] = [];
    await working({
      store,
      clock,
      perform: async (job) => {
        performed.push(job);
        return {};
      },
    });
    for (let waits = 0; performed.length < 1 && waits < 2_000; waits++) await clock.forward(10);
    expect(performed.map(errorOf)).toEqual(["The message could not be delivered in time (the channel was paused)"]);
  });

  it("is not sent if it expires while the one before it is under way", async () => {
    const { store, clock, account, channel } = await oneChannel();
    for (const [id, patienceMs] of [
      ["1", 60_000],
      ["2", 5_250],
    ] as const)
      await store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id), patienceMs });
    const seen: Job["direction"][] = [];
    const { worker } = await working({
      store,
      clock,
      perform: async ({ direction }) => {
        seen.push(direction);
        if (direction === "outbound") await pause(clock, 5_300);
        return {};
      },
    });
    worker.wake(account.id);
    await clock.forward(5_900);
    expect(seen).toEqual(["outbound", "ack"]);
  });

  it.each(["given back", "tried"])("that perhaps arrived is held under `hold`, even if it was last %s", async (how) => {
    const { store, clock, account, channel } = await answered(1);
    await store.channels.change(channel.id, { name: "Toy", settings: {}, unsure: "hold" });
    let tries = 0;
    const { worker } = await working({
      store,
      clock,
      adapter: lookup,
      perform: async (job): ReturnType<Perform> => {
        if (job.direction !== "outbound") return {};
        tries += 1;
        if (tries === 1) throw new DeliveryError({ type: "unsure" }, "no answer");
        if (how === "given back") return { postponedMs: 15_000 };
        throw new DeliveryError({ type: "retry" }, "no answer");
      },
    });
    worker.wake(account.id);
    await clock.forward(200_000);
    expect(tries).toBeGreaterThan(2);
    expect(await store.outbox.ended(account.id, 9)).toMatchObject([{ state: "held" }]);
    expect(await store.ledger()).toMatchObject([{ refused: 0, waiting: 1 }]);
  });
});

describe("an agent is told", () => {
  type Told = { code?: string; message?: string } | undefined;
  async function errorsOf(fails: (tries: number) => DeliveryError, adapter = lookup) {
    const { store, clock, account, channel } = await oneChannel();
    const errors: Told[] = [];
    let tries = 0;
    const perform: Perform = async ({ task }) => {
      if (task.direction === "outbound") throw fails(++tries);
      if (task.direction === "ack") errors.push(task.ack.error);
      return {};
    };
    await store.outbox.acceptOutbound(channel, { key: "k", act: agentSays("1"), patienceMs: 120_000 });
    const { worker } = await working({ store, clock, perform, adapter });
    worker.wake(account.id);
    await clock.forward(130_000);
    return { errors, tries, dead: await store.outbox.ended(account.id, 9) };
  }
  const none = () => ({ sendIdempotency: "none" }) as ChannelAdapter;
  const UNKNOWN =
    "It is not known whether this message has reached the customer (no answer). Ask before you send it again";

  it("that the outcome is unknown, not that it failed, when a message was in doubt twice", async () => {
    const { errors, tries, dead } = await errorsOf(() => new DeliveryError({ type: "unsure" }, "no answer"), none);
    expect([errors, tries]).toEqual([[{ code: "general", message: UNKNOWN }], 2]);
    expect(dead).toMatchObject([{ error: UNKNOWN }]);
  });

  it("the same when it was in doubt once and could not be resent in time", async () => {
    const fails = (tries: number) =>
      tries === 1
        ? new DeliveryError({ type: "unsure" }, "no answer")
        : new DeliveryError({ type: "retry", afterMs: 30_000 }, "no answer");
    expect((await errorsOf(fails, none)).errors).toEqual([{ code: "general", message: UNKNOWN }]);
  });

  it("what stops the channel, and not that the message came too late", async () => {
    const revoked = "Telegram does not know this bot's token any more";
    const { errors, tries, dead } = await errorsOf(() => new DeliveryError({ type: "reconnect" }, revoked));
    expect([errors, tries]).toEqual([[{ code: "access_restricted", message: revoked }], 1]);
    // Its account user can send all of these again.
    expect(dead).toMatchObject([{ code: "was_stopped", error: revoked }]);
  });

  it("what prevented it all the time", async () => {
    const { errors } = await errorsOf(() => new DeliveryError({ type: "retry" }, "Telegram: refused (sendMessage)"));
    expect(errors).toMatchObject([
      { message: "The message could not be delivered in time (Telegram: refused (sendMessage))" },
    ]);
  });
});

describe("an id that the other side has already used", () => {
  it("at the gateway does not keep a message from being done", async () => {
    const { store, clock, account, channel } = await oneChannel();
    const [a, b] = ["a", "b"].map((id) => customerSays(id, id, id));
    await store.outbox.acceptInbound(channel, { events: [a, b].flatMap((event) => event ?? []) });
    const { worker } = await working({
      store,
      clock,
      perform: async () => ({ gatewayMessageId: "77" as GatewayMessageId }),
    });
    worker.wake(account.id);
    await clock.forward(5_000);
    expect(await store.ledger()).toMatchObject([{ delivered: 2, waiting: 0 }]);
    const named = ["a", "b"].map((id) => store.messages.gatewayId(channel.id, id as MessengerMessageId));
    expect((await Promise.all(named)).filter((id) => id === "77")).toHaveLength(1);
  });
});
