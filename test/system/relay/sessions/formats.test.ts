import { systemClock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import telegram from "gangway-telegram";
import whatsapp from "gangway-whatsapp";
import { expect, it } from "vitest";
import type { Channel } from "../../../../src/domain/channel.ts";
import { FORMATS, type Markup } from "../../../../src/domain/markdown.ts";
import { createStreams } from "../../../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../../../src/relay/sessions/sessions.ts";
import { temporaryStore } from "../../../support/store.ts";

const token = "123456:a-token-of-the-harbour-shop-0123456789";
const KINDS: [ChannelAdapter, object][] = [
  [telegram, { token }],
  [whatsapp, { token, phoneNumberId: "31550000001", wabaId: "21550000001" }],
];

it("of a channel are announced as far as its messenger shows them, and none where the gateway's notation is not known", async () => {
  const store = await temporaryStore(systemClock);
  const formatsOf = (markup: Markup) => {
    const sessions = createSessions({
      ...{ adapters: KINDS.map(([adapter]) => adapter), store, journals: createJournals(store), clock: systemClock },
      ...{ publicUrl: "https://gangway.example", markup, streamsOf: createStreams(10) },
      call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no calls" }),
      serverOptions: () => ({ updates: "webhook" }),
      gatewayOf: () => {
        throw new Error("no gateway");
      },
    });
    return KINDS.map(([{ kind, settings }, own]) => {
      const channel = { id: kind, kind, epoch: 1, settings: settings.parse(own) } as unknown as Channel;
      return sessions.featuresOf(channel).text.formats;
    });
  };
  expect(formatsOf("none")).toEqual([undefined, undefined]);
  expect(formatsOf("markdown")).toEqual([FORMATS, ["bold", "italic", "strikethrough", "code", "pre"]]);
});
