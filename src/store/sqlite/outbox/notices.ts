import type { Job } from "../../../domain/delivery.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import { changesOf } from "../../../domain/revision.ts";
import type { AgentNote, Notices } from "../../outbox.ts";
import type { Database } from "../database/db.ts";
import { partsOf, settleMessage } from "../tables/messages.ts";
import { enqueueAck } from "../tables/queue.ts";
import { enqueueEvent } from "./accepting.ts";

/** Call in the transaction that ends the job. */
export function enqueueNotices(
  db: Database,
  job: Pick<Job, "accountId" | "channelId">,
  { ack, note }: Notices,
  now: number,
): void {
  if (ack) enqueueAck(db, now, job, ack);
  if (note)
    enqueueEvent(db, { id: job.channelId, accountId: job.accountId }, withWords(db, job.channelId, note), now, 0);
}

/** An unplanned change has only the message's id: add the start of its text from the stored parts. */
function withWords(db: Database, channelId: ChannelId, note: AgentNote): AgentNote {
  if (note.type !== "unchanged" || note.change.words || note.change.seen === "partly") return note;
  const words = partsOf(db, channelId, note.of).find((part) => part.words)?.words;
  return { ...note, change: { ...note.change, words } };
}

/** Stores the changes that an edit made before it failed. */
export function settleFailed(db: Database, job: Pick<Job, "channelId" | "task" | "work">, now: number): void {
  const { task, work } = job;
  if (work && task.direction === "outbound" && task.act.type === "edited") settleMessage(db, job, changesOf(work), now);
}
