import type { Clock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import { onTestFinished } from "vitest";
import { REST_MS } from "../../src/domain/delivery.ts";
import { createHoldings } from "../../src/relay/scheduler/holdings.ts";
import { createWorker, type Worker, type WorkerParts } from "../../src/relay/worker.ts";
import type { Store } from "../../src/store/store.ts";
import type { HandClock } from "./clock.ts";
import { silentLog } from "./log.ts";
import { hears } from "./store.ts";

type Parts = Omit<WorkerParts, "holdings" | "store"> & {
  store: WorkerParts["store"] & Pick<Store, "accounts" | "leases">;
  clock: Clock;
};
type Given = Pick<Parts, "store" | "perform" | "clock"> & Partial<Parts>;

/** What a worker is made of where a test does not care. */
export const partsOf = (given: Given): Parts => ({
  adapter: () => ({ sendIdempotency: "native" }) as ChannelAdapter,
  log: silentLog,
  rest: (id, text) => given.store.accounts.setTrouble(id, { text, restUntil: given.clock.now() + REST_MS }),
  limits: { calls: 64, callsPerAccount: 8 },
  random: () => 0.5,
  ...given,
});

/** A worker of a process of its own; not started. */
export function workerOf(parts: Parts): Worker {
  const { store, clock, log } = parts;
  const holdings = createHoldings({
    // It takes what is free at its start, and shares nothing: members live by PostgreSQL's clock, which no test moves.
    ...{ leases: { ...store.leases, shared: false }, ttlMs: 3_600_000, clock, log },
    recover: (taken) => worker.recover(taken),
    finish: (account) => worker.finished(account),
    isIdle: (account) => worker.isIdle(account),
    lost: () => worker.abandon("lost"),
    outdated: () => worker.abandon("lost"),
  });
  const worker = createWorker({ ...parts, holdings });
  holdings.onTaken((accounts) => {
    for (const id of accounts) worker.wake(id);
  });
  return worker;
}

/** A worker that runs until the test ends, and its parts, to make another. */
export async function working(given: Given & { clock: HandClock }) {
  const [parts, { clock }] = [partsOf(given), given];
  const worker = workerOf(parts);
  hears(given.store, worker);
  await worker.start();
  onTestFinished(async () => {
    const stopped = worker.stop(0);
    await clock.forward(1_000);
    await stopped;
  });
  return { worker, parts };
}
