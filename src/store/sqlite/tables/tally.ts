import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/db.ts";
import { type MessageRow, messages, tallies } from "../database/schema.ts";
import type { Orm } from "../database/statements.ts";

// The ledger's sums, apart from the rows, so that a lost row shows as a hole. Added once per channel and commit.

type Sums = Record<"accepted" | "delivered" | "refused" | "acksOwed" | "acksGiven" | "acksRefused", number>;
const ZERO: Sums = { accepted: 0, delivered: 0, refused: 0, acksOwed: 0, acksGiven: 0, acksRefused: 0 };
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

function addSums(entries: Entry[]): void {
  const channels = new Map<string, Pick<Entry, "db" | "accountId"> & { sums: Sums }>();
  for (const { db, channelId, accountId, change } of entries) {
    const channel = channels.get(channelId) ?? { db, accountId, sums: { ...ZERO } };
    channels.set(channelId, channel);
    for (const column of COLUMNS) channel.sums[column] += change[column] ?? 0;
  }
  for (const [channelId, { db, accountId, sums }] of channels)
    db.statements(statements).add.run({ channelId, accountId, ...sums });
}

/** Waiting events added earlier in this transaction, which the table does not show yet. */
export function waitingSoFar(db: Database, channelId: string): number {
  const own = db.queued(addSums).filter((entry) => entry.channelId === channelId);
  const waiting = ({ accepted = 0, delivered = 0, refused = 0 }: Partial<Sums>) => accepted - delivered - refused;
  return own.reduce((sum, { change }) => sum + waiting(change), 0);
}

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const values = Object.fromEntries(COLUMNS.map((column) => [column, at(column)]));
  const sum = (column: keyof Sums) => sql`${tallies[column]} + excluded.${sql.identifier(tallies[column].name)}`;
  return {
    add: orm
      .insert(tallies)
      .values({ channelId: at("channelId"), accountId: at("accountId"), ...values })
      .onConflictDoUpdate({
        target: tallies.channelId,
        set: Object.fromEntries(COLUMNS.map((column) => [column, sum(column)])),
      })
      .prepare(),
    carried: orm
      .select({ events: sql<number>`coalesce(sum(events), 0)` })
      .from(messages)
      .where(eq(messages.carrier, at("id")))
      .prepare(),
  };
};

export type BookedRow = Pick<MessageRow, "id" | "channelId" | "accountId" | "events" | "album">;

/** Accepted events that the message stands for: of an album, all parts. */
const eventsOf = (db: Database, row: BookedRow): number =>
  row.events + (row.album === null ? 0 : (db.statements(statements).carried.get({ id: row.id })?.events ?? 0));

/** Books the end of a message. `by` -1 reverts it. */
export function bookEnd(db: Database, row: BookedRow, as: "delivered" | "refused", by: 1 | -1 = 1): void {
  const events = eventsOf(db, row);
  if (events > 0) book(db, { id: row.channelId, accountId: row.accountId }, { [as]: events * by });
}
