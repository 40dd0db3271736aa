import { is, SQL, sql } from "drizzle-orm";
import type { Lease } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { LeaseStore, Taken } from "../../accounts.ts";
import type { Recent } from "../../tables/accounts/ledger.ts";
import type { Parking } from "../../tables/channels/raw-webhooks.ts";
import {
  type Engine,
  just,
  type Refused,
  type Statement,
  statementsOf,
  type Transaction,
  type Verb,
} from "../../tables/engine.ts";
import { ACCOUNTS } from "../../tables/erasing/erasures.ts";
import { type MessageRow, tallies } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";

/** Whether something about the chat may still be stored: not for an erased account, nor from work that began before an erasure. */
const mayStore = (db: Database, channelId: string, names: string[]): boolean =>
  !db.tombstones.isGone(channelId) && db.tombstones.buriedAt(channelId, names) === undefined;

// The ledger's sums, apart from the rows, so that a lost row shows as a hole.

const COLUMNS = [
  ...["accepted", "delivered", "refused", "messagesDelivered", "messagesRefused"],
  ...["acksOwed", "acksGiven", "acksRefused"],
] as const;
type Change = Partial<Record<(typeof COLUMNS)[number], number>>;

const nameOf = (column: keyof Change) => tallies[column].name;
const ADD = `UPDATE tally SET ${COLUMNS.map((column) => `${nameOf(column)} = ${nameOf(column)} + ?`)} WHERE channel_id = ?`;
const FIRST = `INSERT INTO tally (${COLUMNS.map(nameOf)}, channel_id, account_id) VALUES (${COLUMNS.map(() => "?")}, ?, ?)`;

export function book(db: Database, { id, accountId }: { id: string; accountId: string }, change: Change): void {
  const values = COLUMNS.map((column) => change[column] ?? 0);
  if (db.prepared(ADD).run(...values, id).changes === 0) db.prepared(FIRST).run(...values, id, accountId);
  db.versions.bump(accountId);
  if (!db.busy.has(id)) db.busy.set(id, {});
}

const CARRIED = "SELECT coalesce(sum(events), 0) AS events FROM message WHERE carrier = @id";

type BookedRow = Pick<MessageRow, "id" | "channelId" | "accountId" | "kind" | "events" | "album">;

/** Accepted events that the message stands for: of an album, all parts. */
const eventsOf = (db: Database, { id, events, album }: BookedRow): number =>
  events + (album === null ? 0 : (db.prepared(CARRIED).get({ id }) as { events: number }).events);

/** Books the end of a message. `by` -1 reverts it. */
export function bookEnd(db: Database, row: BookedRow, as: "delivered" | "refused", by: 1 | -1 = 1): void {
  const events = eventsOf(db, row);
  if (events === 0) return;
  const change: Change = { [as]: events * by };
  if (row.kind === "message") change[as === "delivered" ? "messagesDelivered" : "messagesRefused"] = events * by;
  book(db, { id: row.channelId, accountId: row.accountId }, change);
}

/** Runs shared verbs in one go: between two of their statements nothing else happens. */
export function sqliteEngine(db: Database): Engine {
  const tx = transactionOf(db);
  return {
    read: async (work) => runNow(db, work(tx)),
    write: (work) => db.write(() => runNow(db, work(tx))),
  };
}

/** Within a write of this engine's own, or outside of one. */
export function runNow<T>(db: Database, work: Verb<T>): T {
  let step = work.next();
  while (!step.done) step = work.next(rowsOf(db, step.value));
  return step.value;
}

/** Each is of one of the two kinds, as `all` and `run` say. */
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
    refused: (what) => just(bookRefused(db, what)),
  };
  transactions.set(db, tx);
  return tx;
}

function bookRefused(db: Database, { live, held, acks, untold = [] }: Refused): void {
  for (const row of [...live, ...held]) bookEnd(db, row, "refused");
  for (const { accountId, channelId } of acks) book(db, { id: channelId, accountId }, { acksRefused: 1 });
  for (const { accountId, channelId } of untold)
    book(db, { id: channelId, accountId }, { acksOwed: 1, acksRefused: 1 });
}

const TAKE = `INSERT INTO account_lease (account_id, owner, fence) VALUES (@accountId, @owner, 1)
  ON CONFLICT (account_id) DO UPDATE SET owner = excluded.owner, fence = fence + 1 RETURNING fence`;

/** Always granted: there is one process, and whoever held a lease before has ended. */
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

const NONE = { parts: 0, bytes: 0 };

/** From memory. */
export const parkingIn = ({ parking }: Pick<Database, "parking">): Parking => ({
  sums: (login, owner) =>
    just({
      ofLogin: parking.lots(login).find((lot) => lot.owner === owner) ?? NONE,
      ofOwner: parking.ofOwner(owner),
      inAll: parking.all(),
    }),
  largest: () => just(parking.largest()),
  owners: (login) => just(parking.lots(login).map(({ owner }) => owner)),
  logins: () => just(parking.logins()),
  figures: () => just({ ...parking.all(), strangers: parking.strangers() }),
});

/** From memory. */
export const recentIn = ({ busy }: Pick<Database, "busy">): Recent => ({
  atOnce: Number.POSITIVE_INFINITY,
  async take() {
    const changed = [...busy];
    busy.clear();
    return changed;
  },
  putBack(changed) {
    for (const [id, last] of changed) busy.set(id, { ...last, ...busy.get(id) });
  },
  last: (id) => busy.get(id),
});
