import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Call, CallResult } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import type { Lease } from "../../domain/account.ts";
import { slicesOf } from "../../domain/counts.ts";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { LeaseStore, Taken } from "../../store/accounts.ts";
import { StoreError } from "../../store/store.ts";

/** The accounts this process works for: its share of those in the database, or all if it is alone. */
export interface Holdings {
  /** Joins as a member and takes unowned accounts. */
  start(): Promise<void>;
  /** Undefined: this process does not work for the account. */
  leaseOf(account: AccountId): Lease | undefined;
  /** Accounts with a lease. */
  accounts(): Iterable<AccountId>;
  /** As `leaseOf`, but takes an unowned lease. Failed takes are retried automatically. */
  take(account: AccountId): Promise<Lease | undefined>;
  /** Refuses calls once others may have taken this process's accounts. */
  guarded(call: Call): Call;
  /** Calls `begin` with newly taken accounts. */
  onTaken(begin: (accounts: AccountId[]) => void): void;
  /** Releases all accounts. Stop their work first. */
  stop(): Promise<void>;
}

/** The account stays unowned until recovery succeeds. */
export interface Unrecovered {
  accountId: AccountId;
  error: unknown;
}

export interface HoldingsParts {
  leases: LeaseStore;
  clock: Clock;
  log: Log;
  /** Term of the membership, ms: without renewal others then take this process's accounts. */
  ttlMs?: number;
  /** Recovers the last holders' jobs. The leases are held, and no other work runs under them yet. */
  recover(taken: Taken[]): Promise<Unrecovered[]>;
  /** Stops work for the account; resolves when nothing of it runs, so that another process may start. */
  finish(account: AccountId): Promise<void>;
  /** Whether nothing of the account runs: idle accounts are given away first. */
  isIdle(account: AccountId): boolean;
  /** Aborts everything under way: others may have taken the accounts. */
  lost(): void;
  /** The database became too new for this program while the process stood still: stops all work. */
  outdated(why: string): void;
}

const TTL_MS = 10_000;
/** Interval of rounds, ms. One round finishes and releases a surplus account; another process takes it in the next. */
const ROUND_MS = 400;
/** Shares of `ttlMs`: when to renew, and when to stop calling, well before the lease expires by the database's clock. */
const [RENEW_AFTER, CALL_BEFORE] = [0.3, 0.9];
/** Accounts taken and recovered at once: more could outlast the lease. */
const MAX_TAKEN = 200;

