import { and, desc, eq } from "drizzle-orm";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, JobId } from "../../../domain/ids.ts";
import type { EndedJob } from "../../dead.ts";
import { type Database, upTo } from "../database/db.ts";
import { jobs } from "../database/schema.ts";
import { contentOf, ENDED, enqueue } from "../tables/queue.ts";
import { bookEnd } from "../tables/tally.ts";

// Ended work: for the account page, and to resend on a person's request.

/** Held jobs have a limit of their own: a person decides each, so dead letters must not crowd them out. */
const MAX_HELD = 500;

/** Held jobs first, then the newest dead letters. */
export function ended(db: Database, accountId: AccountId, limit: number): EndedJob[] {
  const newest = (state: EndedJob["state"], limit: number) =>
    db.orm
      .select()
      .from(jobs)
      .where(and(eq(jobs.accountId, accountId), eq(jobs.state, state), ENDED))
      .orderBy(desc(jobs.id))
      .limit(upTo(limit))
      .all();
  return [...newest("held", MAX_HELD), ...newest("dead", limit)].map((row) => ({
    id: row.id as JobId,
    channelId: row.channelId as ChannelId,
    direction: row.direction,
    state: row.state as "dead" | "held",
    code: row.errorCode ?? "general",
    error: row.error ?? "",
    at: row.updatedAt,
  }));
}

/** Appends the work to the end of its lane again; finished steps are not repeated. */
export function sendAgain(db: Database, accountId: AccountId, id: JobId, now: number, patienceMs: number): boolean {
  const mine = and(eq(jobs.id, id), eq(jobs.accountId, accountId), ENDED);
  const old = db.orm.select().from(jobs).where(mine).get();
  const task = old && contentOf(old)?.task;
  if (!old || !task) return false;
  // The new job takes over the events: refused ones wait again, held ones keep waiting.
  db.orm.update(jobs).set({ state: "replayed", events: 0, updatedAt: now }).where(eq(jobs.id, id)).run();
  if (old.state === "dead") bookEnd(db, old, "refused", -1);
  enqueue(db, now, {
    accountId: old.accountId,
    channelId: old.channelId,
    lane: old.lane,
    deadlineAt: now + (old.direction === "outbound" ? patienceMs : INBOUND_PATIENCE_MS),
    origin: old.origin ?? old.id,
    work: old.work,
    events: old.events,
    payload: task,
  });
  return true;
}
