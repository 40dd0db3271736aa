import type { AccountId, ChannelId } from "../../domain/ids.ts";

// When each queue of an account is next due, kept in memory. A hint may be early, never late (on PostgreSQL by a
// sweep at most, after a lost connection): only a claim reads what is due, and leaves a hint of what is left.

export type QueueDirection = "inbound" | "outbound" | "ack";

/** A queue is what waits of one channel and direction; the acks of an account are one queue. */
export interface Hint {
  direction: QueueDirection;
  channelId: ChannelId;
  /** When its first message is due, ms. */
  at: number;
  /** How many are perhaps due then: one slot each is enough until a claim has looked. */
  jobs: number;
}
export type AccountHint = Hint & { accountId: AccountId };

/** By queue. */
export type Hints = Map<string, Hint>;

const nameOf = ({ direction, channelId }: Pick<Hint, "direction" | "channelId">) =>
  direction === "ack" ? "ack" : `${direction} ${channelId}`;

/** Keeps the earlier time. */
export function hint(hints: Hints, { direction, channelId, at, jobs }: Hint): void {
  const name = nameOf({ direction, channelId });
  const known = hints.get(name);
  if (known) Object.assign(known, { at: Math.min(known.at, at), jobs: known.jobs + jobs });
  else hints.set(name, { direction, channelId, at, jobs });
}

/** A claim reads at least so many of a queue, if there are: what it leaves is known for the next. */
export const LOOKS_AHEAD = 16;

/** Takes the hints of due queues out. The claim that reads these queues puts back what it leaves. */
export function takeDue(hints: Hints, now: number, mayClaim: (hint: Hint) => boolean): Hint[] {
  const due = [...hints.values()].filter((each) => each.at <= now && mayClaim(each));
  for (const each of due) hints.delete(nameOf(each));
  return due;
}
