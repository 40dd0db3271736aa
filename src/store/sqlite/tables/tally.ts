import { sql } from "drizzle-orm";
import type { Database, Orm } from "../database/db.ts";
import { jobs, tallies } from "../database/schema.ts";

// The ledger's sums. Only the transactions that accept, end and resend jobs change them.

type Sums = Record<"accepted" | "delivered" | "refused" | "acksOwed" | "acksGiven" | "acksRefused", number>;
const ZERO: Sums = { accepted: 0, delivered: 0, refused: 0, acksOwed: 0, acksGiven: 0, acksRefused: 0 };
const COLUMNS = Object.keys(ZERO) as (keyof Sums)[];

export function book(db: Database, channel: { id: string; accountId: string }, change: Partial<Sums>): void {
  const { id: channelId, accountId } = channel;
  db.statements(statements).add.run({ channelId, accountId, ...ZERO, ...change });
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
  };
};

/** The columns that `bookEnd` needs. */
export const bookColumns = {
  ...{ channelId: jobs.channelId, accountId: jobs.accountId },
  ...{ direction: jobs.direction, events: jobs.events },
};
export type BookedJob = { channelId: string; accountId: string; direction: string; events: number };

/** Books the end of a job: its events, or the ack. `by` -1 reverts it. */
export function bookEnd(db: Database, job: BookedJob, as: "delivered" | "refused", by: 1 | -1 = 1): void {
  const channel = { id: job.channelId, accountId: job.accountId };
  if (job.direction === "ack") book(db, channel, { [as === "delivered" ? "acksGiven" : "acksRefused"]: by });
  else if (job.events > 0) book(db, channel, { [as]: job.events * by });
}
