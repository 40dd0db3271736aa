import { type Clock, pause } from "gangway-messenger/clock";
import type { Config } from "../../config.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import { byCustomer, type OldestLive, type RetentionKind, type Swept } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** In the background: deletes expired data and the traces of what was erased, and records the hours' sums. */
export interface Housekeeping {
  start(): void;
  round(): Promise<void>;
  /** Resolves when the running round has ended. */
  stop(): Promise<void>;
}

export interface HousekeepingParts {
  config: Pick<Config, "retainDays" | "rawWebhookDays">;
  store: Pick<Store, "retention" | "erasure" | "traffic">;
  clock: Clock;
  log: Log;
}

/** Interval between rounds, and pause between batches for other work, ms. */
const ROUND_MS = 300_000;
const PAUSE_MS = 20;
const DAY_MS = 86_400_000;
/** After which the contents of a discarded message go; until then it can be restored. */
const DISCARDED_DAYS = 1;
/** How long the address of a person's request to be erased shows that it is done. */
const REQUEST_DAYS = 90;
/** How long what the vendor's system was told stays to be seen. */
const EVENT_DAYS = 7;
/** Of an erasure by a command that is still running. */
const ERASURE_MS = 600_000;
/** Before every key, negative ones included. */
const FIRST = Number.MIN_SAFE_INTEGER;

export function createHousekeeping(parts: HousekeepingParts): Housekeeping {
  const progress: Progress = { files: 0 };
  const loop = createLoop({
    clock: parts.clock,
    everyMs: ROUND_MS,
    waitsFirst: true,
    round: (stop) => round(parts, progress, stop),
    failed: (error) => parts.log.warn("housekeeping.failed", { error: String(error) }),
  });
  return {
    round: () => round(parts, progress, new AbortController().signal),
    start() {
      resume(parts).catch((error) => parts.log.warn("erasure.not-resumed", { error: String(error) }));
      void loop.start();
    },
    async stop() {
      await loop.stop();
      await parts.store.traffic.record();
    },
  };
}

/** Erasures that a crash has interrupted; those of a command that still runs are younger. Then what people asked for. */
async function resume({ store, log }: HousekeepingParts, minAgeMs?: number): Promise<void> {
  for (const erased of await store.erasure.resume(minAgeMs)) log.info("erasure.resumed", { ...erased });
  for (const erased of await store.erasure.fulfil(byCustomer("customer erased"))) log.info("erased", { ...erased });
}

/** Retention of each kind, in days. */
const daysOf = ({ retainDays: days, rawWebhookDays }: HousekeepingParts["config"]): [RetentionKind, number][] => [
  ["settled", days.settled],
  ["dead", days.dead],
  ["discarded", DISCARDED_DAYS],
  ["dedupe", days.dedupe],
  ["audit", days.audit],
  ["webhooks", rawWebhookDays],
  ["journal", days.journal],
  // A file's journal entry may be a day younger than the file.
  ["files", days.journal + 1],
  ["notes", days.notes],
  ["lasting", 0],
  ["erased", days.dedupe],
  ["requests", REQUEST_DAYS],
  ["events", EVENT_DAYS],
  ["sessions", 0],
];

/** How far files are known to have been sent; each is checked once. */
interface Progress {
  files: number;
}

async function round(
  { config, store, clock, log }: HousekeepingParts,
  progress: Progress,
  stop: AbortSignal,
): Promise<void> {
  const { retention } = store;
  await resume({ config, store, clock, log }, ERASURE_MS);
  const counts: Record<string, number> = {};
  const living: OldestLive = await retention.oldestLive();
  for (const [kind, days] of daysOf(config)) {
    const before = clock.now() - days * DAY_MS;
    const swept = await batches((after) => retention.sweep(kind, before, living, after), FIRST, clock, stop);
    counts[kind] = swept.deleted;
  }
  const yesterday = clock.now() - DAY_MS;
  const unsent = await batches((after) => retention.sweepUnsent(yesterday, after), progress.files, clock, stop);
  progress.files = unsent.last;
  counts.unsent = unsent.deleted;
  if (!stop.aborted) counts.bytes = await retention.sweepFolder(yesterday);
  await store.erasure.removeTraces();
  await store.traffic.record();
  if (Object.values(counts).some((count) => count > 0)) log.info("housekeeping.done", counts);
}

/** Sweeps in batches, starting after `from`; `last` is the final cursor. */
async function batches(sweep: (after: number) => Promise<Swept>, from: number, clock: Clock, stop: AbortSignal) {
  let [deleted, last] = [0, from];
  while (!stop.aborted) {
    const swept = await sweep(last);
    deleted += swept.deleted;
    if (swept.next === undefined) break;
    last = swept.next;
    await pause(clock, PAUSE_MS, stop);
  }
  return { deleted, last };
}
