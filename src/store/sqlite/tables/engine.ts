import { is, SQL, sql } from "drizzle-orm";
import type { Lease } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { LeaseStore, Taken } from "../../accounts.ts";
import {
  type Booking,
  COUNTS,
  type Counts,
  type Engine,
  first,
  just,
  type Statement,
  statementsOf,
  TIMES,
  type Times,
  type Transaction,
  type Verb,
} from "../../tables/engine.ts";
import { ACCOUNTS } from "../../tables/erasing/erasures.ts";
import { tallies } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

/** Whether data about these names may be stored: not if the account was erased, nor by work older than an erasure. */
const mayStore = (db: Database, channelId: string, names: string[]): boolean =>
  !db.tombstones.isGone(channelId) && db.tombstones.buriedAt(channelId, names) === undefined;

const SUMS = [...COUNTS, ...TIMES];
const nameOf = (name: keyof (Counts & Times)) => tallies[name].name;
const added = COUNTS.map((name) => `${nameOf(name)} = ${nameOf(name)} + excluded.${nameOf(name)}`);
const newest = TIMES.map((name) => `${nameOf(name)} = coalesce(excluded.${nameOf(name)}, ${nameOf(name)})`);
const BOOK = `INSERT INTO tally (channel_id, account_id, ${SUMS.map(nameOf)})
  VALUES (@channelId, @accountId, ${SUMS.map((name) => `@${name}`)})
  ON CONFLICT (channel_id) DO UPDATE SET ${[...added, ...newest]}`;
const NOTHING = Object.fromEntries([...COUNTS.map((name) => [name, 0]), ...TIMES.map((name) => [name, null])]);

export function book({ prepared, versions }: Database, booking: Booking): void {
  prepared(BOOK).run({ ...NOTHING, ...booking });
  versions.bump(booking.accountId);
}

const POSITION = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'message' RETURNING seq AS position";

/** Runs a shared verb in one go: nothing else happens between two of its statements. */
export function sqliteEngine(db: Database): Engine {
  const tx = transactionOf(db);
  return {
    read: async (work) => runNow(db, work(tx)),
    write: (work) => db.write(() => runNow(db, work(tx))),
  };
}

/** Runs a verb within a write of this engine, or outside of one. */
export function runNow<T>(db: Database, work: Verb<T>): T {
  let step = work.next();
  while (!step.done) step = work.next(rowsOf(db, step.value));
  return step.value;
}

/** Runs one statement; `rows` says whether it returns any. */
function rowsOf(db: Database, { query, values = {}, rows }: Statement): unknown[] {
  if (is(query, SQL)) return db.orm.all(query);
  const statement = typeof query === "string" ? db.prepared(query) : query;
  if (rows) return (statement as { all(values: object): unknown[] }).all(values);
  (statement as { run(values: object): unknown }).run(values);
  return [];
}

const transactions = new WeakMap<Database, Transaction>();

export function transactionOf(db: Database): Transaction {
  const known = transactions.get(db);
  if (known) return known;
  const tx: Transaction = {
    orm: db.orm,
    statements: statementsOf(db.orm),
    row: (table, id, load) => just(db.rows.row(table, id, () => runNow(db, load()))),
    find: (what, key, load) => just(db.rows.find(what, key, () => runNow(db, load()))),
    changed: db.versions.bump,
    mayStore: (channelId, names) => just(mayStore(db, channelId, names)),
    isAccountErased: (id) => just(db.tombstones.buriedAt(ACCOUNTS, [id]) !== undefined),
    holdLanes: () => just(undefined),
    joinLive: sql`CROSS JOIN message INDEXED BY message_lane`,
    indexedBy: (name) => sql.raw(`INDEXED BY ${name}`),
    book(all) {
      for (const each of all) book(db, each);
      return just(undefined);
    },
    *nextPosition() {
      return (yield* first<{ position: number }>(POSITION))?.position ?? 0;
    },
  };
  transactions.set(db, tx);
  return tx;
}

const TAKE = `INSERT INTO account_lease (account_id, owner, fence) VALUES (@accountId, @owner, 1)
  ON CONFLICT (account_id) DO UPDATE SET owner = excluded.owner, fence = fence + 1 RETURNING fence`;

/** Always grants: there is one process, and an earlier holder has ended. */
export function leaseStore(db: Database): LeaseStore {
  const done = async () => undefined;
  return {
    shared: false,
    join: done,
    renew: async () => true,
    take: (accounts, owner) =>
      db.write(() =>
        accounts.map((accountId): Taken => {
          const { fence } = db.prepared(TAKE).get({ accountId, owner }) as Lease;
          return { lease: { accountId, fence }, lost: false };
        }),
      ),
    release: done,
    leave: done,
    shares: async () => {
      const free = db.sqlite.prepare<[], AccountId>("SELECT id FROM account").pluck().all();
      return { free, members: 1, accounts: free.length };
    },
  };
}
