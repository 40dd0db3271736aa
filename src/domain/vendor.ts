/** The vendor's looks and links on the pages. */
export interface Brand {
  /** `#rrggbb`. */
  color?: string;
  logoUrl?: string;
  supportUrl?: string;
  privacyUrl?: string;
}

/** Told to the vendor's own system. */
export interface VendorEvent {
  id: number;
  /** The same for each attempt: the receiver knows repeats by it. */
  uid: string;
  type: string;
  accountId?: string;
  /** JSON, as it is sent. */
  body: string;
  createdAt: number;
  /** When it is tried next, ms. */
  runAt: number;
  attempts: number;
  error?: string;
  state: "due" | "delivered" | "given up";
  endedAt?: number;
}

export const EVENT_TYPES = [
  "account.connected",
  "account.disconnected",
  "account.troubled",
  "account.recovered",
  "channel.troubled",
  "channel.recovered",
  "channel.removed",
  "message.undelivered",
  "message.held",
  "ledger.hole",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventFigures {
  due: number;
  /** When the oldest of these was written, ms. */
  oldestAt?: number;
}

export interface ApiToken {
  name: string;
  scopes: string[];
  createdAt: number;
  /** To the hour, ms. */
  usedAt?: number;
}

/** Scopes of an API token. */
export const SCOPES = [
  "accounts:read",
  "messages:read",
  "messages:contents",
  "undelivered:read",
  "undelivered:write",
  "replay:write",
] as const;
export type Scope = (typeof SCOPES)[number];
