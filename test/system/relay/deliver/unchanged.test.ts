import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { OutboundAct } from "../../../../src/domain/message.ts";
import { type Posted, recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { bottles } from "../../contract/toy/bottles.ts";

const PATIENCE_MS = 60_000;
type Verbs = NonNullable<ChannelSession["revisions"]>;

/** A delivered message, and an agent who changes it through these verbs of the messenger. */
async function afterMessage(given: (verbs: Verbs) => Partial<Verbs>, unsure: "resend" | "hold" = "resend") {
  const weather = { down: false };
  const gateway = recordingGateway(() => (weather.down ? "refused" : undefined));
  const adapter: ChannelAdapter = {
    ...bottles,
    sendIdempotency: "none",
    capabilities: (settings) => ({ ...bottles.capabilities(settings), language: "es" }),
    open(context) {
      const session = bottles.open(context);
      const { revisions } = session;
      return revisions ? { ...session, revisions: { ...revisions, ...given(revisions) } } : session;
    },
  };
  const life = await relayLives({ adapter, call: gateway.call });
  const { clock, channel, store, begin, wake, agentSays } = life;
  await store().channels.change(channel.id, { name: "Toy", settings: channel.settings, unsure });
  await begin();
  await agentSays("1", "Three euros");
  wake();
  await clock.forward(1_000);
  const acked = gateway.taken.map(({ body }) => body.transport_message_id).find(Boolean);
  const id = (acked ?? "") as MessengerMessageId;
  const at = { chat: "chat-1" as ChatId, messengerMessageId: id };
  const edit: OutboundAct = { type: "edited", ...at, content: { type: "text", text: "Four euros" }, suggestions: [] };
  const deletion: OutboundAct = { type: "deleted", ...at };
  const does = async (act: OutboundAct) => {
    await store().outbox.acceptOutbound(channel, { key: act.type, act, patienceMs: PATIENCE_MS });
    wake();
    await clock.forward(1_000);
  };
  const lines = () => gateway.taken.flatMap(noteText);
  return { ...life, ...{ weather, edit, deletion, does, lines } };
}

const noteText = ({ body, externalId }: Posted): string[] =>
  externalId?.startsWith("note:") ? [(body.message as { text?: string }).text ?? ""] : [];
const refuse = (message: string) => async () => {
  throw new DeliveryError({ type: "reject", code: "general" }, message);
};
const busy = async () => {
  throw new DeliveryError({ type: "retry" }, "the shore is under water");
};
const never = () => new Promise<never>(() => {});

describe("a change that does not reach the customer", () => {
  it("gives the agent one note in the chat, in the channel's language, and no second after a crash", async () => {
    const { does, edit, deletion, lines, crash, begin, clock } = await afterMessage(() => ({ delete: refuse("no") }));
    await does(edit);
    const line = "Su edición no ha llegado al cliente. Sigue viendo «Three euros».\nMotivo: a bottle is corked.";
    expect(lines()).toEqual([line]);
    await crash();
    await begin();
    await clock.forward(5_000);
    await does(deletion);
    expect(lines()).toEqual([line, expect.stringContaining("El mensaje no se eliminó")]);
  });

  it("is reported once, even if the process ends before the gateway takes the note", async () => {
    const { does, edit, lines, crash, begin, clock, weather, store, account } = await afterMessage(() => ({}));
    weather.down = true;
    await does(edit);
    await crash();
    weather.down = false;
    await begin();
    await clock.forward(60_000);
    expect(lines()).toHaveLength(1);
    expect((await store().ledger(account.id))[0]).toMatchObject({ hole: 0, refused: 1 });
  });

  it("is reported after its deadline, with the reason", async () => {
    const { does, edit, lines, clock } = await afterMessage(() => ({ edit: busy }));
    await does(edit);
    await clock.forward(2 * PATIENCE_MS);
    expect(lines()).toEqual([
      "Su edición no ha llegado al cliente. Sigue viendo «Three euros».\nMotivo: no se pudo hacer a tiempo: the shore is under water.",
    ]);
  });

  it("is reported after its deadline while the channel is stopped", async () => {
    const { does, edit, lines, clock, store, channel } = await afterMessage(() => ({ edit: busy }));
    await does(edit);
    await store().channels.setState(channel.id, "stopped", "the lighthouse is dark");
    await clock.forward(2 * PATIENCE_MS);
    expect(lines()).toEqual([expect.stringContaining("no se pudo hacer a tiempo: the lighthouse is dark")]);
    expect(lines()[0]).toContain("«Three euros»");
  });

  it.each(["resend", "hold"] as const)(
    "is reported as unknown if the outcome is unknown, with the policy %s",
    async (unsure) => {
      const { does, edit, lines, crash, begin, clock } = await afterMessage(() => ({ edit: never }), unsure);
      await does(edit);
      for (let life = 0; life < 4; life++) {
        await crash();
        await begin();
        await clock.forward(2_000);
      }
      expect(lines()).toEqual([expect.stringContaining("No se sabe si su edición ha llegado al cliente")]);
    },
  );

  it("is not reported if the channel was removed", async () => {
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const late = async () => {
      await gone;
      throw new DeliveryError({ type: "reject", code: "general" }, "too late");
    };
    const { does, edit, lines, clock, store, channel, account } = await afterMessage(() => ({ edit: late }));
    await does(edit);
    await store().channels.setState(channel.id, "removed");
    go();
    await clock.forward(2 * PATIENCE_MS);
    expect(lines()).toEqual([]);
    expect((await store().outbox.ended(account.id, 9)).map(({ direction }) => direction)).toEqual(["outbound"]);
  });
});

describe("a messenger that reports our own deletions", () => {
  it("does not make the CRM delete a message that is being replaced", async () => {
    const gateway = recordingGateway();
    let onDeleted = (_: MessengerMessageId): Promise<unknown> => Promise.resolve();
    const adapter: ChannelAdapter = {
      ...bottles,
      open(context) {
        const session = bottles.open(context);
        const { revisions } = session;
        if (!revisions) return session;
        return {
          ...session,
          async send(...given) {
            const { parts } = await session.send(...given);
            return { parts: [{ ...parts[0], fixed: true }] };
          },
          revisions: {
            ...revisions,
            async delete(target, signal) {
              await revisions.delete(target, signal);
              await onDeleted(target.messengerMessageId);
              // Its event arrives before its answer.
              await pause(context.clock, 2_000);
            },
          },
        };
      },
    };
    const { clock, channel, store, begin, wake, agentSays } = await relayLives({ adapter, call: gateway.call });
    await begin();
    await agentSays("1", "Three euros");
    wake();
    await clock.forward(1_000);
    const acked = gateway.taken.map(({ body }) => body.transport_message_id).find(Boolean);
    const at = { chat: "chat-1" as ChatId, messengerMessageId: acked as MessengerMessageId };
    const deleted = (id: MessengerMessageId) => ({
      ...at,
      type: "deleted" as const,
      key: id,
      messengerMessageId: id,
      at: 0,
    });
    onDeleted = async (id) => {
      await store().outbox.acceptInbound(channel, { events: [deleted(id)] });
      wake();
    };
    const content = { type: "text" as const, text: "Four euros" };
    const edit: OutboundAct = { type: "edited", ...at, content, suggestions: [] };
    await store().outbox.acceptOutbound(channel, { key: "edit", act: edit, patienceMs: PATIENCE_MS });
    wake();
    await clock.forward(10_000);
    const now = await store().messages.current(channel.id, at.messengerMessageId);
    expect(now).not.toBe(at.messengerMessageId);
    const deletions = () =>
      gateway.requests.filter(
        ({ path, body }) => path.endsWith("/messages") && body.message && !("text" in body.message),
      );
    expect(deletions()).toEqual([]);
    // Deleting the replacement deletes the message.
    await onDeleted(now);
    await clock.forward(10_000);
    expect(deletions().map(({ externalId }) => externalId)).toEqual([at.messengerMessageId]);
  });
});
