import { describe, expect, it } from "vitest";
import { DeliveryError } from "../errors.ts";
import { MESSAGE_KINDS, type Way } from "../features.ts";
import { formFields } from "../form.ts";
import type { HostedContext, HostedReceipt } from "../hosted.ts";
import type { ChatId, MessengerMessageId } from "../ids.ts";
import type { ChannelEvent, Content, OpenFile } from "../message.ts";
import type { ToSend } from "../planning.ts";
import type { ChannelAdapter, ChannelSession, MessageRef, Note } from "../port.ts";
import { memoryContext } from "./context.ts";
import { contentOf, HELLO, sendMessage, textStep } from "./sending.ts";

/** What the kit needs to know about a messenger. */
export interface ChannelKit {
  adapter: ChannelAdapter;
  settings: unknown;
  /** Makes a genuine request with a customer's message; every call makes an equal one. */
  genuine(session: ChannelSession, context: HostedContext<unknown>): Promise<() => Request>;
  /** The same request, with wrong or missing credentials. */
  forged(context: HostedContext<unknown>): Request[];
  /** Genuine requests that contain no event. */
  broken(session: ChannelSession, context: HostedContext<unknown>): Promise<Request[]>;
  /** Recorded requests that contain events, by a name for the test. */
  samples?: Record<string, Sample>;
  /** Requests about messages that we sent ourselves, if the messenger makes such. */
  echoes?(session: ChannelSession, context: HostedContext<unknown>): Promise<Request[]>;
  /** A chat that the messenger knows; default `chat`. */
  chat?: ChatId;
  /** Context of the sessions; default: a database in a temporary folder. */
  makeContext?(settings: unknown): Promise<KitContext>;
}

export interface Sample {
  request(session: ChannelSession, context: HostedContext<unknown>): Promise<Request>;
  /** What the event must match. */
  event: Expected;
  /** Other events of the same request. */
  also?: Expected[];
}
type Expected = { type: ChannelEvent["type"] } & Record<string, unknown>;
export interface KitContext {
  context: HostedContext<unknown>;
  commit(receipt: HostedReceipt): Promise<void>;
  atGateway: Map<string, () => OpenFile>;
}

const fresh = () => new AbortController().signal;
const outbound = (way: Way | undefined) => way === "outbound" || way === "both";

