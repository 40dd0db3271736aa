import { expect, it } from "vitest";
import { pause, systemClock } from "../clock.ts";
import { MESSAGE_KINDS, type MessageKind } from "../features.ts";
import type { ChatId } from "../ids.ts";
import type { ChannelEvent } from "../message.ts";
import type { ChannelAdapter, ChannelSession, Pace } from "../port.ts";
import { HELLO, sendMessage } from "./sending.ts";

const fresh = () => new AbortController().signal;
const HOUR_MS = 3_600_000;
interface Listing {
  adapter: ChannelAdapter;
  settings: unknown;
  stage(): Promise<{
    session: ChannelSession;
    chat: ChatId;
    customer: { says(kind: MessageKind): Promise<ChannelEvent[]> };
  }>;
}
/** A list that leads back to itself would never end. */
const MAX_PAGES = 100;

/** A network counts by a clock of its own, ms. */
const SPARE_MS = 50;

/** At the network's pace. */
async function listed({ list }: ChannelSession, { listsPerSecond = 1 }: Pace, since: number): Promise<ChannelEvent[]> {
  const events: ChannelEvent[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    await pause(systemClock, 1_000 / listsPerSecond + SPARE_MS);
    const given = await list?.(since, after, fresh());
    events.push(...(given?.events ?? []));
    after = given?.next;
    if (after === undefined) return events;
  }
  throw new Error("the list has no end");
}

/** Tests a session that can list what was written: a message is the same whether its webhook brings it or the list. */
export function describeList({ adapter, settings, stage }: Listing): void {
  it("lists a customer's messages as their webhooks bring them, without ours, and none from before", async () => {
    const { session, customer, chat } = await stage();
    const { list } = session;
    if (!list) return;
    const came: ChannelEvent[] = [];
    for (const kind of MESSAGE_KINDS) came.push(...(await customer.says(kind).catch(() => [])));
    const ours = await sendMessage({ adapter, settings, session }, { chat, content: HELLO }, "listed", fresh());
    const found = new Map((await listed(session, adapter.pace, 0)).map((event) => [event.key, event]));
    expect(came.length).toBeGreaterThan(0);
    for (const event of came) {
      if (event.type !== "message") continue;
      const { key, messengerMessageId, originator, content } = event;
      const same = { messengerMessageId, chat: event.chat, originator, content: { type: content.type } };
      expect(found.get(key)).toMatchObject(same);
    }
    const ids = [...found.values()].map(({ messengerMessageId }) => messengerMessageId);
    expect(ids).not.toContain(ours[0]?.messengerMessageId);
    expect(await listed(session, adapter.pace, systemClock.now() + HOUR_MS)).toEqual([]);
    await expect(list(0, undefined, AbortSignal.abort())).rejects.toThrow();
  });
}
