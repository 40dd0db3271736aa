import type { AccountId, ChannelId, GatewayChannelId } from "./ids.ts";

/** Which way something may travel: inbound is customer to CRM, outbound is CRM to customer. */
export type Way = "inbound" | "outbound" | "both" | "none";

interface Deeds {
  creating: Way;
  editing?: Way;
  quoting?: Way;
  deleting?: Way;
  reaction?: Way;
}
interface FileDeeds extends Deeds {
  maxCount: number;
  /** Bytes. */
  maxSize: number;
  /** Code points of the text that goes with the files. */
  maxNote?: number;
}

/** What a channel can do; announced to the gateway, which draws the agent's buttons from it. */
export interface Features {
  /** The gateway's own channel type, for example `consultant` or `telegram`. */
  type: string;
  text: Deeds & { maxLength: number };
  image?: FileDeeds;
  file?: FileDeeds;
  audio?: Omit<FileDeeds, "maxNote" | "editing">;
  product?: Deeds;
  order?: Deeds;
  delivered: Way;
  read: Way;
  suggestions?: Partial<Record<"text" | "phone" | "email" | "url", Way>>;
  reactions?: { dictionary: string[]; maxCount: number };
  /** May an agent write first, or after the messenger's answer window has closed? */
  firstContact: "no" | "template" | "text";
  afterReplyTimeout: "no" | "template";
}

/** What to do with a message that was perhaps delivered and whose messenger knows no idempotency key. */
export type UnsurePolicy = "resend" | "hold";

export interface Channel {
  id: ChannelId;
  accountId: AccountId;
  kind: string;
  name: string;
  /** The random path segment of its messenger door. */
  door: string;
  /** As the adapter's schema left it; parsed by that schema before use. */
  settings: unknown;
  gatewayChannelId?: GatewayChannelId;
  /** Fingerprint of what was last announced to the gateway. */
  announced?: string;
  unsure: UnsurePolicy;
  /** `stopped`: its credentials died and its outbound lanes rest until a person acts. */
  state: "active" | "stopped" | "removed";
  trouble?: string;
  /** Grows with every change, so that an open session can be known to be stale. */
  epoch: number;
}
