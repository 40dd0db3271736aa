import { type Column, sql } from "drizzle-orm";
import { accounts, messages } from "../../tables/schema.ts";
import { LIVE } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";

/**
 * After the wall clock was set back: live messages written in the future keep the wait they had left when written, and no
 * account rests longer than `restMs`. Reads every live job.
 */
export function rebaseTimers({ orm }: Database, now: number, restMs: number): void {
  const left = (time: Column) => sql`${now} + max(0, ${time} - ${messages.updatedAt})`;
  orm
    .update(messages)
    .set({
      runAt: left(messages.runAt),
      deadlineAt: left(messages.deadlineAt),
      createdAt: sql`min(${messages.createdAt}, ${now})`,
      updatedAt: now,
    })
    .where(sql`${LIVE} AND ${messages.updatedAt} > ${now}`)
    .run();
  orm
    .update(messages)
    .set({ ackAt: left(messages.ackAt), ackDeadlineAt: left(messages.ackDeadlineAt), updatedAt: now })
    .where(sql`ack IN ('due','sending') AND ${messages.updatedAt} > ${now}`)
    .run();
  orm
    .update(accounts)
    .set({ restUntil: now + restMs })
    .where(sql`${accounts.restUntil} > ${now + restMs}`)
    .run();
}
