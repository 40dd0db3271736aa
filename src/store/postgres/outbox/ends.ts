import type { Job, NextState } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { changesOf } from "../../../domain/revision.ts";
import { againColumns, failedColumns, idsOf, overdueEnd } from "../../lanes/ends.ts";
import { debtOf } from "../../lanes/jobs.ts";
import type { Held, Notices, Outbox, Outcome } from "../../outbox.ts";
import { columns, type Work } from "../../tables/engine.ts";
import { laneOf } from "../../tables/late-lanes.ts";
import { addParts, changeParts } from "../../tables/messages.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import type { Result } from "./outcomes.ts";

// What the end of a job, or its failure, changes.

const chatOf = ({ task }: Job): string | undefined =>
  task.direction === "inbound" ? laneOf(task.event) : task.direction === "outbound" ? task.act.chat : undefined;

type Of = Pick<Job, "task" | "work"> & { id: number; channelId: ChannelId };

/** Stores what was sent besides the first part. */
function* saveParts({ id, channelId, task }: Of, { parts = [], removed }: Outcome, now: number): Work<void> {
  if (task.direction !== "outbound") return;
  if (task.act.type === "message") yield* addParts({ id, channelId }, parts.slice(1), 1, now);
  if (task.act.type === "edited") yield* changeParts(channelId, task.act.messengerMessageId, { parts, removed }, now);
}

/** The changes that an edit made before it failed. */
const settleFailed = (of: Of, now: number): Result["after"] =>
  of.work && of.task.direction === "outbound" && of.task.act.type === "edited"
    ? () => saveParts(of, changesOf(of.work as NonNullable<typeof of.work>), now)
    : undefined;

function end(job: Job, set: Partial<MessageRow>, { ack, note }: Notices, now: number): Result {
  const ended = { head: 0, fatalCrashes: 0, updatedAt: now, endedAt: now, ...set };
  const debt = ack && debtOf(ack, 0, now);
  return { kind: "message", job, chat: chatOf(job), set: { ...ended, ...debt }, ack, note };
}

export function doneResult(job: Job, outcome: Outcome, now: number, held?: Held): Result {
  if (job.direction === "ack") {
    const set = { ack: "given", ackBody: null, ackError: null, ackAt: now, updatedAt: now } as const;
    return { kind: "ack", job, set, passed: true };
  }
  const set = { state: "done", error: null, errorCode: null, ...idsOf(job, outcome) } as const;
  const hasParts = job.direction === "outbound" && (outcome.parts?.length ?? 0) + (outcome.removed?.length ?? 0) > 0;
  return {
    ...end(job, set, outcome, now),
    held,
    after: hasParts ? () => saveParts(job, outcome, now) : undefined,
    sent: job.task.direction === "outbound" && job.task.act.type === "message" ? outcome.parts : undefined,
    passed: job.direction === "inbound",
  };
}

export function failedResult(job: Job, next: NextState, error: string, now: number, notices: Notices = {}): Result {
  if (job.direction === "ack") return ackFailed(job, next, error, now);
  if (next.state !== "ready") {
    const ended = end(job, failedColumns(job, next, error), notices, now);
    return { ...ended, after: settleFailed(job, now) };
  }
  const waits = "stopLanes" in next && job.direction === "outbound";
  return { kind: "message", job, set: againColumns(job, next, waits ? "waiting" : "ready", error, now) };
}

function ackFailed(job: Job, next: NextState, error: string, now: number): Result {
  const failed = { ackError: error, ackTries: error, updatedAt: now };
  if (next.state !== "ready") return { kind: "ack", job, set: { ...failed, ack: "refused", ackAt: now } };
  const { crashes, fatalCrashes } = job;
  const ackAttempts = next.countAttempt ? job.attempts : job.attempts - 1;
  return { kind: "ack", job, set: { ...failed, ack: "due", ackAt: next.runAt, ackAttempts, crashes, fatalCrashes } };
}

export function postponedResult(job: Job, runAt: number, now: number): Result {
  const attempts = job.attempts - 1;
  if (job.direction !== "ack") return { kind: "message", job, set: { state: "ready", runAt, attempts } };
  return { kind: "ack", job, set: { ack: "due", ackAt: runAt, ackAttempts: attempts, updatedAt: now } };
}

const OVERDUE_ROW = [
  ...(["id", "accountId", "channelId", "direction", "chat", "unsure", "error", "payload", "work"] as const),
] as const;
type ChannelOf = Parameters<typeof overdueEnd>[1];
export type OverdueRow = Pick<MessageRow, (typeof OVERDUE_ROW)[number]> &
  Omit<ChannelOf, "unsure"> & { policy: ChannelOf["unsure"] };
/** Overdue messages ended per transaction. */
const MAX_EXPIRED = 100;
/** What another program holds is left to a later sweep. */
const ending = (where: string) => `SELECT ${columns(messages, OVERDUE_ROW).replaceAll(/(^|, )/g, "$1message.")},
    channel.unsure AS policy, channel.state AS "channelState", channel.trouble AS trouble
  FROM message JOIN channel ON channel.id = message.channel_id
  WHERE ${where} AND message.state IN ('ready','waiting') AND message.direction = 'outbound'
    AND message.id NOT IN (SELECT CAST(json_array_elements_text(CAST(@locked AS json)) AS bigint))
  ORDER BY message.deadline_at LIMIT ${MAX_EXPIRED} FOR NO KEY UPDATE OF message SKIP LOCKED`;
export const OVERDUE = ending("message.deadline_at <= @now");
export const CLOSING = ending("message.channel_id = @channelId");

export function overdueResult(
  row: OverdueRow,
  now: number,
  ...[noticesFor, closing]: Parameters<Outbox["expire"]>
): Result {
  const { policy, channelState, trouble } = row;
  const of = { unsure: policy, channelState, trouble };
  const { state, errorCode, error, task, work, why } = overdueEnd(row, of, closing);
  const { ack, note } = task?.direction === "outbound" ? noticesFor(task.act, why) : {};
  const channelId = row.channelId as ChannelId;
  // The latest deadline is in place of its fence: it was not under way.
  const fence = closing ? Number.MAX_SAFE_INTEGER : now;
  const job = { id: row.id as Job["id"], fence, accountId: row.accountId as AccountId, channelId };
  const ended = { state, head: 0, fatalCrashes: 0, errorCode, error, updatedAt: now, endedAt: now };
  return {
    ...{ kind: "overdue", job, chat: row.chat ?? "", set: { ...ended, ...(ack && debtOf(ack, 0, now)) }, ack },
    note: channelState === "removed" ? undefined : note,
    after: task && settleFailed({ id: row.id, channelId, task, work }, now),
  };
}
