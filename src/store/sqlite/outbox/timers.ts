import { sql } from "drizzle-orm";
import type { Database } from "../database/db.ts";
import { accounts, jobs } from "../database/schema.ts";
import { LIVE } from "../tables/queue.ts";

/**
 * After the wall clock was set back: live jobs written in the future keep the wait they had left when written, and no
 * account rests longer than `restMs`. Reads every live job.
 */
export function rebaseTimers({ orm }: Database, now: number, restMs: number): void {
  const left = (time: typeof jobs.runAt) => sql`${now} + max(0, ${time} - ${jobs.updatedAt})`;
  orm
    .update(jobs)
    .set({
      runAt: left(jobs.runAt),
      deadlineAt: left(jobs.deadlineAt as never),
      createdAt: sql`min(${jobs.createdAt}, ${now})`,
      updatedAt: now,
    })
    .where(sql`${LIVE} AND ${jobs.updatedAt} > ${now}`)
    .run();
  orm
    .update(accounts)
    .set({ restUntil: now + restMs })
    .where(sql`${accounts.restUntil} > ${now + restMs}`)
    .run();
}
