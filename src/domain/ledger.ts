import type { AccountId, ChannelId } from "./ids.ts";

/** What has become of the events that a channel has accepted. */
export interface LedgerRow {
  accountId: AccountId;
  channelId: ChannelId;
  accepted: number;
  delivered: number;
  refused: number;
  /** Events of live and of held jobs. */
  waiting: number;
  /** Those of them that wait for a person. */
  held: number;
  /** Accepted, but neither delivered, refused nor waiting; below zero when something was counted twice. Never but 0. */
  hole: number;
  /** Acks that are owed for agents' messages: given, refused by the gateway, or waiting. */
  acks: { owed: number; given: number; refused: number; waiting: number; hole: number };
  /** Live jobs, acks too. */
  jobs: number;
  /** When the oldest of them was made, ms. */
  oldestAt?: number;
}

/** Events and acks both make up what was accepted and owed. */
export const balances = ({ hole, acks }: Pick<LedgerRow, "hole" | "acks">): boolean => hole === 0 && acks.hole === 0;
