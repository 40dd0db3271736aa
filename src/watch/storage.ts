import type { Clock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import { createLoop, type Loop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { DatabaseDisk, DiskSpace } from "../store/store.ts";

/** Interval between marks, ms: with the mark's own sync, a commit is marked within a second. */
const MARK_MS = 500;

/** Writes down how many events the database has accepted, so that the next start notices if some are missing. */
export function markAccepted({ mark }: Pick<DatabaseDisk, "mark">, { clock, log }: { clock: Clock; log: Log }): Loop {
  let fails = false;
  return createLoop({
    clock,
    everyMs: MARK_MS,
    async round() {
      await mark();
      fails = false;
    },
    failed(error) {
      if (!fails) log.warn("database.not-marked", { error: errorText(error) });
      fails = true;
    },
  });
}

/** Checks the whole database for damage once, while the server runs: a large database takes seconds. */
interface DamageWatch {
  start(): void;
  /** Aborts the check; resolves when it has ended. */
  stop(): Promise<void>;
}

export function watchDamage(
  { findDamage, condemn }: Pick<DatabaseDisk, "findDamage" | "condemn">,
  log: Log,
): DamageWatch {
  const stopping = new AbortController();
  let search: Promise<void> | undefined;
  return {
    start() {
      search ??= findDamage(stopping.signal).then(
        (how) => {
          if (how !== undefined) condemn(how);
        },
        (error) => log.error("database.not-checked", { error: errorText(error) }),
      );
    },
    async stop() {
      stopping.abort();
      await search;
    },
  };
}

/** Polls the database's files, so that a loss is noticed even while nothing is written. */
interface DatabaseWatch {
  start(): void;
  stop(): void;
}

/** Poll interval, ms: a loss is known within a second. */
const POLL_MS = 250;

export function watchDatabase(
  { files }: Pick<DatabaseDisk, "files">,
  { clock, log, lost }: { clock: Clock; log: Log; lost(why: string): void },
): DatabaseWatch {
  let cancel = () => {};
  const poll = () => {
    if (files?.check() === undefined) cancel = clock.after(POLL_MS, poll);
  };
  void files?.lost.then(({ why, todo }) => {
    log.error("database.lost", { why, todo });
    lost(why);
  });
  return { start: poll, stop: () => cancel() };
}

interface DiskWatch {
  /** Resolves after the first check. */
  start(): Promise<void>;
  stop(): void;
  /** As last measured. */
  space(): DiskSpace | undefined;
}

interface DiskParts {
  disk: Pick<DatabaseDisk, "check">;
  clock: Clock;
  log: Log;
}

/** Poll interval, ms. Messages never wait for a check. */
const DISK_POLL_MS = 5_000;
/** The operator is warned below this free share or this many free bytes. */
const LOW_SHARE = 0.15;
const LOW_BYTES = 1024 ** 3;

type State = "plenty" | "low" | "full";

/** Polls free disk space and logs changes of state. */
export function watchDisk({ disk, clock, log }: DiskParts): DiskWatch {
  let reported: State = "plenty";
  let latest: DiskSpace | undefined;
  const poll = async () => {
    latest = await disk.check();
    const { freeBytes, totalBytes, belowFloor } = latest;
    const low = freeBytes < totalBytes * LOW_SHARE || freeBytes < LOW_BYTES;
    const state: State = belowFloor ? "full" : low ? "low" : "plenty";
    if (state === reported) return;
    reported = state;
    const level = { plenty: "info", low: "warn", full: "error" } as const;
    log[level[state]](`disk.${state}`, { freeBytes, totalBytes });
  };
  const failed = (error: unknown) => log.error("disk.not-seen", { error: String(error) });
  const loop = createLoop({ clock, everyMs: DISK_POLL_MS, round: poll, failed });
  return { start: loop.start, stop: () => void loop.stop(), space: () => latest };
}

/** Watches the database's disk: free space, the database's files, damage in them, and the marker of accepted events. */
interface StorageWatch {
  /** Resolves after the first space check and the first mark. */
  start(): Promise<void>;
  /** Starts the check for damage. Call once the server is ready. */
  findDamage(): void;
  stop(): Promise<void>;
  space: DiskWatch["space"];
}

interface Parts {
  clock: Clock;
  log: Log;
  /** Whether threads are available; without them nothing checks for damage. */
  threads: boolean;
  lost(why: string): void;
}

export function watchStorage(disk: DatabaseDisk | undefined, { clock, log, threads, lost }: Parts): StorageWatch {
  if (!disk) return { start: async () => {}, findDamage() {}, stop: async () => {}, space: () => undefined };
  const space = watchDisk({ disk, clock, log });
  const files = watchDatabase(disk, { clock, log, lost });
  const damage = watchDamage(disk, log);
  const marks = markAccepted(disk, { clock, log });
  return {
    async start() {
      await space.start();
      files.start();
      await marks.start();
    },
    space: space.space,
    findDamage() {
      if (threads) damage.start();
    },
    async stop() {
      space.stop();
      files.stop();
      await marks.stop();
      await damage.stop();
    },
  };
}
