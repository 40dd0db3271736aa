import type { AccountId } from "../ids.ts";
import { type Language, languageOf } from "../language.ts";

/** One CRM account that has connected the module. */
export interface Account {
  id: AccountId;
  /** Origin of the CRM, no trailing slash. */
  crmUrl: string;
  /** The origin that stays when the account's public address changes; absent when the CRM has named none. */
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
  /** The CRM's language, as a tag such as "es", and its time zone, such as "Europe/Madrid"; absent until it has said so. */
  language?: string;
  timeZone?: string;
  /** Why the credentials no longer work, as text; absent while they work. */
  trouble?: string;
}

/** Whether traffic flows (spec, "States and transitions"; domain facts of the activity callback). */
export const works = (account: Pick<Account, "active" | "frozen">): boolean => account.active && !account.frozen;

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
