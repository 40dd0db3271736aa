import type { ChannelId } from "gangway-messenger/ids";
import type { AccountId, GatewayChannelId } from "./ids.ts";

/** Why messages of a removed channel end, as stored. */
export const REMOVED = "the channel was removed";

/** Why a channel of a messenger that is not installed rests, as stored. */
export const notInstalled = (kind: string): string => `the messenger "${kind}" is not installed on this server`;

/** Remedy for a refused package. */
export const REFUSED_TODO = "install a version that fits, or take it out of MESSENGERS; until then its channels rest";

/** Note of a channel taken over from another module: its state there. Its chats are older than what is known here. */
export const CAME_FROM = "came-from";

/** What to do with a message that was perhaps delivered, if the messenger has no idempotency key. */
export type UnsurePolicy = "resend" | "hold";

/** Choices of days before the connection from which messages are imported; 0: none. */
export const PAST_DAYS = [0, 7, 30, 90] as const;
export type PastDays = (typeof PAST_DAYS)[number];

/** Whether two trouble texts mean the same: the detail after the colon may change with every check. */
export const sameTrouble = (one: string | undefined, other: string | undefined): boolean =>
  one?.split(": ")[0] === other?.split(": ")[0];

export interface Channel {
  id: ChannelId;
  accountId: AccountId;
  kind: string;
  name: string;
  /** The random path segment of its door. */
  door: string;
  /** As the adapter's schema produced it; parsed with that schema again before use. */
  settings: unknown;
  gatewayChannelId?: GatewayChannelId;
  /** Fingerprint of the features last announced to the gateway. */
  announced?: string;
  unsure: UnsurePolicy;
  /**
   * `paused`: its messages wait until an account user resumes it; what arrives is kept. `stopped`: its credentials died; its
   * outbound lanes rest until a person acts. The vendor's pause stands beside it: see `shownState`.
   */
  state: "active" | "paused" | "stopped" | "removed";
  /** Why the vendor has paused it; only the vendor resumes it. */
  pauseReason?: string;
  /** What is wrong, as text, with any detail after a colon; the channel may still work. */
  trouble?: string;
  /** Since when it has been stopped or in trouble, ms; absent if an earlier version recorded it. */
  troubleAt?: number;
  /** The channel's login at the messenger; unique across kinds. */
  identity?: string;
  /** Where customers write to it, if the messenger has such addresses. */
  link?: string;
  /** Incremented on every change, so that stale sessions are detected. */
  epoch: number;
}

/** The state people see: the vendor's pause hides the channel's own state. */
export const shownState = ({ state, pauseReason }: Pick<Channel, "state" | "pauseReason">): Channel["state"] =>
  pauseReason === undefined || state === "removed" ? state : "paused";
