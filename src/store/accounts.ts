import type { ChannelId } from "gangway-messenger/ids";
import type { Account, Lease } from "../domain/account.ts";
import type { AccountId } from "../domain/ids.ts";
import type { AccountLimits, LimitName } from "../domain/pausing.ts";
import type { Act } from "./care.ts";

export type NewAccount = Pick<
  Account,
  "crmUrl" | "technicalUrl" | "apiKey" | "clientId" | "webhookSecret" | "gatewayUrl" | "gatewayToken" | "registered"
> & {
  /** Id of an existing account; absent: the account is looked up by CRM URL, and created if unknown. */
  id?: AccountId;
};

/** `default` restores the server's limit. */
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
  /** Changes whenever the account, its channels, messages or visits change. No I/O. */
  version(id: AccountId): string;
  byCrmUrl(crmUrl: string): Promise<Account | undefined>;
  byTechnicalUrl(technicalUrl: string): Promise<Account | undefined>;
  byClientId(clientId: string): Promise<Account | undefined>;
  /** By the secret at the end of the webhook path. */
  byWebhookSecret(secret: string): Promise<Account | undefined>;
  list(): Promise<Account[]>;
  setActivity(id: AccountId, activity: Pick<Account, "active" | "frozen">, inboundPatienceMs: number): Promise<void>;
  /**
   * The vendor pauses the account for a reason, whatever the CRM says. Without a reason the account resumes, and
   * inbound messages that wait get their full time. False when nothing changes.
   */
  setPause(id: AccountId, reason: string | undefined, by: Act): Promise<boolean>;
  /** Sets the given limits, or resets them. Resolves with all limits; undefined when there is no such account. */
  setLimits(id: AccountId, change: LimitChange, by: Act): Promise<AccountLimits | undefined>;
  /** False when another account already has this address. */
  move(id: AccountId, to: Pick<Account, "crmUrl" | "technicalUrl">, by: Act): Promise<boolean>;
  setLocale(id: AccountId, locale: Pick<Account, "language" | "timeZone">): Promise<void>;
  setGatewayToken(id: AccountId, token: string): Promise<void>;
  setRegistered(id: AccountId, registered: string): Promise<void>;
  /** Sets why the token fails; calls that need it pause until `restUntil`. Absent: clears the trouble. */
  setTrouble(id: AccountId, trouble?: Trouble): Promise<void>;
  /** Extends the trouble; does nothing if it has been cleared. */
  prolongTrouble(id: AccountId, trouble: Trouble): Promise<void>;
  /**
   * Records when calls to the gateway started that got no answer and may still arrive, ms. Does nothing once another
   * process has taken the account: the new holder records them.
   */
  setUnanswered(lease: Lease, startedAt: number[]): Promise<void>;
}

/** A session on the account page. The cookie holds the token; the database only its fingerprint. */
interface WebSession {
  accountId: AccountId;
  /** The browser's name, for people. */
  browser?: string;
  /** Identifies the session within the account; not a secret. */
  id: string;
  /** CSRF token: every form of this session must send it back. */
  formToken: string;
  /** Support sessions only: their fixed end, ms, which use does not extend. */
  endsAt?: number;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie. The form token is derived from it; only fingerprints are stored. */
  start(accountId: AccountId, browser?: string): Promise<string>;
  /** Support session: ends after `ms`. Resolves with a one-time token for `redeem`. Records the act. */
  startSupport(accountId: AccountId, ms: number, by: Act): Promise<string>;
  /** Exchanges a support token for the cookie's; undefined if unknown, expired or redeemed. Records the act. */
  redeem(token: string, by: Act): Promise<{ accountId: AccountId; token: string } | undefined>;
  /** Open sessions of an account, last used first. */
  list(accountId: AccountId): Promise<OpenSession[]>;
  /** `isUse` false: the lookup does not extend the session. */
  byToken(token: string, isUse?: boolean): Promise<WebSession | undefined>;
  end(token: string): Promise<void>;
  /** Ends one of the account's sessions, or all but one. Resolves with the number ended. */
  endOf(accountId: AccountId, which: { id: string } | { allBut: string }): Promise<number>;
}

interface OpenSession {
  id: string;
  /** Times in ms; `startedAt` is 0 when an older version started it. */
  startedAt: number;
  usedAt: number;
  browser?: string;
  /** Support sessions only: their fixed end. */
  endsAt?: number;
}

/** One of the processes that share a database. */
interface Member {
  /** A new name for each start of a process. */
  owner: string;
  /** How long the membership lasts without a renewal, ms, by the database's clock. */
  ttlMs: number;
}

export interface Taken {
  lease: Lease;
  /** The last holder never released the lease: it may be paused rather than dead, and still await answers. */
  lost: boolean;
}

/** Which process works for which account: one at a time. */
export interface LeaseStore {
  /** Whether other processes may hold leases. If false, a process need not join and no lease is refused. */
  shared: boolean;
  /** Call before taking leases. */
  join(member: Member): Promise<void>;
  /** Call several times in `ttlMs`. False once it has passed: others may hold its accounts; it must stop its calls. */
  renew(member: Member): Promise<boolean>;
  /**
   * Takes the accounts that no other member holds; none when the owner is not a member. Each holder gets a higher fence
   * than the last: nothing is recorded under an older one.
   */
  take(accounts: AccountId[], owner: string): Promise<Taken[]>;
  /** Lets others take the accounts at once. A lease that another process has taken since is not affected. */
  release(leases: Lease[]): Promise<void>;
  /** Releases all the owner's leases and ends its membership. */
  leave(owner: string): Promise<void>;
  /** Accounts that no member holds, and the numbers of members and of accounts. */
  shares(): Promise<{ free: AccountId[]; members: number; accounts: number }>;
}

/** A channel's messages, hour by hour; edits, reactions, read marks and the like are not counted. */
export interface ChannelTraffic {
  channelId: ChannelId;
  /** When the last message from a customer, and from an agent, was accepted, ms. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Totals since the channel was connected. */
  delivered: number;
  refused: number;
  /** Only hours in which something ended, oldest first; hours since 1970. */
  hours: { hour: number; delivered: number; refused: number }[];
}

/** The ledger's sums over time. */
export interface Traffic {
  /** Records totals that changed since the last call. A crash loses no count, but some may be recorded minutes late. */
  record(): Promise<void>;
  /** Traffic of the last two weeks; removed channels have none. */
  of(accountId: AccountId): Promise<ChannelTraffic[]>;
}

// Short-lived state that the processes on one database share, for seconds or minutes.

/** Permit for a gateway call by a process that does not hold the account. */
export interface SharedPermit {
  accountId: AccountId;
  place: number;
}

export interface SharedPermits {
  /** Takes one of `places` for at most `ms`; undefined when none is free. */
  enter(accountId: AccountId, places: number, ms: number): Promise<SharedPermit | undefined>;
  /** Frees the place after `ms`. */
  leave(permit: SharedPermit, ms: number): Promise<void>;
}

/** Sealed texts by name, each with a lifetime; deleted with their account. */
export interface Remembered {
  get(name: string): Promise<string | undefined>;
  set(accountId: AccountId, name: string, text: string, ms: number): Promise<void>;
  /** Like `get`, but deletes the text: only one caller gets it. */
  take(name: string): Promise<string | undefined>;
}
