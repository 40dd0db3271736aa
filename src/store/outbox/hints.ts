import type { AccountId, ChannelId } from "../../domain/ids.ts";

// When each queue of an account is next due, kept in memory. A hint may be early, never late (on PostgreSQL by a
// sweep at most, after a lost connection): only a claim reads what is due, and leaves a hint of what is left.

export type QueueDirection = "inbound" | "outbound" | "ack";

/** What waits of one channel and direction; the acks of an account are one queue. */
export interface QueueOf {
  direction: QueueDirection;
  channelId: ChannelId;
}
export interface Hint extends QueueOf {
  /** When its first message is due, ms. */
  at: number;
  /** How many are perhaps due then: one slot each is enough until a claim has looked. */
  jobs: number;
}
export type AccountHint = Hint & { accountId: AccountId };

/** By queue. */
export type Hints = Map<string, Hint>;

const nameOf = ({ direction, channelId }: QueueOf) => (direction === "ack" ? "ack" : `${direction} ${channelId}`);

/** All queues of an account with these channels. */
export const queuesWith = (channelIds: ChannelId[]): QueueOf[] => [
  ...channelIds.flatMap((channelId): QueueOf[] => [
    { direction: "inbound", channelId },
    { direction: "outbound", channelId },
  ]),
  { direction: "ack", channelId: "" as ChannelId },
];

/** Paused channels. */
export type Paused = ReadonlySet<string>;

/** Messages of paused channels wait; their acks do not. */
export const isOpen = ({ direction, channelId }: QueueOf, paused: Paused): boolean =>
  direction === "ack" || !paused.has(channelId);

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
export function takeDue(hints: Hints, paused: Paused, now: number): Hint[] {
  const due = [...hints.values()].filter((each) => each.at <= now && isOpen(each, paused));
  for (const each of due) hints.delete(nameOf(each));
  return due;
}
