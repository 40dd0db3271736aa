import { and, eq, is, SQL, sql } from "drizzle-orm";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Channel } from "../../../domain/channel.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { LeaseStore, Taken } from "../../accounts.ts";
import type { Act, Detail } from "../../care.ts";
import type { NewJournalRow, Note } from "../../channels.ts";
import type { Plan } from "../../outbox/accepting.ts";
import type { Sealer } from "../../secrets.ts";
import * as audit from "../../tables/accounts/audit.ts";
import { type Recent, readLedger } from "../../tables/accounts/ledger.ts";
import * as notes from "../../tables/channels/channels.ts";
import * as journal from "../../tables/channels/raw-webhooks.ts";
import { type Parking, rowsOfRaw, type SealedWebhook } from "../../tables/channels/raw-webhooks.ts";
import {
  type Engine,
  just,
  type KnownChat,
  type Refused,
  type Statement,
  type Transaction,
  type Verb,
} from "../../tables/engine.ts";
import { ACCOUNTS } from "../../tables/erasing/erasures.ts";
import { MAX_TRIES } from "../../tables/messages/messages.ts";
import { accountLeases, chats, type MessageRow, messages, rawWebhooks, tallies } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/group-commit.ts";

const at = sql.placeholder;
const chatStatements = (orm: Orm) => ({
  find: orm
    .select({ chat: chats.chat, createdAt: chats.createdAt })
    .from(chats)
    .where(and(eq(chats.channelId, at("channelId")), eq(chats.gatewayChat, at("gatewayChat"))))
    .prepare(),
  add: orm
    .insert(chats)
    .values({
      channelId: at("channelId"),
      gatewayChat: at("gatewayChat"),
      chat: at("chat"),
      createdAt: at("now"),
    })
    .onConflictDoNothing()
    .prepare(),
});

/** By the gateway's id; undefined when it never had a message. */
export const knownChat = (db: Database, channelId: string, gatewayChat: string): KnownChat | undefined =>
  db.rows.row("chat", `${channelId} ${gatewayChat}`, () =>
    db.statements(chatStatements).find.get({ channelId, gatewayChat }),
  );

/** Whether something about the chat may still be stored: not for an erased account, nor from work that began before an erasure. */
const mayStore = (db: Database, channelId: string, names: string[]): boolean =>
  !db.tombstones.isGone(channelId) && db.tombstones.buriedAt(channelId, names) === undefined;

/** Records the chat of its first message. */
export function meetChat(db: Database, met: Plan["chats"][number], now: number): void {
  const { channelId, gatewayChat, chat } = met;
  db.statements(chatStatements).add.run({ channelId, gatewayChat, chat, now });
}

/** Maps a chat id that was shortened for the gateway back to the messenger's. */
export const messengerChat = (db: Database, channelId: string, gatewayChat: ChatId): ChatId =>
  gatewayChat.startsWith("h:") ? ((knownChat(db, channelId, gatewayChat)?.chat ?? gatewayChat) as ChatId) : gatewayChat;

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

const tallyStatements = (orm: Orm) => ({
  carried: orm
    .select({ events: sql<number>`coalesce(sum(events), 0)` })
    .from(messages)
    .where(eq(messages.carrier, at("id")))
    .prepare(),
});

type BookedRow = Pick<MessageRow, "id" | "channelId" | "accountId" | "kind" | "events" | "album">;

/** Accepted events that the message stands for: of an album, all parts. */
const eventsOf = (db: Database, row: BookedRow): number =>
  row.events + (row.album === null ? 0 : (db.statements(tallyStatements).carried.get({ id: row.id })?.events ?? 0));

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

export function keepRaw(db: Database, sealer: Sealer, webhooks: SealedWebhook[]): void {
  for (const row of rowsOfRaw(sealer, webhooks)) db.statements(rawStatements).insert.run(row);
}

const rawStatements = (orm: Orm) => ({
  insert: orm
    .insert(rawWebhooks)
    .values({ sealed: at("sealed"), receivedAt: at("receivedAt") })
    .prepare(),
});

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Whatever sets `head` to 0
// ends the lane's head; a trigger of the table makes the next message the head.

/** For statements that give work to the holder of the account's lease. */
export const HOLDS_LEASE = "EXISTS (SELECT 1 FROM account_lease WHERE account_id = @account AND fence = @fence)";

/** SQL of a column of tries with room for one more. */
export const keptTries = (column: string): string =>
  `iif(json_array_length(${column}) >= ${MAX_TRIES}, json_remove(${column}, '$[1]'), coalesce(${column}, '[]'))`;

/** The next position, from the sequence of ids. */
export const nextPosition = ({ sqlite }: Pick<Database, "sqlite">): number =>
  sqlite
    .prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'message' RETURNING seq")
    .pluck()
    .get() as number;

const leaseStatements = (orm: Orm) => ({
  take: orm
    .insert(accountLeases)
    .values({ accountId: at("accountId"), owner: at("owner"), fence: 1 })
    .onConflictDoUpdate({
      target: accountLeases.accountId,
      set: { owner: sql`excluded.owner`, fence: sql`${accountLeases.fence} + 1` },
    })
    .returning()
    .prepare(),
});

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
          const { fence } = db.statements(leaseStatements).take.get({ accountId, owner });
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
