import { and, asc, eq, gt, lt, type SQLWrapper, sql } from "drizzle-orm";
import { type Ack, INBOUND_PATIENCE_MS, type Job, type Task } from "../../../domain/delivery.ts";
import type { ChannelId, ChatId, MessengerMessageId } from "../../../domain/ids.ts";
import type { Work } from "../../../domain/plan.ts";
import { type Database, type Orm, upTo } from "../database/db.ts";
import { type JobRow, jobs } from "../database/schema.ts";
import { book } from "./tally.ts";

/** Exactly as in the index `job_lane`: with bound values SQLite would scan the table instead. */
export const LIVE = sql`${jobs.state} IN ('ready','sending','waiting')`;

/** Exactly as in the partial index, for the same reason. */
export const ENDED = sql`${jobs.state} IN ('held','dead')`;

/** Ids of an account's live jobs, by the lanes of its channels: no index covers an account's jobs in all states. */
export const liveOfAccount = (account: SQLWrapper | string) =>
  sql`SELECT job.id FROM channel CROSS JOIN job INDEXED BY job_lane
    ON job.lane > channel.id || '/' AND job.lane < channel.id || '0'
    WHERE channel.account_id = ${account} AND ${LIVE}`;
/** The live jobs of a channel: lane names start with its id ("0" is the character after "/"). */
export const liveOfChannel = (channelId: string) =>
  and(gt(jobs.lane, `${channelId}/`), lt(jobs.lane, `${channelId}0`), LIVE);

/** A job's task and progress; undefined when the row is damaged. */
export function contentOf({ payload, work }: Pick<JobRow, "payload" | "work">): Pick<Job, "task" | "work"> | undefined {
  try {
    const content = { task: JSON.parse(payload) as Task, work: work === null ? undefined : (JSON.parse(work) as Work) };
    return isTask(content.task) && isWork(content.work) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Minimal, because it runs for every claim. May throw TypeError on other JSON. */
function isTask(task: Task): boolean {
  if (task.direction === "ack") return typeof task.ack.gatewayMessageId === "string";
  if (task.direction !== "inbound" && task.direction !== "outbound") return false;
  const subject = task.direction === "inbound" ? task.event : task.act;
  if (typeof subject.type !== "string" || typeof subject.chat !== "string") return false;
  if (subject.type !== "message") return true;
  const { content } = subject;
  return typeof content.type === "string" && (!("files" in content) || Array.isArray(content.files));
}

const isWork = (work: Work | undefined): boolean =>
  work === undefined || (Array.isArray(work.plan.steps) && typeof work.progress.done === "number");

const at = sql.placeholder;
const statements = (orm: Orm) => {
  const inLane = and(eq(jobs.lane, at("lane")), LIVE);
  // A job is the head of its lane if the lane has no live job.
  const head = sql`NOT EXISTS (SELECT 1 FROM job WHERE ${inLane})`;
  const owner = { accountId: at("accountId"), channelId: at("channelId"), lane: at("lane"), head };
  const content = { direction: at("direction"), payload: at("payload"), work: at("work"), album: at("album") };
  const times = { runAt: at("runAt"), deadlineAt: at("deadlineAt"), createdAt: at("now"), updatedAt: at("now") };
  return {
    oldest: orm
      .select({ id: jobs.id, runAt: jobs.runAt })
      .from(jobs)
      .where(inLane)
      .orderBy(asc(jobs.id))
      .limit(upTo(1))
      .prepare(),
    // Due now at the earliest, hence behind heads already due: a long chat takes turns with the others.
    promote: orm
      .update(jobs)
      .set({ head: 1, runAt: sql`max(${jobs.runAt}, ${at("now")})` })
      .where(eq(jobs.id, at("id")))
      .prepare(),
    add: orm
      .insert(jobs)
      .values({
        ...owner,
        ...content,
        ...times,
        origin: at("origin"),
        known: at("known"),
        events: at("events"),
        state: "ready",
      })
      .prepare(),
  };
};

export type NewJob = Pick<JobRow, "accountId" | "channelId" | "lane" | "deadlineAt"> &
  Partial<Pick<JobRow, "origin" | "work" | "album" | "runAt" | "events" | "known">> & { payload: Task };

/** A chat's lane: its jobs of one direction run one at a time. */
export const lane = (channelId: string, direction: Job["direction"], chat: string) =>
  `${channelId}/${direction}/${chat}`;

/** Appends a job to its lane. Call `admit` first where a refusal is possible. */
export function enqueue(db: Database, now: number, job: NewJob): void {
  const { direction } = job.payload;
  const defaults = { origin: null, work: null, album: null, runAt: now, events: 0, known: 0 };
  const payload = JSON.stringify(job.payload);
  db.statements(statements).add.run({ ...defaults, ...job, direction, payload, now });
  db.pressure.added({ ...job, direction });
}

/** After a job's end: makes the next job of its lane the head. */
export function advance(
  db: Database,
  job: Pick<JobRow, "accountId" | "channelId" | "direction" | "lane">,
  now: number,
): void {
  db.pressure.ended(job);
  const { oldest, promote } = db.statements(statements);
  const next = oldest.get({ lane: job.lane });
  if (next) promote.run({ id: next.id, now });
}

export function enqueueAck(db: Database, now: number, job: Pick<JobRow, "accountId" | "channelId">, ack: Ack): void {
  book(db, { id: job.channelId, accountId: job.accountId }, { acksOwed: 1 });
  enqueue(db, now, {
    accountId: job.accountId,
    channelId: job.channelId,
    lane: lane(job.channelId, "ack", ack.gatewayMessageId),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "ack", ack },
  });
}

/** When the ack of a message is due, ms; undefined when none is owed. */
export const ackDue = (db: Database, channelId: string, gatewayMessageId: string): number | undefined =>
  db.statements(statements).oldest.get({ lane: lane(channelId, "ack", gatewayMessageId) })?.runAt;

/** Whether work under way in a chat replaces this message with a new one. */
export function isBeingReplaced(db: Database, channelId: ChannelId, chat: ChatId, id: MessengerMessageId): boolean {
  const rows = db.orm
    .select({ payload: jobs.payload, work: jobs.work })
    .from(jobs)
    .where(and(eq(jobs.lane, lane(channelId, "outbound", chat)), LIVE))
    .all();
  const steps = rows.flatMap((row) => contentOf(row)?.work?.plan.steps ?? []);
  return steps.some((step) => step.do === "send" && step.instead?.messengerMessageId === id);
}
