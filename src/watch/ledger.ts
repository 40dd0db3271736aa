import type { Clock } from "../domain/clock.ts";
import { balances, type LedgerRow } from "../domain/ledger.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

/** Looks every minute whether what was accepted, and every ack that is owed, has ended or waits, and alarms when it is not so. */
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
  lines: LedgerRow[];
}

interface Parts {
  store: Pick<Store, "ledger">;
  clock: Clock;
  log: Log;
}

const MINUTE_MS = 60_000;

export function watchingLedger({ store, clock, log }: Parts): LedgerWatch {
  let latest: LedgerReading | undefined;
  const told = new Map<string, string>();
  const tell = (line: LedgerRow) => {
    const { accountId, channelId, accepted, delivered, refused, waiting, hole, acks } = line;
    const holes = `${hole} ${acks.hole}`;
    if (holes === (told.get(channelId) ?? "0 0")) return;
    told.set(channelId, holes);
    const events = { accepted, delivered, refused, waiting, hole };
    const owed = { acksOwed: acks.owed, acksGiven: acks.given, acksRefused: acks.refused, acksHole: acks.hole };
    const fields = { account: accountId, channel: channelId, ...events, ...owed };
    if (balances(line)) log.info("ledger.balanced", fields);
    else log.error("ledger.hole", fields);
  };
  const look = async () => {
    const lines = await store.ledger();
    for (const line of lines) tell(line);
    latest = { at: clock.now(), lines };
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
