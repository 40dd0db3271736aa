import type { Clock } from "../domain/clock.ts";
import type { LedgerLine } from "../domain/ledger.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Looks every minute whether what was accepted is delivered, refused or waiting, and alarms when it is not. */
export interface LedgerWatch {
  start(): void;
  stop(): void;
  /** Looks now. */
  look(): Promise<LedgerReading>;
  /** What was found last; nothing before the first look. */
  latest(): LedgerReading | undefined;
}
export interface LedgerReading {
  at: number;
  lines: LedgerLine[];
}

interface Parts {
  store: Pick<Store, "ledger">;
  clock: Clock;
  log: Log;
}

const MINUTE_MS = 60_000;

export function watchingLedger({ store, clock, log }: Parts): LedgerWatch {
  let latest: LedgerReading | undefined;
  let cancel = () => {};
  let stopped = false;
  const told = new Map<string, number>();
  const tell = ({ accountId, channelId, accepted, delivered, refused, waiting, hole }: LedgerLine) => {
    if (hole === (told.get(channelId) ?? 0)) return;
    told.set(channelId, hole);
    const fields = { account: accountId, channel: channelId, accepted, delivered, refused, waiting, hole };
    if (hole === 0) log.info("ledger.balanced", fields);
    else log.error("ledger.hole", fields);
  };
  const look = async () => {
    const lines = await store.ledger();
    for (const line of lines) tell(line);
    latest = { at: clock.now(), lines };
    return latest;
  };
  const again = async () => {
    await look().catch((error) => log.error("ledger.not-read", { error: String(error) }));
    if (!stopped) cancel = clock.after(MINUTE_MS, () => void again());
  };
  return {
    start: () => void again(),
    stop() {
      stopped = true;
      cancel();
    },
    look,
    latest: () => latest,
  };
}
