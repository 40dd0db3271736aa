import { and, asc, eq, sql } from "drizzle-orm";
import { type Ack, INBOUND_PATIENCE_MS, type Job, type Task } from "../domain/delivery.ts";
import type { Database } from "./db.ts";
import { jobs } from "./schema.ts";

export type JobRow = typeof jobs.$inferSelect;
/** Word for word as in the index `job_lane`: with bound values SQLite would not use it, and read the whole table. */
export const LIVE = sql`${jobs.state} IN ('ready','sending','waiting')`;

export type NewJob = Pick<JobRow, "accountId" | "channelId" | "lane" | "deadlineAt"> &
  Partial<Pick<JobRow, "origin" | "work" | "album" | "runAt" | "events">> & { payload: Task };

/** The lane of a chat: its jobs of one direction run one after another. */
export const lane = (channelId: string, direction: Job["direction"], chat: string) =>
  `${channelId}/${direction}/${chat}`;

/** Appends a job to its lane. Whether there is room is asked before, by those who may be refused. */
export function enqueue(db: Database, now: number, job: NewJob): void {
  const older = db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, job.lane), LIVE))
    .limit(1)
    .get();
  const row = { ...job, direction: job.payload.direction, payload: JSON.stringify(job.payload) };
  db.orm
    .insert(jobs)
    .values({ runAt: now, ...row, head: older ? 0 : 1, state: "ready", createdAt: now, updatedAt: now })
    .run();
  db.pressure.added(job.accountId);
}

/** A job has ended: lets the next of its lane come to the head. */
export function advance(db: Database, { accountId, lane }: Pick<JobRow, "accountId" | "lane">): void {
  db.pressure.ended(accountId);
  const next = db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, lane), LIVE))
    .orderBy(asc(jobs.id))
    .limit(1)
    .get();
  if (next) db.orm.update(jobs).set({ head: 1 }).where(eq(jobs.id, next.id)).run();
}

export function enqueueAck(db: Database, now: number, job: Pick<Job, "accountId" | "channelId">, ack: Ack): void {
  enqueue(db, now, {
    accountId: job.accountId,
    channelId: job.channelId,
    lane: lane(job.channelId, "ack", ack.gatewayMessageId),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "ack", ack },
  });
}
