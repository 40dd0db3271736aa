import { type Clock, pause } from "gangway-messenger/clock";
import type { Config } from "../../config.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { OldestLive, RetentionKind, Swept } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";

/** Background work: deletes expired data and traces of erased data, and records the hourly traffic sums. */
export interface Housekeeping {
  start(): void;
  round(): Promise<void>;
  /** Resolves when the running round has ended. */
  stop(): Promise<void>;
}

export interface HousekeepingParts {
  config: Pick<Config, "retainDays" | "rawWebhookDays" | "keepContents">;
  store: Pick<Store, "retention" | "erasure" | "traffic">;
  clock: Clock;
  log: Log;
}

/** Interval between rounds, and pause between batches for other work, ms. */
const ROUND_MS = 300_000;
const PAUSE_MS = 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Without `keepContents`: interval between rounds, and how long contents stay for a late failure, ms. */
const CONTENTS_MS = 30_000;
const DELIVERED_MS = 30_000;
/** Days until a discarded message's contents are deleted; until then the message can be restored. */
const DISCARDED_DAYS = 1;
/** Days for which a person's erasure request shows that it is done. */
const REQUEST_DAYS = 90;
/** Days for which events sent to the vendor's system stay visible. */
const EVENT_DAYS = 7;
/** Minimum age of an interrupted erasure, ms: a younger one may belong to a command that still runs. */
const ERASURE_MS = 600_000;
/** Less than every key: keys may be negative. */
const FIRST = Number.MIN_SAFE_INTEGER;

export function createHousekeeping(parts: HousekeepingParts): Housekeeping {
  const progress: Progress = { files: 0, words: NEVER, traces: NEVER };
  const loopOf = (everyMs: number, round: (stop: AbortSignal) => Promise<void>) =>
    createLoop({
      ...{ clock: parts.clock, everyMs, waitsFirst: true, round },
      failed: (error) => parts.log.warn("housekeeping.failed", { error: String(error) }),
    });
  const loops = [loopOf(ROUND_MS, (stop) => round(parts, progress, stop))];
  if (!parts.config.keepContents) loops.push(loopOf(CONTENTS_MS, (stop) => emptyDelivered(parts, stop)));
  return {
    round: () => round(parts, progress, new AbortController().signal),
    start() {
      resume(parts).catch((error) => parts.log.warn("erasure.not-resumed", { error: String(error) }));
      for (const loop of loops) void loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await parts.store.traffic.record();
    },
  };
}

/** Finishes erasures interrupted by a crash and older than `minAgeMs`, then carries out people's requests. */
async function resume({ store, log }: HousekeepingParts, minAgeMs?: number): Promise<void> {
  for (const erased of await store.erasure.resume(minAgeMs)) log.info("erasure.resumed", { ...erased });
  for (const erased of await store.erasure.fulfil()) log.info("erased", { ...erased });
}

/** Retention of each kind, in days. */
const daysOf = ({
  retainDays: days,
  rawWebhookDays,
  keepContents,
}: HousekeepingParts["config"]): [RetentionKind, number][] => [
  keepContents ? ["settled", days.settled] : ["delivered", DELIVERED_MS / DAY_MS],
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

interface Progress {
  /** Cursor of the sweep for unsent uploads; each upload is checked once. */
  files: number;
  /** When leftover words were last swept, and when unused space was last marked for overwriting, ms. */
  words: number;
  traces: number;
}
const NEVER = Number.NEGATIVE_INFINITY;

const NOTHING_LIVE: OldestLive = new Map();

async function emptyDelivered({ store: { retention }, clock }: HousekeepingParts, stop: AbortSignal): Promise<void> {
  const before = clock.now() - DELIVERED_MS;
  await batches((after) => retention.sweep("delivered", before, NOTHING_LIVE, after), FIRST, clock, stop);
}

/** Removes contents that other rules left: words of emptied messages, and unused space in the database. */
async function removeRest({ store, clock }: HousekeepingParts, progress: Progress, stop: AbortSignal): Promise<void> {
  const now = clock.now();
  if (now - progress.words >= DAY_MS) {
    await batches((after) => store.retention.sweep("words", now, NOTHING_LIVE, after), FIRST, clock, stop);
    if (!stop.aborted) progress.words = now;
  }
  if (now - progress.traces >= HOUR_MS) {
    await store.erasure.oweTraces();
    progress.traces = now;
  }
}

async function round(parts: HousekeepingParts, progress: Progress, stop: AbortSignal): Promise<void> {
  const { config, store, clock, log } = parts;
  const { retention } = store;
  await resume(parts, ERASURE_MS);
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
  if (!config.keepContents) await removeRest(parts, progress, stop);
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
