import type { Account, Lease } from "../domain/account/account.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Act } from "./audit.ts";

export type NewAccount = Pick<
  Account,
  "crmUrl" | "technicalUrl" | "apiKey" | "clientId" | "webhookSecret" | "gatewayUrl" | "gatewayToken"
> & {
  /** Of an account that is already known; absent: found by CRM URL, else new. */
  id?: AccountId;
};

interface Trouble {
  text: string;
  restUntil: number;
}

/** Accounts and their bindings to the CRM and the gateway. */
export interface AccountStore {
  /** Upserts the binding; the account's other state stays. */
  bind(account: NewAccount, by?: Act): Promise<Account>;
  byId(id: AccountId): Promise<Account | undefined>;
  /** Differs after each change of the account, its channels, messages or visits. No I/O. */
  version(id: AccountId): string;
  byCrmUrl(crmUrl: string): Promise<Account | undefined>;
  byTechnicalUrl(technicalUrl: string): Promise<Account | undefined>;
  byClientId(clientId: string): Promise<Account | undefined>;
  /** By the secret at the end of the webhook path. */
  byWebhookSecret(secret: string): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  setActivity(id: AccountId, activity: Pick<Account, "active" | "frozen">, inboundPatienceMs: number): Promise<void>;
  /** False when another account is at this address. */
  move(id: AccountId, to: Pick<Account, "crmUrl" | "technicalUrl">, by: Act): Promise<boolean>;
  setLocale(id: AccountId, locale: Pick<Account, "language" | "timeZone">): Promise<void>;
  setGatewayToken(id: AccountId, token: string): Promise<void>;
  /** Why the account's token fails; calls that need it pause until `restUntil`. Absent: clears the trouble. */
  setTrouble(id: AccountId, trouble?: Trouble): Promise<void>;
  /** Extends the trouble; does nothing if it has been cleared. */
  prolongTrouble(id: AccountId, trouble: Trouble): Promise<void>;
  /**
   * When the calls to the gateway started that got no answer and may still arrive, ms. Does nothing once another process has
   * taken the account: that one counts them.
   */
  setUnanswered(lease: Lease, startedAt: number[]): Promise<void>;
}

/** A session on the account page. The cookie holds the token; the database only its fingerprint. */
interface WebSession {
  accountId: AccountId;
  /** Names the session among the account's; no secret. */
  id: string;
  /** CSRF token: every form of this session must send it back. */
  formToken: string;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie. The form token is derived from it; only fingerprints are stored. */
  start(accountId: AccountId, browser?: string): Promise<string>;
  /** Of an account, the last used one first. */
  list(accountId: AccountId): Promise<OpenSession[]>;
  /** `isUse` false: its end does not move. */
  byToken(token: string, isUse?: boolean): Promise<WebSession | undefined>;
  end(token: string): Promise<void>;
  /** Ends one, or all but one, of the account's. Resolves with their number. */
  endOf(accountId: AccountId, which: { id: string } | { allBut: string }): Promise<number>;
}

interface OpenSession {
  id: string;
  /** Times in ms; `startedAt` is 0 when an older version started it. */
  startedAt: number;
  usedAt: number;
  browser?: string;
}
