import type { AccountId } from "./ids.ts";

/** One CRM account that has connected the module. */
export interface Account {
  id: AccountId;
  /** Origin of the CRM, no trailing slash. */
  crmUrl: string;
  apiKey: string;
  /** The credential the CRM and the gateway name the account by; 256 random bits. */
  clientId: string;
  /** The second secret of the gateway's webhook: the last segment of its path. */
  webhookSecret: string;
  gatewayUrl: string;
  gatewayToken: string;
  /** A person's switch in the CRM. */
  active: boolean;
  /** The CRM's own stop, for example an unpaid module. */
  frozen: boolean;
  /** Why the credentials no longer work, in words; absent while they do. */
  trouble?: string;
}

/** Traffic flows only then: spec, "States and transitions", and domain facts of the activity callback. */
export const works = (account: Pick<Account, "active" | "frozen">): boolean => account.active && !account.frozen;

/** The right to do an account's work: one owner at a time; results are recorded only under the current fence number. */
export interface Lease {
  accountId: AccountId;
  fence: number;
}
