import type { Job, NextState } from "../../domain/delivery.ts";
import type { Closing, Outcome, Overdue } from "../outbox.ts";
import { contentOf } from "../tables/contents.ts";
import { firstPart } from "../tables/messages.ts";
import type { MessageRow } from "../tables/schema.ts";

// The columns of a message by what has become of it.

type Columns = Partial<MessageRow>;
type Ending = Columns & Pick<MessageRow, "state">;

/** Its ids at the other side. */
export function idsOf({ task }: Job, { gatewayMessageId, parts = [] }: Outcome): Columns {
  if (task.direction === "inbound")
    return task.event.type === "message" && gatewayMessageId ? { gatewayMessageId } : {};
  return task.direction === "outbound" && task.act.type === "message" ? firstPart(parts) : {};
}

/** Keeps a doubt, and how far the work is. */
const doubtOf = ({ doubtAt, work }: Job): Columns =>
  doubtAt === undefined ? {} : { doubtAt, ...(work && { work: JSON.stringify(work) }) };

type Again = Extract<NextState, { state: "ready" }>;

/** To be tried again. `waiting`: once a person has fixed the credentials. */
export function againColumns(job: Job, next: Again, state: "ready" | "waiting", error: string, now: number): Columns {
  const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
  const { crashes, fatalCrashes } = job;
  const { runAt, unsure } = next;
  return {
    state,
    runAt,
    attempts,
    unsure,
    crashes,
    fatalCrashes,
    error,
    tries: error,
    updatedAt: now,
    ...doubtOf(job),
  };
}

/** Given up, or for a person to decide. */
export function failedColumns(job: Job, next: Exclude<NextState, Again>, error: string): Ending {
  const errorCode = next.state === "dead" ? next.code : "general";
  const unsure = next.state === "held" ? next.unsure : job.unsure;
  return { state: next.state, errorCode, error, tries: error, unsure, ...doubtOf(job) };
}

type OverdueRow = Pick<MessageRow, "id" | "unsure" | "error" | "direction" | "payload" | "work">;
/** Null of a channel that is gone. */
interface ChannelOf {
  unsure: "resend" | "hold" | null;
  channelState: string | null;
  trouble: string | null;
}

/** How a message ends that was not sent in time, or whose channel is closing, and what it was. */
export function overdueEnd(row: OverdueRow, { unsure, channelState, trouble }: ChannelOf, closing?: Closing) {
  const { task, work } = contentOf(row) ?? {};
  if (closing) {
    const why: Overdue = { unsure: row.unsure > 0, error: closing.error, work, key: String(row.id) };
    return { state: "dead" as const, errorCode: "general", error: closing.error, task, work, why };
  }
  const stopped = channelState === "stopped" ? (trouble ?? undefined) : undefined;
  const paused = channelState === "paused" ? "the channel was paused" : undefined;
  const why: Overdue = {
    ...{ unsure: row.unsure > 0, error: paused ?? row.error ?? undefined, stopped, work, key: String(row.id) },
  };
  return {
    // A message that may have arrived is a person's decision, even when overdue.
    state: row.unsure > 0 && unsure === "hold" ? ("held" as const) : ("dead" as const),
    errorCode: stopped === undefined ? "general" : "access_restricted",
    error: stopped ?? paused ?? row.error ?? "its deadline passed before it could be sent",
    ...{ task, work, why },
  };
}
