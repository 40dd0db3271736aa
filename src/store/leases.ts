import type { AccountId } from "../domain/ids.ts";
import type { Lease } from "./outbox.ts";

/** A process among those that run on one database. */
export interface Member {
  /** A new name for each start of a process. */
  owner: string;
  /** How long the others wait for its next renewal, ms, by the database's clock. */
  ttlMs: number;
}

/** Which process works for which account: one at a time. */
export interface LeaseStore {
  /** Before it takes any. */
  join(member: Member): Promise<void>;
  /** Several times in `ttlMs`. False when that has passed: others may have taken its accounts, and it must stop its calls. */
  renew(member: Member): Promise<boolean>;
  /**
   * Undefined while another member holds it, or when the member is none any more. Each holder has a higher fence than the
   * last: nothing is recorded under an older one.
   */
  take(accountId: AccountId, owner: string): Promise<Lease | undefined>;
  /** Others may take it at once. Nothing happens when another has. */
  release(lease: Lease): Promise<void>;
  /** Releases all that it holds. */
  leave(owner: string): Promise<void>;
  /** Accounts that nobody holds, and how many members there are to share them. */
  free(): Promise<{ accounts: AccountId[]; members: number }>;
}
