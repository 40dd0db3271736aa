import { type Clock, pause, systemClock } from "gangway-messenger/clock";
import type { Lease } from "./domain/account.ts";
import type { AccountId } from "./domain/ids.ts";
import type { Permits } from "./gateway/limiter.ts";
import type { Log } from "./log.ts";
import { countEarlierCalls } from "./module/messages/earlier-calls.ts";
import type { Breakers, Paces } from "./relay/limits/limits.ts";
import { createHoldings, type Holdings } from "./relay/scheduler/holdings.ts";
import type { Feeds } from "./relay/sessions/feeds.ts";
import type { Worker } from "./relay/worker.ts";
import type { Store } from "./store/store.ts";

interface Parts {
  store: Store;
  clock: Clock;
  log: Log;
  permits: Permits;
  paces: Paces;
  breakers: Breakers;
  /** A function, since worker and feeds are created after the share. */
  work(): { worker: Worker; feeds: Feeds };
  /** Called when the database can no longer be used. */
  lost(why: string): void;
}

/** How often to check whether an account's calls have ended, ms. */
const QUIET_MS = 50;
/** How many troubled channels of all processes to read before filtering for this process. */
const MAX_UNREPORTED = 10_000;
const LOST = "another process may work for the account";

/** This process's share of the accounts, and a store for background work that lists only these accounts. */
export function createShare({ store, clock, log, permits, paces, breakers, work, lost }: Parts): {
  holdings: Holdings;
  ownStore: Store;
  /** Saves when the account's unanswered calls started, unless another process has taken it. */
  saveCalls(account: AccountId, startedAt: number[]): Promise<void>;
} {
  /** Latest lease by account, kept while the account is being recovered or given away. */
  const leases = new Map<AccountId, Lease>();
  const holdings = createHoldings({
    // Leases expire by the database's clock, which tests cannot move.
    ...{ leases: store.leases, clock: systemClock, log },
    async recover(taken) {
      for (const { lease } of taken) leases.set(lease.accountId, lease);
      await countEarlierCalls(
        { store, clock, permits, paces, breakers },
        taken.map(({ lease }) => lease.accountId),
      );
      return work().worker.recover(taken);
    },
    async finish(account) {
      await Promise.all([work().worker.finished(account), work().feeds.leave(account)]);
      while (!permits.isQuiet(account)) await pause(clock, QUIET_MS);
    },
    isIdle: (account) => work().worker.isIdle(account),
    lost() {
      work().worker.abandon(LOST);
      void work().feeds.leave();
    },
    outdated(why) {
      log.error("server.too-old", { why });
      lost(why);
    },
  });
  holdings.onTaken((accounts) => {
    for (const id of accounts) work().worker.wake(id);
  });
  const list = async () => (await store.accounts.list()).filter(({ id }) => holdings.leaseOf(id));
  // Only the process that works for the account reports, so that users are told once.
  const unreported = async (limit: number) => {
    const all = await store.channels.unreported(store.leases.shared ? MAX_UNREPORTED : limit);
    return all.filter(({ accountId }) => holdings.leaseOf(accountId)).slice(0, limit);
  };
  const ownStore = {
    ...store,
    accounts: { ...store.accounts, list },
    channels: { ...store.channels, unreported },
  };
  const saveCalls = async (account: AccountId, startedAt: number[]) => {
    const lease = leases.get(account);
    if (lease) await store.accounts.setUnanswered(lease, startedAt);
  };
  return { holdings, ownStore, saveCalls };
}
