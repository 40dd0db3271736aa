import type Sqlite from "better-sqlite3";
import { afterDispatch } from "../../../domain/clock.ts";
import { Overload } from "../../../domain/overload.ts";

/** Writes that come together share one transaction and one sync. */
export interface GroupCommit {
  /**
   * Runs `work` in the next shared transaction; resolves after its commit. One that throws is undone alone. `work` must be
   * synchronous, and bear to be run again from the start.
   */
  write<T>(work: () => T, how?: How): Promise<T>;
  /** Whether writes wait for the next shared transaction: one more then costs no commit of its own. */
  gathers(): boolean;
  /** Within a write: hands `item` to `together`, which runs once at the end of the transaction, with those of all writes that stay in it. */
  atCommit<T>(together: (items: T[]) => void, item: T): void;
}

interface How {
  /** Told each time that all it wrote was undone. */
  undone?(): void;
  /** It is waited for by who is to send: it resolves before those that share its commit. */
  urgent?: true;
}
interface Waiting extends How {
  run(): void;
  done(): void;
  fail(error: unknown): void;
}
/** The writes that failed, and why. */
type Refused = Map<Waiting, unknown>;

/** Most writes one transaction takes, so that a flood does not hold the event loop. */
const LARGEST_GROUP = 512;
/** So many writes are what one message makes by itself: accepting it, and claiming it. */
const ALONE = 2;
/** Turns of the event loop for which a group that grows is waited for: a write that is alone waits for none. */
const MOST_TURNS = 8;

/** `assertKept` throws when what was committed is lost all the same. */
export function groupCommit(sqlite: Sqlite.Database, assertKept: () => void = () => {}): GroupCommit {
  const waiting: Waiting[] = [];
  const { inOne, inParts, atCommit } = transactions(sqlite, assertKept);

  const flush = () => {
    const group = waiting.splice(0, LARGEST_GROUP);
    if (waiting.length > 0) setImmediate(flush);
    const refused = new Map<Waiting, unknown>();
    let kept: Waiting[] = [];
    try {
      kept = inOne(group, refused) ?? inParts(group, refused);
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
      for (const entry of group) if (!refused.has(entry)) refused.set(entry, error);
    }
    tell(kept, group.length);
    for (const [entry, error] of refused) {
      entry.undone?.();
      entry.fail(error);
    }
  };

  const gather = (before: number, turns: number) => {
    const grows = waiting.length > Math.max(before, ALONE) && waiting.length < LARGEST_GROUP;
    if (grows && turns < MOST_TURNS) setImmediate(gather, waiting.length, turns + 1);
    else flush();
  };

  const write: GroupCommit["write"] = (work, how) =>
    new Promise((resolve, reject) => {
      let value: ReturnType<typeof work>;
      waiting.push({
        run: () => {
          value = work();
        },
        done: () => resolve(value),
        fail: reject,
        ...how,
      });
      if (waiting.length === 1) setImmediate(gather, 1, 0);
    });
  return { write, gathers: () => waiting.length > 0, atCommit };
}

/** A lone message is on its way before whoever brought it is answered; in a crowd the others wait for nothing. */
function tell(kept: Waiting[], together: number): void {
  const others = kept.filter((entry) => !entry.urgent);
  const answer = () => {
    for (const entry of others) entry.done();
  };
  for (const entry of kept) if (entry.urgent) entry.done();
  if (together <= ALONE && others.length < kept.length) afterDispatch(answer);
  else answer();
}

/** Both throw when nobody's write is in. */
function transactions(sqlite: Sqlite.Database, assertKept: () => void) {
  const begin = sqlite.prepare("BEGIN IMMEDIATE");
  const commit = sqlite.prepare("COMMIT");
  const rollback = sqlite.prepare("ROLLBACK");
  const savepoint = sqlite.prepare("SAVEPOINT one");
  const release = sqlite.prepare("RELEASE one");
  const undo = sqlite.prepare("ROLLBACK TO one");
  const { atCommit, forget, keepUpTo, count, hand } = handedOver();
  const open = () => {
    // A log that was cut grows again with the commit.
    assertKept();
    forget();
    begin.run();
  };
  const close = (kept: Waiting[]): Waiting[] => {
    hand();
    commit.run();
    assertKept();
    return kept;
  };

  /** Without a way back for each, which costs a copy of every page it touches; undefined when one is needed. */
  const inOne = (group: Waiting[], refused: Refused): Waiting[] | undefined => {
    open();
    const kept: Waiting[] = [];
    for (const entry of group) {
      try {
        entry.run();
        kept.push(entry);
      } catch (error) {
        // It is thrown before anything is written: a flood that is refused costs the others nothing.
        if (error instanceof Overload) refused.set(entry, error);
        else if (group.length === 1 || !sqlite.inTransaction) throw error;
        else {
          rollback.run();
          for (const each of group) each.undone?.();
          return undefined;
        }
      }
    }
    return close(kept);
  };

  /** Each with a way back of its own; what was refused before is not asked again. */
  const inParts = (group: Waiting[], refused: Refused): Waiting[] => {
    open();
    const kept: Waiting[] = [];
    for (const entry of group.filter((each) => !refused.has(each))) {
      const before = count();
      savepoint.run();
      try {
        entry.run();
        release.run();
        kept.push(entry);
      } catch (error) {
        // A full disk makes SQLite roll the whole transaction back by itself: then nobody's write is in.
        if (!sqlite.inTransaction) throw error;
        undo.run();
        release.run();
        keepUpTo(before);
        entry.undone?.();
        refused.set(entry, error);
      }
    }
    return close(kept);
  };
  return { inOne, inParts, atCommit };
}

/** What the writes of a transaction leave for its end. */
function handedOver() {
  let items: [together: (items: never[]) => void, item: unknown][] = [];
  const forget = () => {
    items = [];
  };
  return {
    atCommit: ((together, item) => items.push([together, item])) as GroupCommit["atCommit"],
    forget,
    count: () => items.length,
    keepUpTo: (count: number) => {
      items.length = count;
    },
    hand() {
      const of = new Map<(items: never[]) => void, unknown[]>();
      for (const [together, item] of items) {
        const all = of.get(together);
        if (all) all.push(item);
        else of.set(together, [item]);
      }
      forget();
      for (const [together, all] of of) together(all as never[]);
    },
  };
}