export function createHoldings(parts: HoldingsParts): Holdings {
  const { leases, clock, log, ttlMs = TTL_MS } = parts;
  const leased = new Map<AccountId, Lease>();
  const taking = new Map<AccountId, Promise<void>>();
  /** Being given away. */
  const leaving = new Set<AccountId>();
  /** Accounts held by other processes when last asked. */
  const refused = new Set<AccountId>();
  /** Takes or releases without an answer: their leases may be ours. */
  const unsettled = new Set<AccountId>();
  /** Accounts of lost holders that are not recovered yet. */
  const lost = new Set<AccountId>();
  const begins: ((accounts: AccountId[]) => void)[] = [];
  let owner: string | undefined;
  let renewedAt = clock.monotonic();
  let [stopping, isFailing] = [false, false];

  const isCurrent = () => !leases.shared || clock.monotonic() - renewedAt < ttlMs * CALL_BEFORE;
  const isRenewalDue = () => clock.monotonic() - renewedAt >= ttlMs * RENEW_AFTER;
  const join = async () => {
    const name = newName();
    const askedAt = clock.monotonic();
    await leases.join({ owner: name, ttlMs });
    [owner, renewedAt] = [name, askedAt];
    if (leases.shared) log.info("lease.joined", { process: name });
  };
  const lose = () => {
    if (leased.size > 0) log.error("lease.lost", { process: owner, accounts: leased.size });
    owner = undefined;
    for (const each of [leased, leaving, unsettled]) each.clear();
    parts.lost();
  };

  const takeAll = async (accounts: AccountId[]): Promise<void> => {
    const as = owner;
    if (as === undefined || accounts.length === 0) return;
    let taken: Taken[];
    let unrecovered: Unrecovered[];
    try {
      taken = withLost(await leases.take(accounts, as), lost);
      unrecovered = await parts.recover(taken);
      if (!leases.shared && unrecovered[0]) throw unrecovered[0].error;
    } catch (error) {
      putLast(unsettled, accounts);
      throw error;
    }
    if (owner !== as) return;
    const ours = without(taken, unrecovered);
    tellNew(log, unsettled, unrecovered);
    settle(unsettled, accounts, unrecovered);
    for (const { lease } of ours) lost.delete(lease.accountId);
    for (const { lease } of ours) leased.set(lease.accountId, lease);
    for (const account of accounts) if (!leased.has(account) && !unsettled.has(account)) refused.add(account);
    if (leases.shared && ours.length > 0) log.info("lease.taken", { process: as, ...countsOf(ours) });
    for (const begin of begins) begin(ours.map(({ lease }) => lease.accountId));
  };
  /** Waits for accounts that are already being taken. */
  const takeOf = async (accounts: AccountId[]): Promise<void> => {
    const wanted = accounts.filter((account) => !leased.has(account) && !leaving.has(account));
    const fresh = wanted.filter((account) => !taking.has(account));
    const done = takeAll(fresh).finally(() => {
      for (const account of fresh) taking.delete(account);
    });
    for (const account of fresh) taking.set(account, done);
    await Promise.all([done, ...wanted.map((account) => taking.get(account))]);
  };

  const give = async (account: AccountId): Promise<void> => {
    const lease = leased.get(account);
    if (!lease) return;
    leased.delete(account);
    leaving.add(account);
    try {
      await parts.finish(account);
      if (leaving.has(account)) await leases.release([lease]);
    } catch (error) {
      putLast(unsettled, [account]);
      throw error;
    } finally {
      leaving.delete(account);
    }
  };
  const share = async (): Promise<void> => {
    // One at a time: an account that cannot be recovered delays neither the others nor the renewal.
    for (const account of [...unsettled]) if (!isRenewalDue()) await takeOf([account]).catch(() => undefined);
    const { free, members, accounts } = await leases.shares();
    for (const account of free) refused.delete(account);
    const fair = Math.ceil(accounts / Math.max(1, members));
    const room = fair - leased.size;
    // The next round takes the rest, after the renewal.
    for (const some of slicesOf(shuffled(free).slice(0, Math.max(0, room)), MAX_TAKEN))
      if (!leases.shared || !isRenewalDue()) await takeOf(some);
    for (const account of room < 0 ? idleFirst([...leased.keys()], parts.isIdle).slice(0, -room) : [])
      void give(account).catch((error) => log.warn("lease.not-released", { account, error: errorText(error) }));
  };
  const renew = async (): Promise<void> => {
    if (owner === undefined) return;
    if (isCurrent() && !isRenewalDue()) return;
    const askedAt = clock.monotonic();
    if (isCurrent() && (await leases.renew({ owner, ttlMs }))) renewedAt = askedAt;
    else lose();
  };
  const failed = (error: unknown) => {
    if (isOld(error)) return void loop.stop().then(() => parts.outdated(errorText(error)));
    // Log only the first of a series of failures.
    if (!isFailing) log.warn("lease.not-renewed", { error: errorText(error) });
    isFailing = true;
    if (!isCurrent() && owner !== undefined) lose();
  };
  const loop = createLoop({
    ...{ clock, everyMs: ROUND_MS, waitsFirst: true, failed },
    async round() {
      await renew();
      if (stopping) return;
      if (owner === undefined) await join();
      await share();
      if (isFailing) log.info("lease.renewed");
      isFailing = false;
    },
  });

  return {
    async start() {
      await join();
      if (!leases.shared) return share();
      // An account that cannot be taken now does not delay the others.
      await share().catch(failed);
      void loop.start();
    },
    leaseOf: (account) => leased.get(account),
    accounts: () => leased.keys(),
    async take(account) {
      const known = leased.get(account);
      const isRetried = leases.shared && unsettled.has(account);
      if (known || owner === undefined || stopping || refused.has(account) || isRetried) return known;
      await takeOf([account]);
      return leased.get(account);
    },
    onTaken: (begin) => void begins.push(begin),
    guarded: (call) =>
      leases.shared ? async (request) => (isCurrent() && owner !== undefined ? call(request) : REFUSED) : call,
    async stop() {
      stopping = true;
      await loop.stop();
      if (owner !== undefined) await leases.leave(owner);
      owner = undefined;
      leased.clear();
    },
  };
}

const idleFirst = (accounts: AccountId[], isIdle: HoldingsParts["isIdle"]): AccountId[] => [
  ...new Set([...accounts.filter(isIdle), ...accounts]),
];

/** Logs each account once, not in every round. */
function tellNew(log: Log, unsettled: Set<AccountId>, unrecovered: Unrecovered[]): void {
  for (const { accountId: account, error } of unrecovered)
    if (!unsettled.has(account)) log.warn("lease.not-taken", { account, error: errorText(error) });
}

/** Puts accounts that could not be recovered last, so that each gets its turn. */
function settle(unsettled: Set<AccountId>, accounts: AccountId[], unrecovered: Unrecovered[]): void {
  for (const account of accounts) unsettled.delete(account);
  for (const { accountId } of unrecovered) unsettled.add(accountId);
}

function without(taken: Taken[], unrecovered: Unrecovered[]): Taken[] {
  const ids = new Set(unrecovered.map(({ accountId }) => accountId));
  return taken.filter(({ lease }) => !ids.has(lease.accountId));
}

/** A repeated take reports our own lease: remembers that the holder before was lost. */
function withLost(taken: Taken[], lost: Set<AccountId>): Taken[] {
  for (const each of taken) if (each.lost) lost.add(each.lease.accountId);
  return taken.map(({ lease }) => ({ lease, lost: lost.has(lease.accountId) }));
}

const countsOf = (taken: Taken[]) => ({ accounts: taken.length, fromLost: taken.filter(({ lost }) => lost).length });

/** The UUID identifies the member; the rest is for the operator. */
const newName = () => `${randomUUID()}@${hostname()}:${process.pid}`;

const REFUSED: CallResult = {
  ...{ type: "failure", sent: "no", reason: "aborted" },
  detail: "another process may work for the account",
};

/** Moves items to the end of the set. */
function putLast<T>(set: Set<T>, items: T[]): void {
  for (const item of items) {
    set.delete(item);
    set.add(item);
  }
}

const isOld = (error: unknown) => error instanceof StoreError && error.kind === "old";

/** Random order, so that concurrent processes do not all ask for the same accounts. */
function shuffled<T>(items: T[]): T[] {
  const all = [...items];
  for (let n = all.length - 1; n > 0; n--) {
    const other = Math.floor(Math.random() * (n + 1));
    [all[n], all[other]] = [all[other] as T, all[n] as T];
  }
  return all;
}
