import { DeliveryError } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { GatewayFile } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter, ChannelSession, Sent } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import type { OutboundAct } from "../../../../src/domain/message.ts";
import { carryOut } from "../../../../src/relay/deliver/steps.ts";
import { createPaces } from "../../../../src/relay/limits/limits.ts";
import { textOnly } from "../../../support/capabilities.ts";
import { agentSays } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { oneChannel, takeLease } from "../../../support/store.ts";

const fresh = () => new AbortController().signal;
type Send = (step: SendStep, key: string) => Promise<Sent> | Sent;

async function setUp(
  send: Send,
  act: OutboundAct = agentSays("1", "one two three four five"),
  most = 10,
  language: Language = "en",
) {
  const capabilities = textOnly(most);
  const { clock, store, account, channel } = await oneChannel();
  const paces = createPaces(clock);
  // Past any calls of a previous process.
  await clock.forward(1_000);
  const pace = { perSecond: 100, perChat: () => ({ most: 1, everyMs: 1_000 }) };
  const adapter = { pace } as unknown as ChannelAdapter;
  const session = {
    send: async (step: SendStep, { key }: { key: string }) => send(step, key),
  } as unknown as ChannelSession;
  const address = (id: string) => `https://gateway.example/${id === "long" ? "x".repeat(5_000) : id}`;
  const gatewayFile = async (id: string) => ({ url: address(id), name: "f.zip" }) as GatewayFile;
  const plan = act.type === "message" ? planMessage(act, capabilities) : undefined;
  await store.outbox.acceptOutbound(channel, { key: "k", act, plan, patienceMs: 600_000 });
  const lease = await takeLease(store, account.id, "test");
  const claim = async () => (await store.outbox.claim(lease, roomFor(1)))[0] as Job;
  const sessions = {
    open: () => ({ session, adapter, capabilities: { ...capabilities, language } }),
    gatewayFile: (_: unknown, id: string) => gatewayFile(id),
  };
  const deps = { store, sessions, paces, clock, explain: createExplain(COMMON_EXPLANATIONS) };
  const carry = (job: Job) => carryOut(deps, channel, job, act, fresh());
  /** Runs to the end like the worker: postponed and claimed again by the pace. */
  const through = async () => {
    for (;;) {
      const job = await claim();
      const outcome = await carry(job);
      if (!("postponedMs" in outcome)) return { job, outcome };
      await store.outbox.postponed(job, clock.now() + outcome.postponedMs);
      await clock.forward(outcome.postponedMs);
    }
  };
  return { clock, store, lease, claim, carry, through };
}
const sent = (id: string): Sent => ({ parts: [{ messengerMessageId: id as MessengerMessageId, holds: "text" }] });

