import { is, SQL, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel/channel.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import type { Act, Detail } from "../../audit.ts";
import type { NewJournalRow, Note } from "../../channels.ts";
import * as audit from "../../tables/accounts/audit.ts";
import { readLedger } from "../../tables/accounts/ledger.ts";
import * as journal from "../../tables/channels/journal.ts";
import * as notes from "../../tables/channels/notes.ts";
import { type Engine, just, type Refused, type Statement, type Transaction, type Verb } from "../../tables/engine.ts";
import { ACCOUNTS } from "../../tables/erasing/erased.ts";
import type { Database } from "../database/db.ts";
import { knownChat, mayStore } from "./chats.ts";
import { book, bookEnd } from "./tally.ts";

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
    statements: db.statements,
    row: (table, id, load) => just(db.rows.row(table, id, () => runNow(db, load()))),
    find: (what, key, load) => just(db.rows.find(what, key, () => runNow(db, load()))),
    chat: (channelId, gatewayChat) => just(knownChat(db, channelId, gatewayChat)),
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

// Parts of shared verbs, within a write of this engine's own.

export const writeAudit = (
  db: Database,
  now: number,
  accountId: string | undefined,
  act?: Act,
  detail?: Detail,
): void => runNow(db, audit.writeAudit(transactionOf(db), now, accountId, act, detail));

/** What the ledger lacks of a channel. */
export const holeOf = (db: Database, { id, accountId }: Pick<Channel, "id" | "accountId">): number =>
  runNow(db, readLedger(transactionOf(db), accountId)).find(({ channelId }) => channelId === id)?.hole ?? 0;

export function writeJournal(db: Database, now: number, channelId: ChannelId, rows: NewJournalRow[]): void {
  if (rows.length > 0) runNow(db, journal.writeJournal(db, now, channelId, rows));
}

export function writeNotes(db: Database, now: number, channelId: ChannelId, changed: Note[]): void {
  if (changed.length > 0) runNow(db, notes.writeNotes(now, channelId, changed));
}
