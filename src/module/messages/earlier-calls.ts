import type { Clock } from "gangway-messenger/clock";
import type { AccountId } from "../../domain/ids.ts";
import { EARLIER_CALLS_MS, type Permits } from "../../gateway/limiter.ts";
import type { Store } from "../../store/store.ts";

/** Gateway calls per job: the message and a file. */
const CALLS_PER_JOB = 2;

interface EarlierCallsParts {
  store: Pick<Store, "leases" | "outbox">;
  clock: Clock;
  permits: Permits;
  paces: { taken(account: AccountId, calls: number): void };
  breakers: { taken(account: AccountId): void };
}

/** Counts the previous holders' calls towards the limits of the gateway and the messengers. */
export async function countEarlierCalls(
  { store, clock, permits, paces, breakers }: EarlierCallsParts,
  accounts: AccountId[],
): Promise<void> {
  const calls = new Map(accounts.map((account) => [account, 0]));
  const now = clock.now();
  // A previous holder on a shared database may have called just now; a single process's last one ended before.
  const ms = store.leases.shared ? EARLIER_CALLS_MS : Math.max(0, EARLIER_CALLS_MS - performance.now());
  for (const { accountId, recent, sending, unanswered } of await store.outbox.recentCalls(now - EARLIER_CALLS_MS)) {
    if (!calls.has(accountId)) continue;
    calls.set(accountId, (recent + sending) * CALLS_PER_JOB);
    const inFlight = Array<number>(sending * CALLS_PER_JOB).fill(now);
    await permits.countEarlier(accountId, { recent: recent * CALLS_PER_JOB, ms, unanswered, inFlight });
  }
  for (const [account, made] of calls) {
    paces.taken(account, made);
    breakers.taken(account);
  }
}
