import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { INBOUND_PATIENCE_MS, type Job, type Task } from "../domain/delivery.ts";
import type { AccountId, ChannelId, JobId } from "../domain/ids.ts";
import type { Database } from "./db.ts";
import { enqueue } from "./queue.ts";
import { jobs } from "./schema.ts";

// What has become of the work: for the account page, and for sending again what a person wants sent again.

export interface EndedJob {
  id: JobId;
  channelId: ChannelId;
  direction: Job["direction"];
  state: "dead" | "held";
  code: string;
  error: string;
  at: number;
}
export type Counts = Record<"waiting" | "done" | "dead" | "held", number>;

export function counts(db: Database, accountId: AccountId): Map<ChannelId, Counts> {
  const rows = db.orm
    .select({ channelId: jobs.channelId, state: jobs.state, number: count() })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), sql`${jobs.direction} <> 'ack'`))
    .groupBy(jobs.channelId, jobs.state)
    .all();
  const byChannel = new Map<ChannelId, Counts>();
  for (const { channelId, state, number } of rows) {
    const sums = byChannel.get(channelId as ChannelId) ?? { waiting: 0, done: 0, dead: 0, held: 0 };
    byChannel.set(channelId as ChannelId, sums);
    if (state === "replayed") continue;
    sums[state === "ready" || state === "sending" ? "waiting" : state] += number;
  }
  return byChannel;
}

export function ended(db: Database, accountId: AccountId, most: number): EndedJob[] {
  return db.orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), sql`${jobs.state} IN ('held','dead')`))
    .orderBy(desc(jobs.id))
    .limit(most)
    .all()
    .map((row) => ({
      id: row.id as JobId,
      channelId: row.channelId as ChannelId,
      direction: row.direction,
      state: row.state as "dead" | "held",
      code: row.errorCode ?? "general",
      error: row.error ?? "",
      at: row.updatedAt,
    }));
}

/** Appends the work again at the end of its lane; steps that are behind it stay behind it. */
export function sendAgain(db: Database, accountId: AccountId, id: JobId, now: number, patienceMs: number): boolean {
  const old = db.orm
    .update(jobs)
    .set({ state: "replayed", updatedAt: now })
    .where(and(eq(jobs.id, id), eq(jobs.accountId, accountId), inArray(jobs.state, ["dead", "held"])))
    .returning()
    .get();
  if (!old) return false;
  enqueue(db, now, {
    accountId: old.accountId,
    channelId: old.channelId,
    lane: old.lane,
    deadlineAt: now + (old.direction === "outbound" ? patienceMs : INBOUND_PATIENCE_MS),
    origin: old.origin ?? old.id,
    work: old.work,
    payload: JSON.parse(old.payload) as Task,
  });
  return true;
}
