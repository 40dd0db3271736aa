import type { Clock } from "gangway-messenger/clock";
import { onTestFinished } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/domain/delivery.ts";
import { moveBetween } from "../../src/store/moving/move.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestBucket } from "./bucket.ts";
import { type HandClock, handClock } from "./clock.ts";
import { onPostgres } from "./engine.ts";
import { command, databaseWithTables } from "./postgres.ts";
import { changeRows, rowsOf } from "./rows.ts";
import { addAccount, addChannel, KEY_RING, type StoreChanges, temporaryFolder, temporaryStore } from "./store.ts";
import { tracesIn, tracesInDatabase } from "./traces.ts";

/** What both engines store. */
type SharedStore = Omit<Store, "close" | "disk" | "shared">;

interface Opened {
  store: SharedStore;
  /** What a command needs to open it, too. */
  folder: string;
  env: Record<string, string>;
  /** All rows of a table. */
  rows(table: string): Promise<Record<string, unknown>[]>;
  /** Changes a table behind the store's back. */
  change(statement: string): Promise<void>;
  /** Where one of the words still is. */
  traces(words: string[]): Promise<string[]>;
  /** The store of a process that starts after this one. */
  again(): Promise<SharedStore>;
}

export interface TestedEngine {
  name: string;
  open(clock: HandClock, changes: StoreChanges): Promise<Opened>;
}
export const SQLITE: TestedEngine = {
  name: "SQLite",
  async open(clock, changes) {
    const folder = temporaryFolder();
    const store = await temporaryStore(clock, folder, changes);
    return {
      store,
      ...{ folder, env: {} },
      traces: async (words) => tracesIn(folder, words),
      async again() {
        await store.close();
        return temporaryStore(clock, folder, changes);
      },
      rows: async (table) => rowsOf(folder, [table])[table] ?? [],
      async change(statement) {
        changeRows(folder, statement);
        await heard(store);
      },
    };
  },
};
export const POSTGRES: TestedEngine = {
  name: "PostgreSQL",
  open: async (clock, changes) => openedAt(await databaseWithTables(), clock, changes),
};

/** What tests of the store run on: that of their project in vitest.config.ts. They need only what both engines do alike. */
export const ENGINES = onPostgres ? [POSTGRES] : [SQLITE];

/** PostgreSQL with files in a bucket. */
export const WITH_BUCKET = {
  name: "PostgreSQL with a bucket",
  async open(clock: HandClock, changes: StoreChanges) {
    const [url, bucket] = [await databaseWithTables(), await openTestBucket()];
    const opened = await openedAt(url, clock, { ...changes, bucket: bucket.access });
    return { ...opened, url, bucket, env: { ...opened.env, ...bucket.env } };
  },
};

export const WITH_EVERY_STORAGE = onPostgres ? [POSTGRES, WITH_BUCKET] : [SQLITE];

async function openedAt(url: string, clock: HandClock, changes: StoreChanges): Promise<Opened> {
  const store = await postgresStore(url, clock, changes);
  return {
    store,
    ...{ folder: temporaryFolder(), env: { DATABASE_URL: url } },
    traces: (words) => tracesInDatabase(url, words),
    again: () => postgresStore(url, clock, changes),
    rows: (table) => command(url, `SELECT * FROM ${table}`),
    async change(statement) {
      await command(url, statement);
      await heard(store);
    },
  };
}

/** Resolves once the store sees what other connections have committed: whoever has the lock has heard of it. */
export const heard = (store: Pick<Store, "serial">): Promise<void> =>
  store.serial("heard", () => new Promise(setImmediate));

/** A store on a database, closed after the test. */
export async function postgresStore(
  url: string,
  clock: Clock = handClock(),
  { bounds, ...more }: StoreChanges = {},
): Promise<Store> {
  const given = { url, keyRing: KEY_RING, clock, bounds: { ...DEFAULT_BOUNDS, ...bounds } };
  const store = await openPostgres({ ...given, ...more });
  onTestFinished(() => store.close());
  return store;
}

/** A store with one account and one channel, on a clock that the test moves. */
export async function oneChannelOn<O extends Opened>(
  engine: { open(clock: HandClock, changes: StoreChanges): Promise<O> },
  how: StoreChanges & { kind?: string; clock?: HandClock } = {},
) {
  const { kind, clock = handClock(), ...changes } = how;
  const opened = await engine.open(clock, changes);
  const account = await addAccount(opened.store);
  const channel = await addChannel(opened.store, account, kind);
  return { clock, ...opened, account, channel };
}

/** Moves everything in a folder to a new database of PostgreSQL. Resolves with its URL. */
export async function moved(folder: string): Promise<string> {
  const url = await databaseWithTables();
  await moveBetween("to", { folder, url, keyRing: KEY_RING, now: 1, told: () => undefined });
  return url;
}