describe("the steps of a message", () => {
  it("run one by one under keys of their own, at the messenger's pace and without costing an attempt", async () => {
    const texts: [string, string][] = [];
    const { through, clock } = await setUp((step, key) => {
      texts.push([step.text, key]);
      return sent(`m${texts.length}`);
    });
    const began = clock.now();
    const { job, outcome } = await through();
    expect(texts.map(([text]) => text)).toEqual(["one two", "three four", "five"]);
    expect(new Set(texts.map(([, key]) => key)).size).toBe(3);
    expect(outcome.parts?.map(({ messengerMessageId }) => messengerMessageId)).toEqual(["m1", "m2", "m3"]);
    expect(outcome.ack).toEqual({ gatewayMessageId: "1", messengerMessageId: "m1" });
    expect(job.attempts).toBe(1);
    expect(clock.now() - began).toBeGreaterThanOrEqual(2_000);
  });

  it("are not repeated once recorded: a crash repeats one at most", async () => {
    const texts: string[] = [];
    const { claim, carry, store, clock, lease } = await setUp((step) => {
      texts.push(step.text);
      return sent(step.text);
    });
    await carry(await claim());
    // The process ends here; the first step is sent and recorded.
    const [crashed] = await store.outbox.takeOver(lease);
    expect(crashed?.work?.progress).toMatchObject({ done: 1, parts: [{ messengerMessageId: "one two" }] });
    await clock.forward(1_000);
    await carry(crashed as Job);
    expect(texts).toEqual(["one two", "three four"]);
  });

  it("continue after a refused one, and the agent is told", async () => {
    const refusal = new DeliveryError({ type: "reject", code: "general" }, "the messenger dislikes threes");
    const { through } = await setUp((step) => {
      if (step.text === "three four") throw refusal;
      return sent(step.text);
    });
    const { outcome } = await through();
    expect(outcome.parts).toHaveLength(2);
    expect(outcome.note).toMatchObject({
      type: "note",
      text: expect.stringContaining("the messenger dislikes threes"),
    });
  });

  it("tell the agent of losses in the account's language, not the channel's", async () => {
    const refuse = (step: SendStep) => {
      if (step.text === "three four") throw new DeliveryError({ type: "reject", code: "general" }, "no");
      return sent(step.text);
    };
    const { outcome } = await (await setUp(refuse, undefined, undefined, "es")).through();
    expect(outcome.note).toMatchObject({ text: expect.stringContaining("El cliente recibió este mensaje") });
  });

  it("count as sent though the agent's language cannot be read afterwards", async () => {
    const { through, store } = await setUp((step) => {
      store.accounts.byId = () => Promise.reject(new Error("the connection was lost"));
      if (step.text === "three four") throw new DeliveryError({ type: "reject", code: "general" }, "no");
      return sent(step.text);
    });
    const { outcome } = await through();
    expect(outcome.parts).toHaveLength(2);
    expect(outcome.note).toMatchObject({ text: expect.stringContaining("no") });
  });

  it("end with the refusal if nothing could be sent, and at once if the customer is out of reach", async () => {
    const nothing = await setUp(() => {
      throw new DeliveryError({ type: "reject", code: "general" }, "no");
    });
    await expect(nothing.through()).rejects.toMatchObject({ verdict: { type: "reject" }, message: "no" });
    let tries = 0;
    const blocked = await setUp(() => {
      tries += 1;
      throw new DeliveryError({ type: "reject", code: "access_restricted" }, "blocked");
    });
    await expect(blocked.through()).rejects.toMatchObject({ verdict: { code: "access_restricted" } });
    expect(tries).toBe(1);
  });

  it("rest as long as the messenger requests", async () => {
    const { claim, carry } = await setUp(() => {
      throw new DeliveryError({ type: "retry", afterMs: 9_000 }, "too many");
    });
    const job = await claim();
    await expect(carry(job)).rejects.toMatchObject({ verdict: { afterMs: 9_000 } });
    expect(await carry(job)).toEqual({ postponedMs: 9_000 });
  });

  it("send an oversized file as a line with its URL", async () => {
    const file = { file: { at: "gateway" as const, id: "f" as never }, name: "plans.zip", size: 1 };
    const act = { ...agentSays("1"), content: { type: "file" as const, files: [file] } } as OutboundAct;
    const texts: string[] = [];
    const { through } = await setUp(
      (step) => {
        texts.push(step.text);
        return sent("m");
      },
      act,
      4_096,
    );
    expect((await through()).outcome.note).toMatchObject({ text: expect.stringContaining("plans.zip") });
    expect(texts).toEqual(["plans.zip: https://gateway.example/f"]);
    expect(act).toMatchObject({ gatewayMessageId: "1" as GatewayMessageId });
  });

  const asLinks = (...ids: string[]) => {
    const files = ids.map((id) => ({ file: { at: "gateway" as const, id: id as never }, name: `${id}.zip`, size: 1 }));
    return { ...agentSays("1"), content: { type: "file" as const, files } } as OutboundAct;
  };

  it("put as many such lines into a message as are sure to fit, and the others into the next", async () => {
    const texts: string[] = [];
    const ids = Array.from({ length: 10 }, (_, n) => `f${n}`);
    const { through } = await setUp((step) => sent(`m${texts.push(step.text)}`), asLinks(...ids), 4_096);
    await through();
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.flatMap((text) => text.split("\n"))).toEqual(
      ids.map((id) => `${id}.zip: https://gateway.example/${id}`),
    );
  });

  it("never exceed the messenger's limit of characters: the agent is told which link was left out", async () => {
    const texts: string[] = [];
    const { through } = await setUp((step) => sent(`m${texts.push(step.text)}`), asLinks("a", "long", "b"), 4_096);
    const { outcome } = await through();
    expect(texts).toEqual(["a.zip: https://gateway.example/a\nb.zip: https://gateway.example/b"]);
    expect(outcome.note).toMatchObject({ text: expect.stringContaining("long.zip: the URL is too long") });
    const alone = await setUp(() => sent("m"), asLinks("long"), 4_096);
    await expect(alone.through()).rejects.toMatchObject({ verdict: { type: "reject" } });
  });
});
