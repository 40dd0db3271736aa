import type { ChannelId } from "gangway-messenger/ids";
import { type Language, languageOf } from "gangway-messenger/language";
import type { AccountId } from "./ids.ts";
import type { AccountLimits } from "./pausing.ts";

/** One CRM account that has connected the module. */
export interface Account {
  id: AccountId;
  /** Origin of the CRM, no trailing slash. */
  crmUrl: string;
  /** The origin that stays the same when the account's public address changes; absent when the CRM has named none. */
  technicalUrl?: string;
  apiKey: string;
  /** The credential by which the CRM and the gateway identify the account; 256 random bits. */
  clientId: string;
  /** The second secret of the gateway's webhook: the last segment of its path. */
  webhookSecret: string;
  gatewayUrl: string;
  gatewayToken: string;
  /** Switched by a person in the CRM. */
  active: boolean;
  /** Frozen by the CRM itself, for example for an unpaid module. */
  frozen: boolean;
  /** Why the vendor has paused it, whatever the CRM says; absent when not paused. */
  pauseReason?: string;
  /** The vendor's limits for this account, overriding the server's. */
  limits?: AccountLimits;
  /** The CRM's language, as a tag such as "es", and its time zone, such as "Europe/Madrid"; absent until it has said so. */
  language?: string;
  timeZone?: string;
  /** The actions with which the module is registered, as JSON; absent: not known. */
  registered?: string;
  /** Why the credentials no longer work, as text; absent while they work. */
  trouble?: string;
}

/** Whether traffic flows (spec, "States and transitions"; domain facts of the activity callback). */
export const works = (account: Flow): boolean => isOn(account) && account.pauseReason === undefined;
type Flow = Pick<Account, "active" | "frozen" | "pauseReason">;

/** Whether the CRM has it on. */
export const isOn = (account: Pick<Account, "active" | "frozen">): boolean => account.active && !account.frozen;

/** What the CRM says, in a word. */
export const activityOf = (account: Pick<Account, "active" | "frozen">): "working" | "frozen" | "off" =>
  isOn(account) ? "working" : account.frozen ? "frozen" : "off";

/** The words of `flowOf`. */
export const FLOWS = ["working", "paused", "frozen", "off"] as const;

/** Whether traffic flows, in a word. */
export const flowOf = (account: Flow): (typeof FLOWS)[number] =>
  account.pauseReason === undefined ? activityOf(account) : "paused";

/** Path of the account's page at the module. */
export const accountPage = (account: AccountId): string => `/account/${account}`;

/** In which language the account's agents read; the channel's as long as the CRM has not said. */
export const agentsLanguage = (account: Pick<Account, "language"> | undefined, ofChannel: Language): Language =>
  languageOf(account?.language) ?? ofChannel;

/** The right to do an account's work. One owner at a time; only the current fence number may record results. */
export interface Lease {
  accountId: AccountId;
  fence: number;
}

/** Rights of a CRM's API keys, by the CRM's codes. */
export type Scope = "integration_read" | "integration_write" | "settings_read" | "notification_write";

/** A right that the module uses. */
export interface Right {
  scope: Scope;
  given: boolean;
  /** Without it the module cannot be connected; the others only make it better. */
  required: boolean;
}

/** The CRM's page of API keys, for its users (documentation of the gem retailcrm-api: Requirements). */
export const apiKeysPage = (crmUrl: string): string => `${crmUrl}/admin/api-keys`;

/** What became of the events that a channel accepted. */
export interface LedgerRow {
  accountId: AccountId;
  channelId: ChannelId;
  accepted: number;
  /** Of those: no webhook brought them, but a look at the messenger's list. */
  recovered: number;
  delivered: number;
  refused: number;
  /** Events of live and of held jobs. */
  waiting: number;
  /** The part of `waiting` that waits for a person. */
  held: number;
  /** Of those, messages (`countsAsMessage`): on their way, and waiting for a person. */
  messages: { waiting: number; held: number };
  /** Accepted, but neither delivered, refused nor waiting; negative if something was counted twice. Must be 0. */
  hole: number;
  /** Acks owed for agents' messages: given, refused by the gateway, or waiting. */
  acks: { owed: number; given: number; refused: number; waiting: number; hole: number };
  /** Live jobs, acks included. */
  jobs: number;
  /** Creation time of the oldest live job, ms. */
  oldestAt?: number;
  /** When its first job is due, ms; absent while nothing of it may leave: the account is off or paused, the channel paused or stopped. */
  dueAt?: number;
  /** Undelivered ones that are still listed. */
  undelivered: number;
  /** Absent of a removed channel. */
  kind?: string;
  standing: Standing;
}

/**
 * State of a channel for people, in the order of filters. The ledger's query decides: the vendor's pause of the account
 * comes before the account's own `off`, and a pause before `stopped`.
 */
export const STANDINGS = ["removed", "off", "stopped", "paused", "troubled", "working"] as const;
export type Standing = (typeof STANDINGS)[number];

/** How long a message may be overdue before a person should look, ms: retries of a short failure are over by then. */
export const SLOW_MS = 300_000;
export const isSlow = (dueAt: number | undefined, now: number): dueAt is number =>
  dueAt !== undefined && dueAt < now - SLOW_MS;

/** The note of a channel that counts its recovered events. */
export const RECOVERED = "recovered";

/** Whether every accepted event and every owed ack is accounted for. */
export const balances = ({ hole, acks }: Pick<LedgerRow, "hole" | "acks">): boolean => hole === 0 && acks.hole === 0;

export function holeInWords(channelId: string, hole: number, of: "event" | "ack" = "event"): string {
  const counted = Math.abs(hole) === 1 ? `1 ${of} is` : `${Math.abs(hole)} ${of}s are`;
  return `channel ${channelId}: ${counted} ${hole > 0 ? "missing" : "too many"}`;
}

/** Text for accepted events missing even from the sums: the end of the database is gone. */
export const missingInWords = (events: number): string =>
  `at least ${events} accepted ${events === 1 ? "message is" : "messages are"} missing: the end of the database's log was damaged or removed`;
