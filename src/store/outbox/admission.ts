import { type Bound, type Bounds, Overload } from "../../domain/overload.ts";

// How much may wait. Each engine counts what is live in its own way.

type Way = "inbound" | "outbound";

/** Live messages: with owed acks in all; of the new one's direction, those of its account and of its channel. */
export interface Waiting {
  all: number;
  ofAccount: number;
  ofChannel: number;
}

/** Shares of the account's bound for customers and agents: neither can use up the other's. */
const SHARES = { inbound: 0.75, outbound: 0.25 };
/** A channel may hold this multiple of the share's free part: one flooded channel leaves a fifth free, two leave a ninth. */
const CHANNEL_TIMES_LEFT = 4;

export const shareOf = ({ perAccount }: Bounds, direction: Way): number =>
  Math.min(perAccount, Math.max(1, Math.floor(perAccount * SHARES[direction])));

/** The bound that a new message has reached, whatever its chat. */
export function boundReached(bounds: Bounds, direction: Way, waiting: Waiting): Bound | undefined {
  if (waiting.all >= bounds.all) return "process";
  const left = shareOf(bounds, direction) - waiting.ofAccount;
  if (left <= 0) return "account";
  return waiting.ofChannel >= left * CHANNEL_TIMES_LEFT ? "channel" : undefined;
}

/** Never refuse customers for one long chat: their messenger would hold back all other chats, too. */
export const mayFillLane = ({ perLane }: Bounds, direction: Way, { ofChannel }: Waiting): boolean =>
  direction === "outbound" && ofChannel >= perLane;

/** Whether a chat has more than `limit` live messages in one direction. */
export const DEEPER = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = @direction AND chat = @chat
  AND state IN ('ready','sending','waiting') LIMIT 1 OFFSET @limit`;

/** With fewer live messages an account reaches no bound of its own. */
export const leastBound = (bounds: Bounds): number =>
  Math.min(bounds.perLane, (shareOf(bounds, "outbound") * CHANNEL_TIMES_LEFT) / (CHANNEL_TIMES_LEFT + 1));

/** Throws Overload, which counts refusals: of the account; of the channel for `channel` and `files`; of all else for the bound. */
export type Refuse = (bound: Bound, of?: { accountId?: string; channelId?: string }) => never;

export function refusing(): Refuse {
  const refused = new Map<string, number>();
  return (bound, { accountId, channelId } = {}) => {
    const name = nameOf(bound, accountId, channelId);
    const count = (refused.get(name) ?? 0) + 1;
    refused.set(name, count);
    throw new Overload(bound, count);
  };
}

function nameOf(bound: Bound, accountId = "", channelId = ""): string {
  switch (bound) {
    case "account":
    case "lane":
      return accountId;
    case "channel":
      return channelId;
    case "files":
      return `files of ${channelId}`;
    default:
      return bound;
  }
}
