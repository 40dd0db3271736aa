import { describe, expect, it } from "vitest";
import type { ChannelAdapter, ChannelContext, ChannelSession, MessageAt } from "../../src/channels/port.ts";
import type { Way } from "../../src/domain/channel.ts";
import type { ChatId, GatewayFileId, GatewayMessageId, MessengerMessageId } from "../../src/domain/ids.ts";
import type { Content, OutboundMessage } from "../../src/domain/message.ts";
import { channelContext, fileOf } from "../support/channel-context.ts";

/** What the kit needs to know of one messenger. */
export interface ChannelKit {
  adapter: ChannelAdapter;
  settings: unknown;
  /** A genuine request that brings a customer's message; equal each time it is made. */
  genuine(session: ChannelSession, context: ChannelContext<unknown>): Promise<() => Request>;
  /** The same with a wrong or missing proof. */
  forged(context: ChannelContext<unknown>): Request[];
  /** Requests that are no events of the network. */
  broken(session: ChannelSession, context: ChannelContext<unknown>): Promise<Request[]>;
}

const PICTURE = "\u0089PNG\r\n\u001a\n picture";
const fresh = () => new AbortController().signal;
const outbound = (way: Way | undefined) => way === "outbound" || way === "both";

function message(content: Content, more: Partial<OutboundMessage> = {}): OutboundMessage {
  const id = "77" as GatewayMessageId;
  return { type: "message", gatewayMessageId: id, chat: "chat" as ChatId, content, suggestions: [], ...more };
}

/** The promises of the channel port, run on every adapter (ARCHITECTURE.md, "A messenger"). */
export function describeChannel(kit: ChannelKit): void {
  const { adapter } = kit;
  const features = adapter.features(adapter.settings.parse(kit.settings));
  const opened = async () => {
    const { context, commit, atGateway } = await channelContext(adapter.settings.parse(kit.settings));
    const session = adapter.open(context);
    await session.connect(fresh());
    return { context, commit, atGateway, session };
  };
  const file = (atGateway: Map<string, () => ReturnType<typeof fileOf>>, type: "image" | "file" | "audio"): Content => {
    const mediaType = { image: "image/png", file: "text/plain", audio: "audio/ogg" }[type];
    atGateway.set("f1", () => fileOf(PICTURE, mediaType, "a.bin"));
    return { type, files: [{ file: { at: "gateway", id: "f1" as GatewayFileId } }], note: "note" };
  };

  describe(`the ${adapter.kind} adapter`, () => {
    it("keeps a genuine message, and gives a repeat of it the same identity", async () => {
      const { session, context } = await opened();
      const make = await kit.genuine(session, context);
      const [first, again] = [await session.receive(make()), await session.receive(make())];
      expect(first.reply.status).toBe(200);
      expect(first.events).toHaveLength(1);
      expect(again.events.map((event) => event.key)).toEqual(first.events.map((event) => event.key));
      expect(again.events[0]?.messengerMessageId).toBe(first.events[0]?.messengerMessageId);
    });

    it("answers a forged request with 401 and keeps nothing of it", async () => {
      const { session, context } = await opened();
      for (const request of kit.forged(context)) {
        const receipt = await session.receive(request);
        expect(receipt.reply.status).toBe(401);
        expect([receipt.events, receipt.journal ?? []]).toEqual([[], []]);
      }
    });

    it("keeps nothing of a request that it cannot read, and never throws at it", async () => {
      const { session, context } = await opened();
      for (const request of await kit.broken(session, context)) {
        const receipt = await session.receive(request);
        expect(receipt.events).toEqual([]);
        expect(receipt.reply.status).toBeLessThan(500);
      }
    });

    const kinds = (["text", "image", "file", "audio", "product", "order"] as const).filter((kind) =>
      outbound(features[kind]?.creating),
    );
    it.each(kinds)("sends %s, as announced", async (kind) => {
      const { session, atGateway } = await opened();
      const content: Content =
        kind === "text"
          ? { type: "text", text: "hello" }
          : kind === "product"
            ? { type: "product", product: { id: 1, name: "Rope" } }
            : kind === "order"
              ? { type: "order", order: { items: [] } }
              : file(atGateway, kind);
      const sent = await session.send(message(content), "key", fresh());
      expect(sent.messengerMessageIds.length).toBeGreaterThan(0);
    });

    it("still sends what is not announced, as far as it can be shown", async () => {
      const { session } = await opened();
      await session.send(message({ type: "product", product: { id: 1, name: "Rope" } }), "key", fresh());
    });

    if (adapter.sendIdempotency === "native")
      it("gives one message one id, however often it is sent under one key", async () => {
        const { session } = await opened();
        const send = (key: string) => session.send(message({ type: "text", text: "hello" }), key, fresh());
        expect(await send("one")).toEqual(await send("one"));
        expect(await send("two")).not.toEqual(await send("one"));
      });

    it("has each group of verbs exactly when its features announce it", async () => {
      const { session } = await opened();
      const texts = [features.text, features.image, features.file];
      expect(session.revisions !== undefined).toBe(
        texts.some((deeds) => outbound(deeds?.editing) || outbound(deeds?.deleting)),
      );
      expect(session.readMarks !== undefined).toBe(outbound(features.read) || outbound(features.delivered));
      expect(session.reactions !== undefined).toBe(texts.some((deeds) => outbound(deeds?.reaction)));
      expect(session.files !== undefined).toBe(
        ["inbound", "both"].includes(features.file?.creating ?? features.image?.creating ?? "none"),
      );
    });

    it("honours an abort before anything has left", async () => {
      const { session } = await opened();
      await expect(session.send(message({ type: "text", text: "x" }), "key", AbortSignal.abort())).rejects.toThrow();
    });

    it("carries out edits, deletions and marks on a message it sent", async () => {
      const { session } = await opened();
      const { messengerMessageIds } = await session.send(message({ type: "text", text: "x" }), "key", fresh());
      const target: MessageAt = {
        chat: "chat" as ChatId,
        messengerMessageId: messengerMessageIds[0] as MessengerMessageId,
      };
      await session.revisions?.edit(target, { type: "text", text: "y" }, fresh());
      await session.revisions?.delete(target, fresh());
      await session.readMarks?.read(target, fresh());
      await session.readMarks?.delivered(target, fresh());
    });
  });
}
