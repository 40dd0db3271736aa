import { systemClock } from "gangway-messenger/clock";
import { createExplain } from "gangway-messenger/explanations";
import type { MessengerMessageId } from "gangway-messenger/ids";
import { LANGUAGES } from "gangway-messenger/language";
import type { ChannelEvent, Content } from "gangway-messenger/message";
import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { chatting } from "../../../../sandbox/test/spec/account.ts";
import type { Job } from "../../../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../../../src/domain/explanations.ts";
import type { GatewayChannelId } from "../../../../src/domain/ids.ts";
import type { OutboundAct, RelayedEvent } from "../../../../src/domain/message.ts";
import { fitted, pieceId } from "../../../../src/domain/message.ts";
import { createPerform } from "../../../../src/relay/deliver/attempt.ts";
import { PIECE_NOTES, redirectToWhole } from "../../../../src/relay/deliver/pieces.ts";
import { createBreakers, createPaces } from "../../../../src/relay/limits/limits.ts";
import { createForeignAnswers, type Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { textOnly } from "../../../support/capabilities.ts";
import { customerSays } from "../../../support/events.ts";
import { gatewayOn } from "../../../support/gateway-client.ts";
import { silentLog } from "../../../support/log.ts";
import { eraseChat, oneChannel } from "../../../support/store.ts";

/** Characters that the channel has announced. */
const ANNOUNCED = 100;
type Message = Extract<ChannelEvent, { type: "message" }>;
const said = (id: string, text: string) => customerSays(id, text) as Message;

/** Jobs of a channel that goes by the sandbox's gateway. */
async function atGateway(own: object = { deleting: "both" }) {
  const scene = await chatting({ text: { creating: "both", editing: "both", max_chars_count: ANNOUNCED, ...own } });
  const { store, channel } = await oneChannel();
  await store.channels.setGateway(channel.id, { id: String(scene.channel) as GatewayChannelId, announced: "-" });
  const gateway = gatewayOn(scene);
  const sessions = {
    of: () => ({}) as ChannelSession,
    open: () => ({ capabilities: textOnly(ANNOUNCED) }),
    featuresOf: () => ({}),
    writingOf: () => ({ markup: "none", text: ANNOUNCED, note: ANNOUNCED }),
    adapter: () => ({}) as ChannelAdapter,
  } as unknown as Sessions;
  const perform = createPerform({
    ...{
      store,
      sessions,
      clock: systemClock,
      foreignAnswers: createForeignAnswers(systemClock),
      explain: createExplain(COMMON_EXPLANATIONS),
    },
    ...{ paces: createPaces(systemClock), breakers: createBreakers(systemClock, silentLog), gatewayOf: () => gateway },
  });
  const brings = (event: RelayedEvent) => {
    const { accountId, id: channelId } = channel;
    const job = { id: 1, key: event.key, accountId, channelId, task: { direction: "inbound", event } };
    return perform(job as unknown as Job, new AbortController().signal);
  };
  // Behind the hello of the scene.
  const shown = () => [...scene.world.messages.values()].slice(1).filter(({ deleted }) => !deleted);
  const texts = () => shown().map(({ text }) => text);
  return { ...scene, store, channel, brings, texts, shown };
}

describe("a customer's text that the gateway would refuse", () => {
  it.each([
    ["white space", " \n\t "],
    ["what shows as nothing", "\u200b\u3164\u2800"],
  ])("of nothing but %s reaches agents in words", async (_, text) => {
    const { brings, texts, faults } = await atGateway();
    await brings(said("c1", text));
    expect([texts(), faults()]).toEqual([["[a message of blanks only]"], []]);
  });

  it("since it is longer than announced comes in pieces, in order, and a repeat doubles none", async () => {
    const { brings, texts, faults } = await atGateway();
    const words = Array.from({ length: 60 }, (_, n) => `word${n}`);
    for (let n = 0; n < 2; n++) await brings(said("c1", words.join(" ")));
    expect(texts().length).toBeGreaterThan(3);
    expect(texts().join(" ")).toBe(words.join(" "));
    expect(faults()).toEqual([]);
  });

  it("after an edit takes the place of the first piece, and the rest follows", async () => {
    const { brings, texts } = await atGateway();
    await brings(said("c1", "short"));
    const { customer, originator, chat, at } = said("c1", "");
    const text = Array.from({ length: 30 }, (_, n) => `word${n}`).join(" ");
    const messengerMessageId = "c1:edit1" as MessengerMessageId;
    const anew = { messengerMessageId, originator, customer, content: { type: "text", text } as const };
    const edit = {
      type: "edited",
      key: "e1",
      chat,
      at,
      messengerMessageId: "c1" as MessengerMessageId,
      text,
      anew,
    } as const;
    for (let n = 0; n < 2; n++) await brings(edit);
    expect(texts().length).toBeGreaterThan(1);
    expect(texts().join(" ")).toBe(text);
  });
});

describe("a customer's text that went in pieces", () => {
  const words = (count: number, word = "word") => Array.from({ length: count }, (_, n) => `${word}${n}`).join(" ");
  const c1 = "c1" as MessengerMessageId;
  const { customer, originator, chat, at } = said("c1", "");
  const edit = (key: string, text: string) => {
    const messengerMessageId = `c1:${key}` as MessengerMessageId;
    const anew = { messengerMessageId, originator, customer, content: { type: "text", text } as const };
    return { type: "edited", key, chat, at, messengerMessageId: c1, text, anew } as const;
  };
  const deletion = { type: "deleted", key: "d1", chat, at, messengerMessageId: c1 } as const;

  it("is taken back with all of them, and another message stays", async () => {
    const { brings, texts, faults } = await atGateway();
    await brings(said("c1", words(60)));
    await brings(said("c2", "another"));
    await brings(deletion);
    expect([texts(), faults()]).toEqual([["another"], []]);
  });

  it("is edited piece by piece: what is left over is taken back, what is more follows, and a repeat changes nothing", async () => {
    const { brings, texts, faults } = await atGateway();
    await brings(said("c1", words(40)));
    for (const [n, text] of [words(40, "new"), words(20, "less"), "short", words(30, "more")].entries()) {
      for (let times = 0; times < 2; times++) await brings(edit(`e${n}`, text));
      expect(texts().join(" ")).toBe(text);
    }
    await brings(deletion);
    expect([texts(), faults()]).toEqual([[], []]);
  });

  it("leaves a sign in place of what an edit no longer says, where the channel's messages cannot be taken back", async () => {
    const { brings, texts } = await atGateway({});
    await brings(said("c1", words(30)));
    await brings(edit("e1", "short"));
    expect(texts()).toEqual(["short", "…", "…"]);
  });

  it("is what the messenger is told to read, quote and react to, whichever piece an agent means", async () => {
    const { brings, store, channel } = await atGateway();
    await brings(said("c1", words(60)));
    const of = async (id: string) => {
      const messengerMessageId = id as MessengerMessageId;
      const read: OutboundAct = { type: "read", chat, messengerMessageId };
      const answer = { type: "message", chat, quote: { messengerMessageId, text: "w" } } as unknown as OutboundAct;
      const acts = [
        await redirectToWhole(store.notes, channel.id, read),
        await redirectToWhole(store.notes, channel.id, answer),
      ];
      return acts.map((act) => (act.type === "message" ? act.quote : act)?.messengerMessageId);
    };
    const last = pieceId(c1, 3);
    expect(last.length).toBeLessThan(64);
    expect(await of(last)).toEqual(["c1", "c1"]);
    expect(await of("c1")).toEqual(["c1", "c1"]);
    expect(await of("piece:unknown")).toEqual(["piece:unknown", "piece:unknown"]);
  });

  it("is forgotten with its customer", async () => {
    const { brings, store, channel } = await atGateway();
    await brings(said("c1", words(60)));
    await store.outbox.acceptInbound(channel, { events: [said("c1", words(60))] });
    const key = `${PIECE_NOTES}${chat}`;
    expect(await store.notes.get(channel.id, key)).toContain("c1");
    await eraseChat(store, channel, chat);
    expect(await store.notes.get(channel.id, key)).toBeUndefined();
  });
});

describe("what fits", () => {
  const writing = { text: 10, note: 5 };
  const texts = (content: Content, before = 0) =>
    fitted(content, { writing, language: () => "en", before }).map((each) =>
      "files" in each ? each.note : (each as { text: string }).text,
    );

  it("stays as it is, a file with blank words included", () => {
    const content: Content = { type: "image", files: [], note: "  " };
    expect(fitted(content, { writing, language: () => "en" })).toEqual([content]);
    expect(texts({ type: "text", text: "0123456789" })).toEqual(["0123456789"]);
  });

  it("is less behind a quote in words, and less as the note of a file", () => {
    expect(texts({ type: "text", text: "0123456789" }, 4)).toEqual(["012345", "6789"]);
    expect(texts({ type: "file", files: [], note: "0123456789" })).toEqual(["01234", "56789"]);
  });

  it("keeps the marks of each piece, and says that there are no words in each language", () => {
    const marks = [{ type: "bold" as const, offset: 0, length: 20 }];
    const [head, rest] = fitted(
      { type: "text", text: "01234 67890 12345678", marks },
      { writing, language: () => "en" },
    );
    expect([head.marks, rest?.marks]).toMatchObject([[{ length: 5 }], [{ offset: 0 }]]);
    const blank: Content = { type: "text", text: "" };
    expect(
      new Set(LANGUAGES.map((language) => JSON.stringify(fitted(blank, { writing, language: () => language })))).size,
    ).toBe(3);
  });
});
