import type { ChannelId } from "gangway-messenger/ids";
import type { Account, Lease } from "../domain/account.ts";
import type { AccountId } from "../domain/ids.ts";
import type { AccountLimits, LimitName } from "../domain/pausing.ts";
import type { Act } from "./care.ts";

export type NewAccount = Pick<
  Account,
  "crmUrl" | "technicalUrl" | "apiKey" | "clientId" | "webhookSecret" | "gatewayUrl" | "gatewayToken" | "registered"
> & {
  /** Of an account that is already known; absent: found by CRM URL, else new. */
  id?: AccountId;
};

/** `default`: the server's. */
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
   * The vendor pauses it for a reason, whatever the CRM says, or without one resumes it: what waits gets its full time. False
   * when it is so already.
   */
  setPause(id: AccountId, reason: string | undefined, by: Act): Promise<boolean>;
  /** Sets those that are given, or sets them back. Resolves with all; undefined when there is no such account. */
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
   * When the calls to the gateway started that got no answer and may still arrive, ms. Does nothing once another process has
   * taken the account: that one counts them.
   */
  setUnanswered(lease: Lease, startedAt: number[]): Promise<void>;
}

/** A session on the account page. The cookie holds the token; the database only its fingerprint. */
interface WebSession {
  accountId: AccountId;
  /** As people call it. */
  browser?: string;
  /** Names the session among the account's; no secret. */
  id: string;
  /** CSRF token: every form of this session must send it back. */
  formToken: string;
  /** Of the vendor's support: when it ends, ms, however it is used. */
  endsAt?: number;
}

export interface WebSessionStore {
  /** Resolves with the token for the cookie. The form token is derived from it; only fingerprints are stored. */
  start(accountId: AccountId, browser?: string): Promise<string>;
  /** For the vendor's support: ends after `ms`. Resolves with a token that `redeem` takes once. Records the act. */
  startSupport(accountId: AccountId, ms: number, by: Act): Promise<string>;
  /** Exchanges it for the token of the cookie; undefined when it is unknown, over or taken. Records the act. */
  redeem(token: string, by: Act): Promise<{ accountId: AccountId; token: string } | undefined>;
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
  /** Of the vendor's support. */
  endsAt?: number;
}

/** A process among those that run on one database. */
interface Member {
  /** A new name for each start of a process. */
  owner: string;
  /** How long the others wait for its next renewal, ms, by the database's clock. */
  ttlMs: number;
}

export interface Taken {
  lease: Lease;
  /** Its last holder never released it: paused, not ended, it may still await answers. */
  lost: boolean;
}

/** Which process works for which account: one at a time. */
export interface LeaseStore {
  /** Whether other processes may hold leases. Without them a process need not join, and nothing is refused. */
  shared: boolean;
  /** Before it takes any. */
  join(member: Member): Promise<void>;
  /** Several times in `ttlMs`. False when that has passed: others may have taken its accounts, and it must stop its calls. */
  renew(member: Member): Promise<boolean>;
  /**
   * Those of the accounts that no other member holds; none when the owner is no member. Each holder has a higher fence than
   * the last: nothing is recorded under an older one.
   */
  take(accounts: AccountId[], owner: string): Promise<Taken[]>;
  /** Others may take them at once. What another has taken stays. */
  release(leases: Lease[]): Promise<void>;
  /** Releases all that it holds. */
  leave(owner: string): Promise<void>;
  /** Accounts that nobody holds; the number of members, and of the accounts that they share. */
  shares(): Promise<{ free: AccountId[]; members: number; accounts: number }>;
}

/** A channel's messages, hour by hour; edits, reactions, read marks and the like are not counted. */
export interface ChannelTraffic {
  channelId: ChannelId;
  /** When the last message from a customer, and from an agent, was accepted, ms. */
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Since its connection. */
  delivered: number;
  refused: number;
  /** Only hours in which something ended, oldest first; hours since 1970. */
  hours: { hour: number; delivered: number; refused: number }[];
}

/** The ledger's sums over time. */
export interface Traffic {
  /** Records the sums that have changed since. A crash loses no sum, only up to some minutes of its time. */
  record(): Promise<void>;
  /** Of the last two weeks; a removed channel has none. */
  of(accountId: AccountId): Promise<ChannelTraffic[]>;
}

// What processes that share a database must know of each other, for seconds or minutes.

/** A call with an account's token by a process that does not work for the account. */
export interface SharedPermit {
  accountId: AccountId;
  place: number;
}

export interface SharedPermits {
  /** Takes one of `places` for `ms` at most; undefined: none is free. */
  enter(accountId: AccountId, places: number, ms: number): Promise<SharedPermit | undefined>;
  /** Its place is free after `ms`. */
  leave(guest: SharedPermit, ms: number): Promise<void>;
}

/** Texts by name, sealed, each for a limited time. They go with their account. */
export interface Remembered {
  get(name: string): Promise<string | undefined>;
  set(accountId: AccountId, name: string, text: string, ms: number): Promise<void>;
  /** As `get`, and forgets it: only one caller gets it. */
  take(name: string): Promise<string | undefined>;
}
