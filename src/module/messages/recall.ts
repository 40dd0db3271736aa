import type { Clock } from "gangway-messenger/clock";
import type { AccountId } from "../../domain/ids.ts";
import { type Permits, RECALL_MS } from "../../gateway/limiter.ts";
import type { Store } from "../../store/store.ts";

/** Gateway calls per job: the message and a file. */
const CALLS_PER_JOB = 2;

interface RecallParts {
  store: Pick<Store, "leases" | "outbox">;
  clock: Clock;
  permits: Permits;
  paces: { taken(account: AccountId, calls: number): void };
  breakers: { taken(account: AccountId): void };
}

/** Counts the previous holders' calls towards the limits of the gateway and the messengers. */
export async function recallCalls(
  { store, clock, permits, paces, breakers }: RecallParts,
  accounts: AccountId[],
): Promise<void> {
  const calls = new Map(accounts.map((account) => [account, 0]));
  const now = clock.now();
  // A previous holder on a shared database may have called just now; a single process's last one ended before.
  const ms = store.leases.shared ? RECALL_MS : Math.max(0, RECALL_MS - performance.now());
  for (const { accountId, recent, sending, unanswered } of await store.outbox.recentCalls(now - RECALL_MS)) {
    if (!calls.has(accountId)) continue;
    calls.set(accountId, (recent + sending) * CALLS_PER_JOB);
    const inFlight = Array<number>(sending * CALLS_PER_JOB).fill(now);
    await permits.recall(accountId, { recent: recent * CALLS_PER_JOB, ms, unanswered, inFlight });
  }
  for (const [account, made] of calls) {
    paces.taken(account, made);
    breakers.taken(account);
  }
}
