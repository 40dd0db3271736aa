import type { AccountId, ChannelId } from "../domain/ids.ts";

/** A channel's messages, hour by hour; edits, reactions, read marks and the like are not counted. */
export interface ChannelTraffic {
  channelId: ChannelId;
  /** When the last message from a customer, and from an agent, was accepted, ms. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Only hours in which something ended, oldest first; hours since 1970. */
  hours: { hour: number; delivered: number; refused: number }[];
}

/** The ledger's sums over time. */
export interface Traffic {
  /** Records the sums that have changed since. A crash loses no sum, only up to some minutes of its time. */
  record(): Promise<void>;
  /** Of the last two weeks; a removed channel has none. */
  of(accountId: AccountId): Promise<ChannelTraffic[]>;
}
