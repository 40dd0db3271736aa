import { type Clock, deadline, pause } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import type { ChannelId } from "gangway-messenger/ids";
import type { Listed } from "gangway-messenger/port";
import type { Channel } from "../../domain/channel.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";

/** Reads messengers' lists of past messages: one page per channel at a time, at the messenger's pace. */
export interface Lists {
  /** Whether the channel has a list. `past`: and whether it covers the time before the connection. */
  has(channel: Channel, what?: "past"): boolean;
  /** Rejects with DeliveryError, among other errors. */
  page(channel: Channel, at: ListedAt, stop: AbortSignal): Promise<Listed>;
}
export interface ListedAt {
  since: number;
  /** `next` of the previous page. */
  after?: string;
}

/** Deadline for a page, ms. */
const ANSWER_MS = 30_000;

export function createLists(sessions: Pick<Sessions, "peek" | "adapter">, clock: Clock): Lists {
  const inTurn = serialByKey<ChannelId>();
  /** Rests between pages, by channel. */
  const rests = new Map<ChannelId, Promise<void>>();
  const rest = ({ id, kind }: Channel, stop: AbortSignal) => {
    const ms = Math.ceil(1_000 / (sessions.adapter(kind)?.pace.listsPerSecond ?? 1));
    rests.set(
      id,
      pause(clock, ms, stop).then(() => void rests.delete(id)),
    );
  };
  return {
    has(channel, what) {
      const adapter = sessions.adapter(channel.kind);
      if (!adapter || (what === "past" && !adapter.listsPast)) return false;
      return sessions.peek(channel)?.list !== undefined;
    },
    page: (channel, { since, after }, stop) =>
      inTurn(channel.id, async () => {
        await rests.get(channel.id);
        const { signal, end } = deadline(clock, ANSWER_MS, stop);
        try {
          const listed = await sessions.peek(channel)?.list?.(since, after, signal);
          if (!listed) throw new Error("the channel has no list any more");
          return listed;
        } finally {
          end();
          rest(channel, stop);
        }
      }),
  };
}
