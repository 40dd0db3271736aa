import { and, asc, eq, gte, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../../domain/clock.ts";
import type { Task } from "../../../domain/delivery.ts";
import type { AccountId, JobId } from "../../../domain/ids.ts";
import type { DeadFilter, DeadLetter, DeadLetterDetails, DeadLetters } from "../../dead.ts";
import { ackJob, keyOf } from "../../lanes/jobs.ts";
import { contentOf } from "../../tables/contents.ts";
import { endedAs } from "../../tables/ended.ts";
import { channels, type MessageRow, messages } from "../../tables/schema.ts";
import { ENDED } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { writeAudit } from "../tables/engine.ts";
import { forget, sendAgain } from "./decisions.ts";

export function deadLetters(db: Database, clock: Clock): DeadLetters {
  return {
    list: async (filter) => rows(db, where(filter), filter.limit).map(({ row, name }) => toLetter(row, name)),
    show: async (id) => {
      const found = find(db, id);
      return found && toDetails(found.row, found.name);
    },
    accountOf: async (channelId) =>
      db.orm.select({ id: channels.accountId }).from(channels).where(eq(channels.id, channelId)).get()?.id,
    replay: (ids, patienceMs) => db.write(() => ids.filter((id) => replayOne(db, id, clock.now(), patienceMs)).length),
    drop: (ids) => db.write(() => ids.filter((id) => dropOne(db, id, clock.now())).length),
  };
}

const where = ({ state, accountId, channelId, ids, from, to }: DeadFilter): (SQL | undefined)[] => [
  state === "held" ? sql`message.state = 'held'` : sql`message.state <> 'held'`,
  accountId === undefined ? undefined : eq(messages.accountId, accountId),
  channelId === undefined ? undefined : eq(messages.channelId, channelId),
  ids && inArray(messages.id, ids),
  from === undefined ? undefined : gte(messages.updatedAt, from),
  to === undefined ? undefined : lte(messages.updatedAt, to),
];

const rows = (db: Database, conditions: (SQL | undefined)[], limit: number) =>
  db.orm
    .select({ row: messages, name: channels.name })
    .from(messages)
    .leftJoin(channels, eq(channels.id, messages.channelId))
    .where(and(ENDED, ...conditions))
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
const find = (db: Database, id: number) => rows(db, [eq(messages.id, id)], 1)[0];

function toLetter(row: MessageRow, name: string | null): DeadLetter {
  const { direction, state } = endedAs(row);
  const isAck = direction === "ack";
  const { task } = contentOf(row) ?? {};
  return {
    id: row.id,
    accountId: row.accountId,
    channelId: row.channelId,
    channel: name ?? "",
    ...{ direction, state },
    unreadable: isAck ? ackJob(row) === undefined : task === undefined,
    what: isAck ? "ack" : task ? whatOf(task) : "unreadable",
    chat: row.chat ?? "",
    attempts: isAck ? row.ackAttempts : row.attempts,
    code: row.errorCode ?? "general",
    error: (isAck ? row.ackError : row.error) ?? "",
    createdAt: row.createdAt,
    endedAt: row.updatedAt,
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

function toDetails(row: MessageRow, name: string | null): DeadLetterDetails {
  const letter = toLetter(row, name);
  const { task, work } = contentOf(row) ?? {};
  return {
    ...letter,
    key: keyOf(row),
    unsure: row.unsure,
    crashes: row.crashes,
    deadlineAt: row.deadlineAt,
    steps: work && { done: work.progress.done, all: work.plan.steps.length },
    payload: letter.direction === "ack" ? ackJob(row)?.task : task,
  };
}

function replayOne(db: Database, id: number, now: number, patienceMs: number): boolean {
  const row = find(db, id)?.row;
  if (!row || !sendAgain(db, row.accountId as AccountId, id as JobId, now, patienceMs)) return false;
  writeAudit(db, now, row.accountId, { actor: "operator", action: "message sent again", detail: detailOf(row) });
  return true;
}

function dropOne(db: Database, id: number, now: number): boolean {
  const row = find(db, id)?.row;
  if (!row) return false;
  forget(db, row);
  writeAudit(db, now, row.accountId, { actor: "operator", action: "message dropped", detail: detailOf(row) });
  return true;
}

const detailOf = (row: MessageRow) => ({ job: row.id, channel: row.channelId, ...endedAs(row) });
