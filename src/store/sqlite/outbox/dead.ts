import { and, asc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../../domain/clock.ts";
import type { Task } from "../../../domain/delivery.ts";
import type { AccountId, JobId } from "../../../domain/ids.ts";
import type { DeadFilter, DeadLetter, DeadLetterDetails, DeadLetters } from "../../dead.ts";
import type { Database } from "../database/db.ts";
import { channels, type JobRow, jobs } from "../database/schema.ts";
import { writeAudit } from "../tables/audit.ts";
import { contentOf, ENDED } from "../tables/queue.ts";
import { bookEnd } from "../tables/tally.ts";
import { sendAgain } from "./ended.ts";

export function deadLetters(db: Database, clock: Clock): DeadLetters {
  return {
    list: async (filter) => rows(db, where(filter), filter.limit).map(({ job, name }) => toLetter(job, name)),
    show: async (id) => {
      const found = find(db, id);
      return found && toDetails(found.job, found.name);
    },
    accountOf: async (channelId) =>
      db.orm.select({ id: channels.accountId }).from(channels).where(eq(channels.id, channelId)).get()?.id,
    replay: (ids, patienceMs) => db.write(() => ids.filter((id) => replayOne(db, id, clock.now(), patienceMs)).length),
    drop: (ids) => db.write(() => ids.filter((id) => dropOne(db, id, clock.now())).length),
  };
}

const where = ({ state, accountId, channelId, ids, from, to }: DeadFilter): (SQL | undefined)[] => [
  eq(jobs.state, state),
  accountId === undefined ? undefined : eq(jobs.accountId, accountId),
  channelId === undefined ? undefined : eq(jobs.channelId, channelId),
  ids && inArray(jobs.id, ids),
  from === undefined ? undefined : gte(jobs.updatedAt, from),
  to === undefined ? undefined : lte(jobs.updatedAt, to),
];

const rows = (db: Database, conditions: (SQL | undefined)[], limit: number) =>
  db.orm
    .select({ job: jobs, name: channels.name })
    .from(jobs)
    .leftJoin(channels, eq(channels.id, jobs.channelId))
    .where(and(ENDED, ...conditions))
    // A job that was resent keeps its original position.
    .orderBy(asc(sql`coalesce(${jobs.origin}, ${jobs.id})`), asc(jobs.id))
    .limit(limit)
    .all();
const find = (db: Database, id: number) => rows(db, [eq(jobs.id, id)], 1)[0];

function toLetter(job: JobRow, name: string | null): DeadLetter {
  const task = contentOf(job)?.task;
  return {
    id: job.id,
    accountId: job.accountId,
    channelId: job.channelId,
    channel: name ?? "",
    direction: job.direction,
    state: job.state as "dead" | "held",
    unreadable: task === undefined,
    what: task ? whatOf(task) : "unreadable",
    chat: task?.direction === "inbound" ? task.event.chat : task?.direction === "outbound" ? task.act.chat : "",
    attempts: job.attempts,
    code: job.errorCode ?? "general",
    error: job.error ?? "",
    createdAt: job.createdAt,
    endedAt: job.updatedAt,
  };
}

function whatOf(task: Task): string {
  if (task.direction === "ack") return "ack";
  const subject = task.direction === "inbound" ? task.event : task.act;
  if (subject.type !== "message") return subject.type;
  const { content } = subject;
  const files = "files" in content ? `, ${content.files.length} file${content.files.length === 1 ? "" : "s"}` : "";
  return `message, ${content.type}${files}`;
}

function toDetails(job: JobRow, name: string | null): DeadLetterDetails {
  const { task, work } = contentOf(job) ?? {};
  return {
    ...toLetter(job, name),
    key: String(job.origin ?? job.id),
    unsure: job.unsure,
    crashes: job.crashes,
    deadlineAt: job.deadlineAt,
    steps: work && { done: work.progress.done, all: work.plan.steps.length },
    payload: task,
  };
}

function replayOne(db: Database, id: number, now: number, patienceMs: number): boolean {
  const row = find(db, id)?.job;
  if (!row || !sendAgain(db, row.accountId as AccountId, id as JobId, now, patienceMs)) return false;
  writeAudit(db, now, row.accountId, { actor: "operator", action: "message sent again", detail: detailOf(row) });
  return true;
}

function dropOne(db: Database, id: number, now: number): boolean {
  const row = find(db, id)?.job;
  if (!row) return false;
  // The ledger counts held jobs as waiting, dead ones as refused already.
  if (row.state === "held") bookEnd(db, row, "refused");
  db.orm.delete(jobs).where(eq(jobs.id, id)).run();
  writeAudit(db, now, row.accountId, { actor: "operator", action: "message dropped", detail: detailOf(row) });
  return true;
}

const detailOf = ({ id, channelId, direction, state }: JobRow) => ({ job: id, channel: channelId, direction, state });
