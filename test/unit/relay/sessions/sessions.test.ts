import type { ChannelAdapter } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { createStreams } from "../../../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../../../src/relay/sessions/sessions.ts";
import { oneChannel } from "../../../support/store.ts";

it("opens no session to look at a channel's features: at the start every channel is asked", async () => {
  const { clock, store, channel } = await oneChannel();
  const adapter = {
    kind: "toy",
    settings: { parse: (given: unknown) => given },
    capabilities: () => ({ marks: true }),
    features: () => ({ type: "toy", text: { maxLength: 9 } }),
    open: () => expect.fail("must not be opened"),
  } as unknown as ChannelAdapter;
  const sessions = createSessions({
    ...{ adapters: [adapter], store, clock, journals: createJournals(store) },
    call: async () => expect.fail("must not be called"),
    publicUrl: "https://gangway.example",
    markup: "markdown",
    streamsOf: createStreams(10),
    serverOptions: () => ({ updates: "webhook" }),
    gatewayOf: () => expect.fail("must not be asked"),
  });
  expect(sessions.featuresOf(channel).text).toMatchObject({ maxLength: 9, formats: expect.any(Array) });
});
