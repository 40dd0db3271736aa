import type { Clock } from "gangway-messenger/clock";
import type { Customer } from "gangway-messenger/message";
import type { ChannelContext, Note, Notes } from "gangway-messenger/port";
import type { Graph } from "../graph.ts";
import type { Lines } from "./lines.ts";
import type { WireMessage } from "./wire.ts";

const HOUR_MS = 3_600_000;
/** How long after a customer's message anyone may answer, and a person with the tag HUMAN_AGENT. */
export const WINDOW_MS = 24 * HOUR_MS;
export const HUMAN_AGENT_MS = 7 * 24 * HOUR_MS;
/**
 * Ten files a second per page or account, 300 texts, two pages of conversations; fewer to one customer, or Meta slows
 * the conversation down (Messenger, Rate limits).
 */
export const PACE = {
  perSecond: 300,
  filesPerSecond: 10,
  // Two minus one: the check of the right to messages may be under way.
  listsPerSecond: 1.5,
  perChat: () => ({ most: 5, everyMs: 5_000 }),
};

/** Differences between Messenger and Instagram when reading. */
export interface Network {
  kind: string;
  title: string;
  /** Of the webhooks. */
  object: string;
  /** Fields of a customer's profile, and their meaning. */
  profileFields: string;
  /** The list of conversations: whose, more fields of a message, and what a webhook calls a share. */
  listed: { platform: string; fields: string; share: string };
  customerOf(profile: WireProfile): Omit<Customer, "id">;
  echoes: Echoes;
}

/** Of GET /{customer}. */
export interface WireProfile {
  id: string;
  name?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  username?: string | null;
  profile_pic?: string | null;
}

/** Distinguishes our own messages, when they come back, from those of staff. */
export interface Echoes {
  /** Notes that record which message of ours it is; undefined: it is not ours. */
  ofOurs(echo: Echo, notes: Pick<Notes, "get">): Promise<Note[] | undefined>;
}
export interface Echo {
  message: WireMessage;
  chat: string;
  channelId: string;
  at: number;
}

/** One login: a page, or an account of Instagram. */
export interface Login {
  network: Network;
  context: Pick<ChannelContext<unknown>, "channelId" | "notes" | "closed"> & { clock: Clock };
  graph: Graph;
  /** The page's or account's id. */
  ownId: string;
  lines: Lines;
  /** How long agents may answer, ms. */
  windowMs: number;
}
