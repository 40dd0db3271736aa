import { and, eq } from "drizzle-orm";
import type { Task } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, JobId, MessengerMessageId } from "../../../domain/ids.ts";
import type { OutboundAct } from "../../../domain/message.ts";
import type { Progress, Work } from "../../../domain/plan.ts";
import { changesOf } from "../../../domain/revision.ts";
import type { Arrived } from "../../outbox.ts";
import type { Database } from "../database/db.ts";
import { type JobRow, jobs } from "../database/schema.ts";
import { settleMessage } from "../tables/messages.ts";
import { contentOf, enqueue, enqueueAck } from "../tables/queue.ts";
import { bookEnd } from "../tables/tally.ts";
import { enqueueEvent } from "./accepting.ts";

// A person's decisions on messages that may have been delivered.

/** The step in doubt succeeded: enqueues the remaining steps, or completes the message if there are none. */
export function arrived(
  db: Database,
  accountId: AccountId,
  id: JobId,
  { patienceMs, text }: Arrived,
  now: number,
): boolean {
  const held = db.orm.select().from(jobs).where(isHeld(accountId, id)).get();
  const content = held && contentOf(held);
  if (content?.task.direction !== "outbound") return false;
  const row = end(db, accountId, id, { state: "done", error: null, errorCode: null }, now);
  if (!row) return false;
  const { work, task } = content;
  const at = { accountId: row.accountId as AccountId, channelId: row.channelId as ChannelId };
  if (work && work.progress.done + 1 < work.plan.steps.length)
    enqueueRemaining(db, row, { work, task }, now + patienceMs, now);
  else {
    bookEnd(db, row, "delivered");
    settle(db, at, task.act, work, text, now);
  }
  return true;
}

/** Given up; the agent's notice stands. */
export function dropped(db: Database, accountId: AccountId, id: JobId, now: number): boolean {
  const error = "given up by a person: it may have arrived";
  const row = end(db, accountId, id, { state: "dead", error, errorCode: "general" }, now);
  if (row) bookEnd(db, row, "refused");
  return row !== undefined;
}

const isHeld = (accountId: AccountId, id: JobId) =>
  and(eq(jobs.id, id), eq(jobs.accountId, accountId), eq(jobs.state, "held"));
type End = Pick<JobRow, "state" | "error" | "errorCode">;
const end = (db: Database, accountId: AccountId, id: JobId, how: End, now: number): JobRow | undefined =>
  db.orm
    .update(jobs)
    .set({ ...how, updatedAt: now })
    .where(isHeld(accountId, id))
    .returning()
    .get();

function enqueueRemaining(
  db: Database,
  row: JobRow,
  { work: { plan, progress }, task }: { work: Work; task: Task },
  deadlineAt: number,
  now: number,
): void {
  const { since: _, ...certain } = progress;
  const next: Progress = { ...certain, done: progress.done + 1 };
  db.orm.update(jobs).set({ state: "replayed", events: 0 }).where(eq(jobs.id, row.id)).run();
  enqueue(db, now, {
    accountId: row.accountId,
    channelId: row.channelId,
    lane: row.lane,
    deadlineAt,
    origin: row.origin ?? row.id,
    events: row.events,
    work: JSON.stringify({ plan, progress: next }),
    payload: task,
  });
}

function settle(
  db: Database,
  at: { accountId: AccountId; channelId: ChannelId },
  act: OutboundAct,
  work: Work | undefined,
  text: Arrived["text"],
  now: number,
): void {
  // The step in doubt succeeded.
  const known = work && changesOf({ ...work, progress: { ...work.progress, done: work.progress.done + 1 } });
  const { parts = [], removed = [] } = known ?? {};
  settleMessage(db, { channelId: at.channelId, task: { direction: "outbound", act } }, { parts, removed }, now);
  if (act.type !== "message") return;
  const { gatewayMessageId, chat } = act;
  const messengerMessageId = parts[0]?.messengerMessageId;
  if (messengerMessageId) {
    enqueueAck(db, now, at, { gatewayMessageId, messengerMessageId });
    return;
  }
  const key = `arrived:${gatewayMessageId}` as MessengerMessageId;
  const note = { type: "note" as const, key, chat, messengerMessageId: key, at: now, text: text(at.channelId, act) };
  enqueueEvent(db, { id: at.channelId, accountId: at.accountId }, note, now, 0);
}
