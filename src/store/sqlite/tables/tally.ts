import { sql } from "drizzle-orm";
import type { Database, Orm } from "../database/db.ts";
import { jobs, tallies } from "../database/schema.ts";

// The ledger's books. They change in the transactions that accept, end and send again, and nowhere else.

type Books = Record<"accepted" | "delivered" | "refused" | "acksOwed" | "acksGiven" | "acksRefused", number>;
const NOTHING: Books = { accepted: 0, delivered: 0, refused: 0, acksOwed: 0, acksGiven: 0, acksRefused: 0 };
const COLUMNS = Object.keys(NOTHING) as (keyof Books)[];

/** Adds to the sums of a channel. */
export function book(db: Database, channel: { id: string; accountId: string }, change: Partial<Books>): void {
  const { id: channelId, accountId } = channel;
  db.statements(statements).add.run({ channelId, accountId, ...NOTHING, ...change });
}

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const given = Object.fromEntries(COLUMNS.map((column) => [column, at(column)]));
  const sum = (column: keyof Books) => sql`${tallies[column]} + excluded.${sql.identifier(tallies[column].name)}`;
  return {
    add: orm
      .insert(tallies)
      .values({ channelId: at("channelId"), accountId: at("accountId"), ...given })
      .onConflictDoUpdate({
        target: tallies.channelId,
        set: Object.fromEntries(COLUMNS.map((column) => [column, sum(column)])),
      })
      .prepare(),
  };
};

/** What `bookEnd` needs of a job. */
export const carried = {
  ...{ channelId: jobs.channelId, accountId: jobs.accountId },
  ...{ direction: jobs.direction, events: jobs.events },
};
export type Carried = { channelId: string; accountId: string; direction: string; events: number };

/** Books the end of a job, with the events that it carried until now, or the ack; -1 takes it back. */
export function bookEnd(db: Database, job: Carried, as: "delivered" | "refused", by: 1 | -1 = 1): void {
  const channel = { id: job.channelId, accountId: job.accountId };
  if (job.direction === "ack") book(db, channel, { [as === "delivered" ? "acksGiven" : "acksRefused"]: by });
  else if (job.events > 0) book(db, channel, { [as]: job.events * by });
}
