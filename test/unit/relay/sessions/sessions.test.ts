import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { createStreams } from "../../../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../../../src/relay/sessions/sessions.ts";
import { oneChannel } from "../../../support/store.ts";

const toy = (open: ChannelAdapter["open"]) =>
  ({
    kind: "toy",
    settings: { parse: (given: unknown) => given },
    capabilities: () => ({ marks: true }),
    features: () => ({ type: "toy", text: { maxLength: 9 } }),
    open,
  }) as unknown as ChannelAdapter;

async function sessionsOf(adapter: ChannelAdapter) {
  const { clock, store, channel } = await oneChannel();
  const sessions = createSessions({
    ...{ adapters: [adapter], store, clock, journals: createJournals(store) },
    call: async () => expect.fail("must not be called"),
    publicUrl: "https://gangway.example",
    markup: "markdown",
    streamsOf: createStreams(10),
    serverOptions: () => ({ updates: "webhook" }),
    gatewayOf: () => expect.fail("must not be asked"),
  });
  return { clock, channel, sessions };
}

it("opens no session to look at a channel's features: at the start every channel is asked", async () => {
  const { sessions, channel } = await sessionsOf(toy(() => expect.fail("must not be opened")));
  expect(sessions.featuresOf(channel).text).toMatchObject({ maxLength: 9, formats: expect.any(Array) });
});

it("tells sessions that stand in for others when the others were opened", async () => {
  const seen: unknown[] = [];
  const { clock, sessions, channel } = await sessionsOf(
    toy(({ call, openedAt }) => {
      seen.push({ call, openedAt });
      return {} as ChannelSession;
    }),
  );
  const openedAt = clock.now();
  sessions.of(channel);
  clock.leap(60_000);
  const call = async () => expect.fail("must not be called either");
  sessions.standIns({ call, gatewayOf: () => expect.fail("must not be asked") }).of(channel);
  expect(seen).toEqual([
    { call: expect.any(Function), openedAt },
    { call, openedAt },
  ]);
});
