import type { Config } from "../config.ts";
import { type Clock, pause } from "../domain/clock.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { OldestLive, RetentionKind, Swept } from "../store/care.ts";
import type { Store } from "../store/store.ts";

/** Deletes in the background what has been kept long enough. */
export interface Housekeeping {
  start(): void;
  /** One round, at once. */
  round(): Promise<void>;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

export interface HousekeepingParts {
  config: Pick<Config, "retainDays" | "rawWebhookDays">;
  store: Pick<Store, "retention">;
  clock: Clock;
  log: Log;
}

/** How long between two rounds, and between two batches, so that nothing else waits, ms. */
const ROUND_MS = 300_000;
const REST_MS = 20;
const DAY_MS = 86_400_000;

export function housekeeping(parts: HousekeepingParts): Housekeeping {
  const judged: Judged = { files: 0 };
  const loop = createLoop({
    clock: parts.clock,
    everyMs: ROUND_MS,
    waitsFirst: true,
    round: (stop) => round(parts, judged, stop),
    failed: (error) => parts.log.warn("housekeeping.failed", { error: String(error) }),
  });
  return {
    round: () => round(parts, judged, new AbortController().signal),
    start: () => void loop.start(),
    stop: loop.stop,
  };
}

/** How many days each kind is kept. */
const daysOf = ({ retainDays: days, rawWebhookDays }: HousekeepingParts["config"]): [RetentionKind, number][] => [
  ["settled", days.settled],
  ["dead", days.dead],
  ["dedupe", days.dedupe],
  // Ids are asked for as long as events may be repeated.
  ["messages", days.dedupe],
  ["audit", days.audit],
  ["webhooks", rawWebhookDays],
  ["journal", days.journal],
  // A file's line in the journal comes within a day, and goes then.
  ["files", days.journal + 1],
  ["notes", days.notes],
  ["sessions", 0],
];

/** Until when files are known to have been sent: once is enough. */
interface Judged {
  files: number;
}

async function round(
  { config, store, clock, log }: HousekeepingParts,
  judged: Judged,
  stop: AbortSignal,
): Promise<void> {
  const { retention } = store;
  const counts: Record<string, number> = {};
  const living: OldestLive = await retention.oldestLive();
  for (const [kind, days] of daysOf(config)) {
    const before = clock.now() - days * DAY_MS;
    const swept = await batches((after) => retention.sweep(kind, before, living, after), 0, clock, stop);
    counts[kind] = swept.deleted;
  }
  const yesterday = clock.now() - DAY_MS;
  const unsent = await batches((after) => retention.sweepUnsent(yesterday, after), judged.files, clock, stop);
  judged.files = unsent.last;
  counts.unsent = unsent.deleted;
  if (!stop.aborted) counts.bytes = await retention.sweepFolder(yesterday);
  if (Object.values(counts).some((count) => count > 0)) log.info("housekeeping.done", counts);
}

/** All batches from a place on; `last` is how far they went. */
async function batches(sweep: (after: number) => Promise<Swept>, from: number, clock: Clock, stop: AbortSignal) {
  let [deleted, last] = [0, from];
  while (!stop.aborted) {
    const swept = await sweep(last);
    deleted += swept.deleted;
    if (swept.next === undefined) break;
    last = swept.next;
    await pause(clock, REST_MS, stop);
  }
  return { deleted, last };
}
