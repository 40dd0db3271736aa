import type { Lease } from "../domain/account/account.ts";
import type { AccountId } from "../domain/ids.ts";

/** A process among those that run on one database. */
export interface Member {
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
