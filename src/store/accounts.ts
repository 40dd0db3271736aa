import type { Account, Lease } from "../domain/account.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Act } from "./audit.ts";

export type NewAccount = Pick<
  Account,
  "crmUrl" | "apiKey" | "clientId" | "webhookSecret" | "gatewayUrl" | "gatewayToken"
>;

interface Trouble {
  text: string;
  restUntil: number;
}

/** Accounts and their bindings to the CRM and the gateway. */
export interface AccountStore {
  /** Adds the account, or changes the binding of the one with this CRM address; its other state stays. */
  bind(account: NewAccount, by?: Act): Promise<Account>;
  byId(id: AccountId): Promise<Account | undefined>;
  byCrmUrl(crmUrl: string): Promise<Account | undefined>;
  byClientId(clientId: string): Promise<Account | undefined>;
  /** By the secret last segment of the webhook path. */
  byWebhookSecret(secret: string): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  setActivity(id: AccountId, activity: Pick<Account, "active" | "frozen">, inboundPatienceMs: number): Promise<void>;
  setGatewayToken(id: AccountId, token: string): Promise<void>;
  /** Why the account's token fails; what needs it rests until then. Absent: all is well again. */
  setTrouble(id: AccountId, trouble?: Trouble): Promise<void>;
  /** The trouble lasts; nothing changes where it is over. */
  prolongTrouble(id: AccountId, trouble: Trouble): Promise<void>;
  /** So many calls toward the gateway got no answer and may still arrive there. */
  setUnanswered(id: AccountId, calls: number): Promise<void>;
  /** Always granted here; a new fence number each time, so that results of an older holder are refused. */
  takeLease(id: AccountId, owner: string): Promise<Lease>;
}

/** A person's visit to the account page. The cookie holds the token; the database only its fingerprint. */
export interface WebSession {
  accountId: AccountId;
  /** Must come back with every form of this visit. */
  formToken: string;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie; the form token is made of it, and neither is kept. */
  start(accountId: AccountId): Promise<string>;
  byToken(token: string): Promise<WebSession | undefined>;
  end(token: string): Promise<void>;
}
