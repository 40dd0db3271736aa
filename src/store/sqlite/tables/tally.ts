import { eq, sql } from "drizzle-orm";
import { type MessageRow, messages, tallies } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

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

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  carried: orm
    .select({ events: sql<number>`coalesce(sum(events), 0)` })
    .from(messages)
    .where(eq(messages.carrier, at("id")))
    .prepare(),
});

type BookedRow = Pick<MessageRow, "id" | "channelId" | "accountId" | "kind" | "events" | "album">;

/** Accepted events that the message stands for: of an album, all parts. */
const eventsOf = (db: Database, row: BookedRow): number =>
  row.events + (row.album === null ? 0 : (db.statements(statements).carried.get({ id: row.id })?.events ?? 0));

/** Books the end of a message. `by` -1 reverts it. */
export function bookEnd(db: Database, row: BookedRow, as: "delivered" | "refused", by: 1 | -1 = 1): void {
  const events = eventsOf(db, row);
  if (events === 0) return;
  const change: Change = { [as]: events * by };
  if (row.kind === "message") change[as === "delivered" ? "messagesDelivered" : "messagesRefused"] = events * by;
  book(db, { id: row.channelId, accountId: row.accountId }, change);
}
