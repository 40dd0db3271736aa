import { sql } from "drizzle-orm";
import type { Database, Orm } from "./db.ts";
import { jobs, tallies } from "./schema.ts";

// The ledger's books. They change in the transactions that accept, end and send again, and nowhere else.

type Books = Partial<Record<"accepted" | "delivered" | "refused", number>>;

/** Adds to the sums of a channel. */
export function book(db: Database, channel: { id: string; accountId: string }, change: Books): void {
  const { accepted = 0, delivered = 0, refused = 0 } = change;
  db.statements(statements).add.run({
    channelId: channel.id,
    accountId: channel.accountId,
    accepted,
    delivered,
    refused,
  });
}

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  add: orm
    .insert(tallies)
    .values({
      channelId: at("channelId"),
      accountId: at("accountId"),
      accepted: at("accepted"),
      delivered: at("delivered"),
      refused: at("refused"),
    })
    .onConflictDoUpdate({
      target: tallies.channelId,
      set: {
        accepted: sql`${tallies.accepted} + excluded.accepted`,
        delivered: sql`${tallies.delivered} + excluded.delivered`,
        refused: sql`${tallies.refused} + excluded.refused`,
      },
    })
    .prepare(),
});

/** Books the end of a job, whose events it carried until now. */
export function bookEnd(
  db: Database,
  job: { channelId: string; accountId: string; events: number },
  as: "delivered" | "refused",
): void {
  if (job.events > 0) book(db, { id: job.channelId, accountId: job.accountId }, { [as]: job.events });
}

/** What `bookEnd` needs of a job. */
export const carried = { channelId: jobs.channelId, accountId: jobs.accountId, events: jobs.events };
