import type Sqlite from "better-sqlite3";
import { Overload } from "../../../domain/delivery/overload.ts";
import { afterDispatch } from "../../../domain/time/clock.ts";

/** Concurrent writes share one transaction and one sync. */
export interface GroupCommit {
  /**
   * Runs `work` in the next shared transaction; resolves after the commit. A throw undoes only that work. `work` must be
   * synchronous and safe to run again.
   */
  write<T>(work: () => T, options?: WriteOptions<T>): Promise<T>;
  /** For memory that mirrors the database. Within a write: called if its changes are rolled back, the last one first. */
  onUndo(undo: () => void): void;
  /** Within a write: queues `item` for `runBatch`, which runs once before the commit with the items of all successful writes. */
  atCommit<T>(runBatch: (items: T[]) => void, item: T): void;
  /** Writes wait until the result is called. */
  hold(): () => void;
}

interface WriteOptions<T> {
  /** Called right after the commit, before anybody is answered: it sends next. */
  first?(value: T): void;
}
interface PendingWrite<T = unknown> extends WriteOptions<T> {
  work(): T;
  /** What `work` returned when it ran last. */
  value?: T;
  resolve(value: T): void;
  reject(error: unknown): void;
  undos?: (() => void)[];
}
type Refused = Map<PendingWrite, unknown>;

/** Writes per transaction: a flood must not block the event loop. */
const MAX_GROUP = 512;
/** A group no larger leaves at once, and its calls before anybody is answered. */
const SMALL_GROUP = 2;
/** Event-loop ticks to wait while a larger group grows. */
const MAX_TICKS = 8;

interface Checks {
  /** Throws when commits no longer reach the database's files. */
  assertIntact(): void;
  /** A transaction has begun: no other connection writes until its end. */
  begun(): void;
}

export function groupCommit(sqlite: Sqlite.Database, checks: Checks = { assertIntact() {}, begun() {} }): GroupCommit {
  const pending: PendingWrite[] = [];
  const { commitTogether, commitSeparately, onUndo, atCommit } = transactions(sqlite, checks);

  let holders = 0;
  const hold = () => {
    holders += 1;
    return () => {
      holders -= 1;
      if (holders === 0 && pending.length > 0) setImmediate(flush);
    };
  };
  const flush = () => {
    if (holders > 0 || pending.length === 0) return;
    const group = pending.splice(0, MAX_GROUP);
    if (pending.length > 0) setImmediate(flush);
    const refused = new Map<PendingWrite, unknown>();
    let committed: PendingWrite[] = [];
    let failed = false;
    try {
      committed = commitTogether(group, refused) ?? commitSeparately(group, refused);
    } catch (error) {
      failed = true;
      if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
      for (const entry of group) if (!refused.has(entry)) refused.set(entry, error);
    }
    settle(committed, group.length);
    for (const [entry, error] of refused) {
      // Refused before any change: what it has read holds, and others need not read it again.
      if (failed || !(error instanceof Overload)) undo(entry);
      entry.reject(error);
    }
  };

  const gather = (lastCount: number, ticks: number) => {
    const grows = pending.length > Math.max(lastCount, SMALL_GROUP) && pending.length < MAX_GROUP;
    if (grows && ticks < MAX_TICKS) setImmediate(gather, pending.length, ticks + 1);
    else flush();
  };

  const write: GroupCommit["write"] = <T>(work: () => T, options?: WriteOptions<T>) =>
    new Promise<T>((resolve, reject) => {
      pending.push({ work, first: options?.first, resolve, reject } as PendingWrite);
      if (pending.length === 1) setImmediate(gather, 1, 0);
    });
  return { write, onUndo, atCommit, hold };
}

function undo(entry: PendingWrite): void {
  const { undos = [] } = entry;
  entry.undos = undefined;
  for (const each of undos.reverse()) each();
}

/** A lone message leaves before its sender is answered; in a larger group no sender waits for that. */
function settle(committed: PendingWrite[], groupSize: number): void {
  const resolve = () => {
    for (const entry of committed) entry.resolve(entry.value);
  };
  for (const entry of committed) entry.first?.(entry.value);
  if (groupSize <= SMALL_GROUP && committed.some(({ first }) => first)) afterDispatch(resolve);
  else resolve();
}

/** Both throw when nothing of the group is stored. */
function transactions(sqlite: Sqlite.Database, { assertIntact, begun }: Checks) {
  const begin = sqlite.prepare("BEGIN IMMEDIATE");
  const commit = sqlite.prepare("COMMIT");
  const rollback = sqlite.prepare("ROLLBACK");
  const savepoint = sqlite.prepare("SAVEPOINT one");
  const release = sqlite.prepare("RELEASE one");
  const rollbackToOne = sqlite.prepare("ROLLBACK TO one");
  const { atCommit, clear, truncate, count, runAll } = commitBatches();
  let running: PendingWrite | undefined;
  const run = (entry: PendingWrite) => {
    running = entry;
    try {
      entry.value = entry.work();
    } finally {
      running = undefined;
    }
  };
  const onUndo = (each: () => void) => {
    if (!running) return;
    if (running.undos) running.undos.push(each);
    else running.undos = [each];
  };
  const open = () => {
    // Check now: the commit would hide a truncated log by growing it again.
    assertIntact();
    clear();
    begin.run();
    begun();
  };
  const close = (committed: PendingWrite[]): PendingWrite[] => {
    runAll();
    commit.run();
    assertIntact();
    return committed;
  };

  /** Fast path without savepoints, which copy every page touched. Undefined when a write failed and all were rolled back. */
  const commitTogether = (group: PendingWrite[], refused: Refused): PendingWrite[] | undefined => {
    open();
    const committed: PendingWrite[] = [];
    for (const entry of group) {
      try {
        run(entry);
        committed.push(entry);
      } catch (error) {
        // Thrown before any change: refusing a flood costs the others nothing.
        if (error instanceof Overload) refused.set(entry, error);
        else if (group.length === 1 || !sqlite.inTransaction) throw error;
        else {
          rollback.run();
          for (const each of group) undo(each);
          return undefined;
        }
      }
    }
    return close(committed);
  };

  /** A savepoint per write; skips writes already refused. */
  const commitSeparately = (group: PendingWrite[], refused: Refused): PendingWrite[] => {
    open();
    const committed: PendingWrite[] = [];
    for (const entry of group.filter((each) => !refused.has(each))) {
      const before = count();
      savepoint.run();
      try {
        run(entry);
        release.run();
        committed.push(entry);
      } catch (error) {
        // On a full disk SQLite rolls back the whole transaction by itself.
        if (!sqlite.inTransaction) throw error;
        rollbackToOne.run();
        release.run();
        truncate(before);
        undo(entry);
        refused.set(entry, error);
      }
    }
    return close(committed);
  };
  return { commitTogether, commitSeparately, onUndo, atCommit };
}

function commitBatches() {
  let items: [runBatch: (items: never[]) => void, item: unknown][] = [];
  const clear = () => {
    items = [];
  };
  return {
    atCommit: ((runBatch, item) => items.push([runBatch, item])) as GroupCommit["atCommit"],
    clear,
    count: () => items.length,
    truncate: (count: number) => {
      items.length = count;
    },
    runAll() {
      const of = new Map<(items: never[]) => void, unknown[]>();
      for (const [runBatch, item] of items) {
        const all = of.get(runBatch);
        if (all) all.push(item);
        else of.set(runBatch, [item]);
      }
      clear();
      for (const [runBatch, all] of of) runBatch(all as never[]);
    },
  };
}
