import type { Clock } from "gangway-messenger/clock";
import { balances, type LedgerRow } from "../domain/account.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Checks every minute that each accepted event and owed ack has ended or waits; logs an error when one is missing. */
export interface LedgerWatch {
  start(): void;
  stop(): void;
  look(): Promise<LedgerSnapshot>;
  /** The last result; undefined before the first check. */
  latest(): LedgerSnapshot | undefined;
}
export interface LedgerSnapshot {
  at: number;
  rows: LedgerRow[];
}

interface Parts {
  store: Pick<Store, "ledger">;
  /** Called once for each new or changed hole; again after a failure. */
  found?(row: LedgerRow): Promise<void>;
  clock: Clock;
  log: Log;
}

const MINUTE_MS = 60_000;

export function watchLedger({ store, found, clock, log }: Parts): LedgerWatch {
  let latest: LedgerSnapshot | undefined;
  const reported = new Map<string, string>();
  /** Holes that `found` has not taken yet, by channel. */
  const untold = new Map<string, LedgerRow>();
  const report = (row: LedgerRow) => {
    const { accountId, channelId, accepted, delivered, refused, waiting, hole, acks } = row;
    const holes = `${hole} ${acks.hole}`;
    if (holes === (reported.get(channelId) ?? "0 0")) return;
    reported.set(channelId, holes);
    const events = { accepted, delivered, refused, waiting, hole };
    const owed = { acksOwed: acks.owed, acksGiven: acks.given, acksRefused: acks.refused, acksHole: acks.hole };
    const fields = { account: accountId, channel: channelId, ...events, ...owed };
    untold.delete(channelId);
    if (balances(row)) return log.info("ledger.balanced", fields);
    log.error("ledger.hole", fields);
    untold.set(channelId, row);
  };
  const look = async () => {
    const rows = await store.ledger();
    for (const row of rows) report(row);
    latest = { at: clock.now(), rows };
    for (const [channelId, row] of untold) {
      await found?.(row);
      untold.delete(channelId);
    }
    return latest;
  };
  const loop = createLoop({
    clock,
    everyMs: MINUTE_MS,
    round: async () => void (await look()),
    failed: (error) => log.error("ledger.not-read", { error: String(error) }),
  });
  return {
    start: () => void loop.start(),
    stop: () => void loop.stop(),
    look,
    latest: () => latest,
  };
}
