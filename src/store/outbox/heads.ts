import type { ChannelId } from "../../domain/ids.ts";
import { countBefore } from "../../domain/sorted.ts";

// The heads of the lanes in memory: what may be claimed, and when. Memory proposes; the statement that claims decides.
// A million lanes may wait: of each queue memory holds the first page.

/** The ready head of a lane, or an ack that is owed. */
export interface Head {
  id: number;
  channelId: ChannelId;
  /** When it is due, ms. */
  runAt: number;
}
export type QueueDirection = "inbound" | "outbound" | "ack";

/** Heads of one channel and direction, oldest first. Inbound ones apart by whether their chat is new; acks by account. */
export interface Queue {
  direction: QueueDirection;
  channelId: ChannelId;
  known: 0 | 1;
  heads: Head[];
  /** The last head read; later ones are only in the database. Undefined: there are none. */
  end?: Head;
}

export const PAGE = 250;

const compare = (a: Omit<Head, "channelId">, b: Head) => a.runAt - b.runAt || a.id - b.id;

export const nameOfQueue = (direction: QueueDirection, channelId: ChannelId, known: 0 | 1) =>
  direction === "ack" ? "ack" : `${direction} ${channelId} ${known}`;

const indexOf = (heads: Head[], head: Omit<Head, "channelId">) => countBefore(heads, (each) => compare(head, each) > 0);

export function removeHead({ heads }: Queue, head: Omit<Head, "channelId">): void {
  const n = indexOf(heads, head);
  if (heads[n]?.id === head.id) heads.splice(n, 1);
}

export function addHead(queue: Queue, head: Head): void {
  const { heads, end } = queue;
  if (end && compare(head, end) > 0) return;
  heads.splice(indexOf(heads, head), 0, head);
  if (heads.length < 2 * PAGE) return;
  heads.length = PAGE;
  queue.end = heads.at(-1);
}
