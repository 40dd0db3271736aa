import { eq, sql } from "drizzle-orm";
import { type MessageRow, messages, tallies } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

// The ledger's sums, apart from the rows, so that a lost row shows as a hole. Added once per channel and commit.

const ZERO = {
  ...{ accepted: 0, delivered: 0, refused: 0, messagesDelivered: 0, messagesRefused: 0 },
  ...{ acksOwed: 0, acksGiven: 0, acksRefused: 0 },
};
type Sums = typeof ZERO;
const COLUMNS = Object.keys(ZERO) as (keyof Sums)[];
interface Entry {
  db: Database;
  channelId: string;
  accountId: string;
  change: Partial<Sums>;
}

export function book(db: Database, channel: { id: string; accountId: string }, change: Partial<Sums>): void {
  db.atCommit(addSums, { db, channelId: channel.id, accountId: channel.accountId, change });
}

/** One statement for all channels of a commit. */
function addSums(entries: Entry[]): void {
  const channels = new Map<string, Sums & Pick<Entry, "channelId" | "accountId">>();
  for (const { channelId, accountId, change } of entries) {
    const sums = channels.get(channelId) ?? { channelId, accountId, ...ZERO };
    channels.set(channelId, sums);
    for (const column of COLUMNS) sums[column] += change[column] ?? 0;
  }
  for (const { accountId } of channels.values()) entries[0]?.db.versions.bump(accountId);
  const busy = entries[0]?.db.busy;
  for (const id of channels.keys()) if (!busy?.has(id)) busy?.set(id, {});
  entries[0]?.db.prepared(ADD).run(JSON.stringify([...channels.values()]));
}

const nameOf = (column: keyof Sums) => tallies[column].name;
const ADD = `INSERT INTO tally (channel_id, account_id, ${COLUMNS.map(nameOf)})
  SELECT value ->> 'channelId', value ->> 'accountId', ${COLUMNS.map((column) => `value ->> '${column}'`)}
  FROM json_each(?) WHERE true ON CONFLICT (channel_id) DO UPDATE SET
  ${COLUMNS.map((column) => `${nameOf(column)} = ${nameOf(column)} + excluded.${nameOf(column)}`)}`;

/** Waiting events added earlier in this transaction, which the table does not show yet. */
export function waitingSoFar(db: Database, channelId: string): number {
  const own = db.queued(addSums).filter((entry) => entry.channelId === channelId);
  const waiting = ({ accepted = 0, delivered = 0, refused = 0 }: Partial<Sums>) => accepted - delivered - refused;
  return own.reduce((sum, { change }) => sum + waiting(change), 0);
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
  const change = { [as]: events * by };
  if (row.kind === "message") change[as === "delivered" ? "messagesDelivered" : "messagesRefused"] = events * by;
  book(db, { id: row.channelId, accountId: row.accountId }, change);
}
