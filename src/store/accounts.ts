import type { ChannelId } from "gangway-messenger/ids";
import type { Account, Lease } from "../domain/account.ts";
import type { AccountId } from "../domain/ids.ts";
import type { AccountLimits, LimitName } from "../domain/pausing.ts";
import type { Act } from "./care.ts";

export type NewAccount = Pick<
  Account,
  "crmUrl" | "technicalUrl" | "apiKey" | "clientId" | "webhookSecret" | "gatewayUrl" | "gatewayToken" | "registered"
> & {
  /** Set for a known account. Absent: matched by CRM URL, else a new account. */
  id?: AccountId;
};

/** `default`: back to the server's limit. */
export type LimitChange = Partial<Record<LimitName, number | "default">>;

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
  /**
   * The vendor pauses the account (with a reason) or resumes it (without), whatever the CRM says. Resuming gives
   * waiting messages their full time again. False when nothing changes.
   */
  setPause(id: AccountId, reason: string | undefined, by: Act): Promise<boolean>;
  /** Sets or resets the given limits. Resolves with all limits; undefined when there is no such account. */
  setLimits(id: AccountId, change: LimitChange, by: Act): Promise<AccountLimits | undefined>;
  /** False when another account is at this address. */
  move(id: AccountId, to: Pick<Account, "crmUrl" | "technicalUrl">, by: Act): Promise<boolean>;
  setLocale(id: AccountId, locale: Pick<Account, "language" | "timeZone">): Promise<void>;
  setGatewayToken(id: AccountId, token: string): Promise<void>;
  setRegistered(id: AccountId, registered: string): Promise<void>;
  /** Why the account's token fails; calls that need it pause until `restUntil`. Absent: clears the trouble. */
  setTrouble(id: AccountId, trouble?: Trouble): Promise<void>;
  /** Extends the trouble; does nothing if it has been cleared. */
  prolongTrouble(id: AccountId, trouble: Trouble): Promise<void>;
  /**
   * Start times, ms, of gateway calls that got no answer and may still arrive. Does nothing once another process has
   * taken the account: the new holder counts them.
   */
  setUnanswered(lease: Lease, startedAt: number[]): Promise<void>;
}

/** A session on the account page. The cookie holds the token; the database only its fingerprint. */
interface WebSession {
  accountId: AccountId;
  /** Display name of the browser. */
  browser?: string;
  /** Identifies the session within its account; not a secret. */
  id: string;
  /** CSRF token: every form of this session must send it back. */
  formToken: string;
  /** Set for a support session: fixed end, ms, regardless of use. */
  endsAt?: number;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie. The form token is derived from it; only fingerprints are stored. */
  start(accountId: AccountId, browser?: string): Promise<string>;
  /** Starts a support session that ends after `ms`. Resolves with a token that `redeem` accepts once. Audited. */
  startSupport(accountId: AccountId, ms: number, by: Act): Promise<string>;
  /** Exchanges the token for the cookie's; undefined when it is unknown, expired or already redeemed. Audited. */
  redeem(token: string, by: Act): Promise<{ accountId: AccountId; token: string } | undefined>;
  /** The account's sessions, most recently used first. */
  list(accountId: AccountId): Promise<OpenSession[]>;
  /** With `isUse` false the lookup does not extend the session. */
  byToken(token: string, isUse?: boolean): Promise<WebSession | undefined>;
  end(token: string): Promise<void>;
  /** Ends one session, or all but one. Resolves with the number ended. */
  endOf(accountId: AccountId, which: { id: string } | { allBut: string }): Promise<number>;
}

interface OpenSession {
  id: string;
  /** Times in ms; `startedAt` is 0 when an older version started it. */
  startedAt: number;
  usedAt: number;
  browser?: string;
  /** Set for a support session. */
  endsAt?: number;
}

/** A process on a shared database. */
interface Member {
  /** A new name for each start of a process. */
  owner: string;
  /** Time within which it must renew, ms, by the database's clock. */
  ttlMs: number;
}

export interface Taken {
  lease: Lease;
  /** The last holder never released the lease. It may be paused rather than dead, and still await answers. */
  lost: boolean;
}

/** Which process works for which account: one at a time. */
export interface LeaseStore {
  /** Whether other processes may hold leases. If not, joining is unnecessary and every lease is granted. */
  shared: boolean;
  /** Call before taking leases. */
  join(member: Member): Promise<void>;
  /** Call several times per `ttlMs`. False once the term has expired: others may hold the accounts; stop all calls. */
  renew(member: Member): Promise<boolean>;
  /**
   * Takes the accounts that no other member holds; none if the owner is not a member. Each new lease has a higher
   * fence; results under an older fence are rejected.
   */
  take(accounts: AccountId[], owner: string): Promise<Taken[]>;
  /** Frees the leases at once. Leases that another process has taken since are unaffected. */
  release(leases: Lease[]): Promise<void>;
  /** Releases all that it holds. */
  leave(owner: string): Promise<void>;
  /** Unowned accounts, the number of members, and the number of accounts they share. */
  shares(): Promise<{ free: AccountId[]; members: number; accounts: number }>;
}

/** A channel's messages, hour by hour; edits, reactions, read marks and the like are not counted. */
export interface ChannelTraffic {
  channelId: ChannelId;
  /** When the last message of a customer (inbound) or agent (outbound) was accepted, ms. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Since its connection. */
  delivered: number;
  refused: number;
  /** Oldest first, only hours in which a message ended; `hour` counts from 1970. */
  hours: { hour: number; delivered: number; refused: number }[];
}

/** The ledger's sums over time. */
export interface Traffic {
  /** Records changed sums. A crash loses no sum, but may attribute it to an hour some minutes later. */
  record(): Promise<void>;
  /** The last two weeks; removed channels are omitted. */
  of(accountId: AccountId): Promise<ChannelTraffic[]>;
}

// Short-lived state that processes share through the database.

/** A call with an account's token by a process that does not work for the account. */
export interface SharedPermit {
  accountId: AccountId;
  place: number;
}

export interface SharedPermits {
  /** Takes one of `places` for `ms` at most; undefined: none is free. */
  enter(accountId: AccountId, places: number, ms: number): Promise<SharedPermit | undefined>;
  /** Frees the permit after `ms`. */
  leave(guest: SharedPermit, ms: number): Promise<void>;
}

/** Sealed texts by name that expire, and are deleted with their account. */
export interface Remembered {
  get(name: string): Promise<string | undefined>;
  set(accountId: AccountId, name: string, text: string, ms: number): Promise<void>;
  /** Gets and deletes the text: only one caller receives it. */
  take(name: string): Promise<string | undefined>;
}