/** Tests the promises of the channel port on an adapter (ARCHITECTURE.md, "A messenger"). */
export function describeChannel(kit: ChannelKit): void {
  const { adapter } = kit;
  const features = adapter.features(adapter.settings.parse(kit.settings));
  const opened = async () => {
    const settings = adapter.settings.parse(kit.settings);
    const { context, commit, atGateway } = await (kit.makeContext ?? memoryContext)(settings);
    const session = adapter.open(context);
    await session.connect(fresh());
    return { context, commit, atGateway, session };
  };
  const chat = kit.chat ?? ("chat" as ChatId);
  const sent = (session: ChannelSession, content: Content, more: Partial<ToSend> = {}, signal = fresh()) =>
    sendMessage({ adapter, settings: kit.settings, session }, { chat, content, ...more }, "key", signal);

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

    it("reads a request that was kept as it read it when it came", async () => {
      const { session, context } = await opened();
      const make = await kit.genuine(session, context);
      const first = await session.receive(make());
      const { url, method, headers } = make();
      expect(method).toBe("POST");
      const body = await make().text();
      const kept = new Headers(adapter.proof?.(context.settings, body, context.server));
      for (const name of adapter.keptHeaders ?? []) kept.set(name, headers.get(name) ?? "");
      const again = await session.receive(new Request(url, { method, headers: kept, body }));
      expect(again.events.map((event) => event.key)).toEqual(first.events.map((event) => event.key));
      expect(again.events).toHaveLength(1);
    });

    it("answers a forged request with 401 and keeps nothing of it", async () => {
      const { session, context } = await opened();
      for (const request of kit.forged(context)) {
        const receipt: HostedReceipt = await session.receive(request);
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

    it.each(Object.entries(kit.samples ?? {}))("reads %s", async (_, sample) => {
      const { session, context, commit } = await opened();
      const receipt = await session.receive(await sample.request(session, context));
      await commit(receipt);
      const declared = [...(adapter.notes?.expires ?? []), ...(adapter.notes?.stays ?? [])];
      const isDeclared = ({ key }: Note) => declared.some((prefix) => key.startsWith(prefix));
      expect((receipt.notes ?? []).filter((note) => !isDeclared(note))).toEqual([]);
      expect(receipt.reply.status).toBeLessThan(300);
      const expected = [sample.event, ...(sample.also ?? [])];
      expect(receipt.events).toMatchObject(expected);
      // What it says, whole: nothing beside what is expected.
      for (const [n, { content }] of expected.entries())
        if (content !== undefined) expect(receipt.events[n]).toHaveProperty("content", content);
      expect(new Set(receipt.events.map(({ key }) => key)).size).toBe(receipt.events.length);
    });

    if (kit.echoes)
      it("leaves alone what we ourselves have sent", async () => {
        const { session, context } = await opened();
        for (const request of (await kit.echoes?.(session, context)) ?? []) {
          const receipt = await session.receive(request);
          expect(receipt.reply.status).toBeLessThan(300);
          expect(receipt.events).toEqual([]);
        }
      });

    it.each(MESSAGE_KINDS)(
      "shows %s as far as it can, or refuses it for good, also where it is not announced",
      async (kind) => {
        const { session, atGateway } = await opened();
        const outcome = await sent(session, contentOf(kind, atGateway)).catch((error: unknown) =>
          error instanceof DeliveryError ? error.verdict.type : error,
        );
        if (Array.isArray(outcome)) expect(outcome.length).toBeGreaterThan(0);
        else expect(outcome).toBe("reject");
      },
    );

    if (adapter.sendIdempotency === "native")
      it("gives one message one id, however often it is sent under one key", async () => {
        const { session } = await opened();
        const send = (key: string) =>
          sendMessage({ adapter, settings: kit.settings, session }, { chat, content: HELLO }, key, fresh());
        expect(await send("one")).toEqual(await send("one"));
        expect(await send("two")).not.toEqual(await send("one"));
      });

    it("can be asked for a message exactly when it says so, and finds what it sent and nothing else", async () => {
      const { session, context } = await opened();
      expect(session.lookup !== undefined).toBe(adapter.sendIdempotency === "lookup");
      expect(adapter.idempotencyMs ?? 1).toBeGreaterThan(0);
      if (!session.lookup) return;
      const step = textStep(adapter, kit.settings);
      const since = context.clock.now();
      const parts = (await session.send(step, { chat, key: "one" }, fresh())).parts;
      const find = (key: string, signal = fresh()) => session.lookup?.(step, { chat, key, since }, signal);
      expect(await find("one")).toMatchObject({ found: "arrived", parts });
      // The same text was never sent under this key.
      expect((await find("two"))?.found).not.toBe("arrived");
      await expect(find("one", AbortSignal.abort())).rejects.toThrow();
    });

    it("has a list where it says that this reaches the past", async () => {
      const { session } = await opened();
      if (adapter.listsPast) expect(session.list).toBeDefined();
    });

    it("has each group of verbs exactly when its features announce it", async () => {
      const { session } = await opened();
      const texts = MESSAGE_KINDS.map(
        (kind): Partial<Record<"editing" | "deleting" | "reaction", Way>> => ({
          ...features[kind],
        }),
      );
      expect(session.templates !== undefined).toBe(features.templates !== undefined);
      expect(session.revisions !== undefined).toBe(
        texts.some((actions) => outbound(actions?.editing) || outbound(actions?.deleting)),
      );
      expect(session.readMarks !== undefined).toBe(outbound(features.read) || outbound(features.delivered));
      expect(session.reactions !== undefined).toBe(texts.some((actions) => outbound(actions?.reaction)));
      expect(session.files !== undefined).toBe(
        ["inbound", "both"].includes(features.file?.creating ?? features.image?.creating ?? "none"),
      );
    });

    it("honours an abort before anything has left", async () => {
      const { session, context } = await opened();
      const aborted = AbortSignal.abort();
      const target: MessageRef = { chat, messengerMessageId: `${chat}:1` as MessengerMessageId };
      await expect(sent(session, HELLO, {}, aborted)).rejects.toThrow();
      if (session.revisions) await expect(session.revisions.delete(target, aborted)).rejects.toThrow();
      if (session.readMarks) await expect(session.readMarks.read(target, aborted)).rejects.toThrow();
      expect(await context.journal.latest(chat, { entries: 10, bytes: 1024 })).toEqual([]);
    });

    it("has words for every field of its form, and for every choice", () => {
      const fields = formFields(adapter.settings);
      const choices = fields.map(({ name, choices = [] }) => [name, choices.toSorted()]);
      for (const words of Object.values(adapter.words)) {
        const worded = Object.entries(words).map(([name, field]) => [name, Object.keys(field.choices ?? {}).sort()]);
        expect(Object.fromEntries(worded)).toEqual(Object.fromEntries(choices));
      }
    });

    it("tells limits that its own features and pace can hold", () => {
      const { most, everyMs } = adapter.pace.perChat(chat);
      expect(Math.min(adapter.pace.perSecond, most, everyMs, features.text.maxLength)).toBeGreaterThan(0);
      for (const files of [features.image, features.file, features.audio])
        if (files) expect(Math.min(files.maxCount, files.maxSize)).toBeGreaterThan(0);
    });
  });
}
