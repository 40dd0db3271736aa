import type { AccountId } from "../domain/ids.ts";

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
