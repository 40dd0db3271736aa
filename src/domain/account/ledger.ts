import type { AccountId, ChannelId } from "../ids.ts";

/** What became of the events that a channel accepted. */
export interface LedgerRow {
  accountId: AccountId;
  channelId: ChannelId;
  accepted: number;
  delivered: number;
  refused: number;
  /** Events of live and of held jobs. */
  waiting: number;
  /** The part of `waiting` that waits for a person. */
  held: number;
  /** Accepted, but neither delivered, refused nor waiting; negative if something was counted twice. Must be 0. */
  hole: number;
  /** Acks owed for agents' messages: given, refused by the gateway, or waiting. */
  acks: { owed: number; given: number; refused: number; waiting: number; hole: number };
  /** Live jobs, acks included. */
  jobs: number;
  /** Creation time of the oldest live job, ms. */
  oldestAt?: number;
}

/** Whether every accepted event and every owed ack is accounted for. */
export const balances = ({ hole, acks }: Pick<LedgerRow, "hole" | "acks">): boolean => hole === 0 && acks.hole === 0;

export function holeInWords(channelId: string, hole: number, of: "event" | "ack" = "event"): string {
  const counted = Math.abs(hole) === 1 ? `1 ${of} is` : `${Math.abs(hole)} ${of}s are`;
  return `channel ${channelId}: ${counted} ${hole > 0 ? "missing" : "too many"}`;
}

/** Of accepted events that are not even in the sums: the end of the database is gone. */
export const missingInWords = (events: number): string =>
  `at least ${events} accepted ${events === 1 ? "message is" : "messages are"} missing: the end of the database's log was damaged or removed`;
