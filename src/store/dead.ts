import { and, asc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../domain/clock.ts";
import type { Task } from "../domain/delivery.ts";
import type { AccountId, JobId } from "../domain/ids.ts";
import { writeAudit } from "./audit.ts";
import type { Database } from "./db.ts";
import { hasEnded, sendAgain } from "./ended.ts";
import { contentOf, type JobRow } from "./queue.ts";
import { channels, jobs } from "./schema.ts";
import { bookEnd } from "./tally.ts";

export interface DeadFilter {
  state: "dead" | "held";
  accountId?: string;
  channelId?: string;
  ids?: number[];
  /** When it ended; both ends are in it, ms. */
  from?: number;
  to?: number;
  most: number;
}

/** A message that was not delivered, without its words. */
export interface DeadLetter {
  id: number;
  accountId: string;
  channelId: string;
  channel: string;
  direction: JobRow["direction"];
  state: "dead" | "held";
  /** Its row is damaged: neither what it is nor its chat is known, and it can only be dropped. */
  unreadable: boolean;
  /** What it is, for example `message, image, 3 files`; `unreadable` where nobody knows. */
  what: string;
  chat: string;
  attempts: number;
  code: string;
  error: string;
  createdAt: number;
  endedAt: number;
}
export interface DeadLetterWhole extends DeadLetter {
  /** The idempotency key that it keeps when it is sent again. */
  key: string;
  unsure: number;
  crashes: number;
  deadlineAt: number;
  /** Of outbound work: steps that are done, and all. */
  steps?: { done: number; all: number };
  /** With the words of the message; absent where they cannot be read. */
  payload?: unknown;
}

/** Messages that were not delivered: for an operator, over all accounts. */
export interface DeadLetters {
  /** In the order in which they were accepted. */
  list(filter: DeadFilter): Promise<DeadLetter[]>;
  show(id: number): Promise<DeadLetterWhole | undefined>;
  /** The account of a channel, also of one that was removed; undefined when there never was one. */
  accountOf(channelId: string): Promise<string | undefined>;
  /**
   * Appends these at the end of their lanes, in the order given, with a line in the audit each; resolves with how many.
   * One that cannot be read stays as it is.
   */
  replay(ids: number[], patienceMs: number): Promise<number>;
  /** Deletes these, with a line in the audit each; they stay counted as refused. */
  drop(ids: number[]): Promise<number>;
}

export function deadLetters(db: Database, clock: Clock): DeadLetters {
  return {
    list: async (filter) => rows(db, where(filter), filter.most).map(({ job, name }) => toLetter(job, name)),
    show: async (id) => {
      const found = find(db, id);
      return found && toWhole(found.job, found.name);
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

const rows = (db: Database, conditions: (SQL | undefined)[], most: number) =>
  db.orm
    .select({ job: jobs, name: channels.name })
    .from(jobs)
    .leftJoin(channels, eq(channels.id, jobs.channelId))
    .where(and(hasEnded, ...conditions))
    // One that was sent again before stands where it stood at first.
    .orderBy(asc(sql`coalesce(${jobs.origin}, ${jobs.id})`), asc(jobs.id))
    .limit(most)
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
  const said = task.direction === "inbound" ? task.event : task.act;
  if (said.type !== "message") return said.type;
  const { content } = said;
  const files = "files" in content ? `, ${content.files.length} file${content.files.length === 1 ? "" : "s"}` : "";
  return `message, ${content.type}${files}`;
}

function toWhole(job: JobRow, name: string | null): DeadLetterWhole {
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
  // A held one counts as waiting until now; a dead one is counted as refused already.
  if (row.state === "held") bookEnd(db, row, "refused");
  db.orm.delete(jobs).where(eq(jobs.id, id)).run();
  writeAudit(db, now, row.accountId, { actor: "operator", action: "message dropped", detail: detailOf(row) });
  return true;
}

const detailOf = ({ id, channelId, direction, state }: JobRow) => ({ job: id, channel: channelId, direction, state });
