import { type Ack, INBOUND_PATIENCE_MS, type Job } from "../../domain/delivery/delivery.ts";
import type { AccountId, ChannelId, JobId } from "../../domain/ids.ts";
import { columns } from "../tables/engine.ts";
import { contentOf } from "../tables/messages/contents.ts";
import { type MessageRow, messages } from "../tables/schema.ts";

// The job of a message's row, or of its ack.

const OF_JOB = [
  ...["id", "accountId", "channelId", "direction"],
  ...["crashes", "fatalCrashes", "updatedAt", "ackVersion"],
] as const;
const OF_MESSAGE = [
  ...["chat", "events", "album", "attempts", "unsure", "begun"],
  ...["deadlineAt", "fence", "doubtAt", "generation", "payload", "work"],
] as const;
const OF_ACK = ["ackBody", "ackAttempts", "ackDeadlineAt", "ackFence"] as const;
/** What the job of a message, or of an ack, is made of. */
export type MessageJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_MESSAGE)[number]>;
export type AckJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_ACK)[number]>;
export const MESSAGE_JOB = columns(messages, [...OF_JOB, ...OF_MESSAGE]);
export const ACK_JOB = columns(messages, [...OF_JOB, ...OF_ACK]);

export interface JobRows {
  acks: AckJobRow[];
  messages: MessageJobRow[];
}

/** Jobs of rows, and the rows whose content cannot be read. */
export function jobsOf({ acks, messages }: JobRows): { jobs: Job[]; unreadable: JobRows } {
  const unreadable: JobRows = { acks: [], messages: [] };
  const jobs: Job[] = [];
  for (const row of acks) {
    const job = ackJob(row);
    if (job) jobs.push(job);
    else unreadable.acks.push(row);
  }
  for (const row of messages) {
    const content = contentOf(row);
    if (content) jobs.push(messageJob(row, content));
    else unreadable.messages.push(row);
  }
  return { jobs, unreadable };
}

/** What the messenger knows its work by. */
export const keyOf = ({ id, generation }: Pick<MessageRow, "id" | "generation">) =>
  generation === 0 ? String(id) : `${id}-${generation}`;

/** What a job takes from a row besides its content. */
type MessageRef = Omit<MessageJobRow, "events" | "album" | "payload" | "work">;

export const messageJob = (row: MessageRef, { task, work }: Pick<Job, "task" | "work">): Job => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  direction: row.direction,
  lane: laneName(row),
  key: keyOf(row),
  attempts: row.attempts,
  unsure: row.unsure,
  crashes: row.crashes,
  fatalCrashes: row.fatalCrashes,
  begun: row.begun === 1,
  deadlineAt: row.deadlineAt,
  fence: row.fence,
  doubtAt: row.doubtAt ?? undefined,
  ackVersion: row.ackVersion,
  // Claims and recorded steps update it; takeovers do not.
  triedAt: row.updatedAt,
  task,
  work,
});

export type Lane = Pick<MessageRow, "channelId" | "direction" | "chat">;

export const laneName = ({ channelId, direction, chat }: Lane): string => `${channelId}/${direction}/${chat}`;

/** What a message owes the gateway. */
export type DebtColumns = Pick<
  MessageRow,
  "ack" | "ackAttempts" | "ackBody" | "ackVersion" | "ackError" | "ackAt" | "ackDeadlineAt"
>;

/** A new debt replaces an older one, of this version. */
export const debtOf = (ack: Ack, olderVersion: number, now: number): DebtColumns => ({
  ack: "due",
  ackAttempts: 0,
  ackBody: JSON.stringify(ack),
  ackVersion: olderVersion + 1,
  ackError: null,
  ackAt: now,
  ackDeadlineAt: now + INBOUND_PATIENCE_MS,
});

/** Undefined when its content is damaged. */
export function ackJob(row: AckJobRow): Job | undefined {
  const ack = parsed(row.ackBody);
  return typeof ack?.gatewayMessageId === "string" ? jobOfAck(row, ack) : undefined;
}

type AckColumns = Pick<AckJobRow, "id" | "accountId" | "channelId" | "crashes" | "fatalCrashes" | "updatedAt"> &
  Pick<MessageRow, "ackVersion" | "ackAttempts" | "ackDeadlineAt" | "ackFence">;

export function jobOfAck(row: AckColumns, ack: Ack): Job {
  const { id, accountId, channelId } = row;
  return {
    id: id as JobId,
    accountId: accountId as AccountId,
    channelId: channelId as ChannelId,
    direction: "ack",
    lane: `${channelId}/ack/${id}`,
    key: `ack ${id}`,
    ackVersion: row.ackVersion,
    attempts: row.ackAttempts,
    unsure: 0,
    crashes: row.crashes,
    fatalCrashes: row.fatalCrashes,
    begun: false,
    deadlineAt: row.ackDeadlineAt ?? 0,
    fence: row.ackFence ?? 0,
    triedAt: row.updatedAt,
    task: { direction: "ack", ack },
  };
}

function parsed(body: string | null): Ack | undefined {
  try {
    return JSON.parse(body ?? "") as Ack;
  } catch {
    return undefined;
  }
}
