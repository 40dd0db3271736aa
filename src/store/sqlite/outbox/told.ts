import type { Job } from "../../../domain/delivery.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import { changesOf } from "../../../domain/revision.ts";
import type { LineForAgent, Told } from "../../outbox.ts";
import type { Database } from "../database/db.ts";
import { partsOf, settleMessage } from "../tables/messages.ts";
import { enqueueAck } from "../tables/queue.ts";
import { enqueueEvent } from "./accepting.ts";

/** In the transaction that ends the job. */
export function tell(db: Database, job: Pick<Job, "accountId" | "channelId">, { ack, note }: Told, now: number): void {
  if (ack) enqueueAck(db, now, job, ack);
  if (note) enqueueEvent(db, { id: job.channelId, accountId: job.accountId }, named(db, job.channelId, note), now, 0);
}

/** A change that was never planned knows its message by the id only: the rows know how it begins. */
function named(db: Database, channelId: ChannelId, note: LineForAgent): LineForAgent {
  if (note.type !== "unchanged" || note.change.words || note.change.seen === "partly") return note;
  const words = partsOf(db, channelId, note.of).find((part) => part.words)?.words;
  return { ...note, change: { ...note.change, words } };
}

/** Keeps what an edit has made of its message before it failed. */
export function settleFailed(db: Database, job: Pick<Job, "channelId" | "task" | "work">, now: number): void {
  const { task, work } = job;
  if (work && task.direction === "outbound" && task.act.type === "edited") settleMessage(db, job, changesOf(work), now);
}
