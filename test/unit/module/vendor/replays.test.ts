import type { HostedReceipt } from "gangway-messenger/hosted";
import type { ChatId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelContext } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { createReplays } from "../../../../src/module/vendor/replays.ts";
import { createJournals } from "../../../../src/relay/sessions/sessions.ts";
import type { Store } from "../../../../src/store/store.ts";
import { customerSays } from "../../../support/events.ts";
import { configOf } from "../../../support/site.ts";
import { oneChannel } from "../../../support/store.ts";

const CHAT = "chat" as ChatId;

/** A channel that finds something new in its kept webhook. */
async function replaying() {
  const made = await oneChannel();
  const { account, channel, clock, folder } = made;
  const kept = { path: "", headers: {}, body: "{}" };
  await made.store.outbox.acceptInbound(channel, { events: [customerSays("known")], raw: () => kept });
  let follows = 0;
  const follow = () => {
    follows += 1;
  };
  const store: Store = { ...made.store, journal: { ...made.store.journal, follow } };
  const closed: AbortSignal[] = [];
  let read = 0;
  const receive = async (): Promise<HostedReceipt> => {
    read += 1;
    const line = { chat: CHAT, key: `line ${read}`, entry: "new" };
    return { reply: new Response(), events: [customerSays(`new ${read}`)], journal: [line] };
  };
  const adapter = {
    ...{ kind: channel.kind, hosted: true, settings: { parse: (given: unknown) => given } },
    capabilities: () => ({}),
    open: (context: ChannelContext<unknown>) => {
      closed.push(context.closed);
      return { receive };
    },
  } as unknown as ChannelAdapter;
  const journals = createJournals(store);
  const config = await configOf(folder);
  const replays = createReplays({ config, store, adapters: [adapter], journals, clock, wake: () => {} });
  const span = { from: clock.now() - 1, to: clock.now() + 1 };
  return { ...made, replays, journals, span, closed, account, follows: () => follows };
}

it("replays by the server's own journals: open chats hear what was missing, and nothing is left behind", async () => {
  const { replays, journals, span, closed, account, channel, follows } = await replaying();
  let heard = 0;
  journals.of(channel.id).watch(CHAT, () => {
    heard += 1;
  });
  for (const _ of [1, 2]) expect(await replays.run(account, span)).toMatchObject({ missing: 1, unreadable: [] });
  expect([heard, follows()]).toEqual([2, 1]);
  expect(closed.map(({ aborted }) => aborted)).toEqual([true, true]);
});
