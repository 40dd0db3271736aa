import { and, eq } from "drizzle-orm";
import { INBOUND_PATIENCE_MS } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, JobId, MessengerMessageId } from "../../../domain/ids.ts";
import type { OutboundAct } from "../../../domain/message.ts";
import { changesOf } from "../../../domain/revision.ts";
import type { Progress, Work } from "../../../domain/work.ts";
import type { Arrived } from "../../outbox.ts";
import { contentOf } from "../../tables/contents.ts";
import { addParts, changeParts, firstPart } from "../../tables/messages.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { ENDED, isOwed } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { newDebt, oweAgain } from "../tables/acks.ts";
import { runNow } from "../tables/engine.ts";
import { requeue } from "../tables/lanes.ts";
import { bookEnd } from "../tables/tally.ts";
import { addEvent } from "./accepting.ts";
import { anew, overtaken, undelivered } from "./late.ts";

// A person's decisions on messages that have ended.

function find(db: Database, accountId: AccountId, id: JobId): MessageRow | undefined {
  if (db.erasing.covers(id)) return undefined;
  return db.orm
    .select()
    .from(messages)
    .where(and(eq(messages.id, id), eq(messages.accountId, accountId), ENDED))
    .get();
}

/** Appends the work to the end of its lane again; finished steps are not repeated. */
export function sendAgain(db: Database, accountId: AccountId, id: JobId, now: number, patienceMs: number): boolean {
  const row = find(db, accountId, id);
  if (!row) return false;
  if (row.state !== "held" && row.state !== "dead") {
    oweAgain(db, row, now);
    return true;
  }
  if (!contentOf(row)) return false;
  if (row.state === "dead") bookEnd(db, row, "refused", -1);
  const patience = row.direction === "outbound" ? patienceMs : INBOUND_PATIENCE_MS;
  const left = row.lateAt === null ? { work: row.work, doubtAt: row.doubtAt } : anew(db, row);
  requeue(db, row, { deadlineAt: now + patience, ...left }, now);
  forgetRefusedAck(db, row);
  return true;
}

/** Its new end owes an ack of its own. */
function forgetRefusedAck(db: Database, { id, ack }: MessageRow): void {
  if (ack !== "refused") return;
  db.orm.update(messages).set({ ack: null, ackBody: null, ackError: null }).where(eq(messages.id, id)).run();
}

/** The step in doubt succeeded: requeues the remaining steps, or completes the message if there are none. */
export function arrived(
  db: Database,
  accountId: AccountId,
  id: JobId,
  { patienceMs, text }: Arrived,
  now: number,
): boolean {
  const row = find(db, accountId, id);
  const content = row?.state === "held" ? contentOf(row) : undefined;
  if (!row || content?.task.direction !== "outbound") return false;
  const { work, task } = content;
  if (work && work.progress.done + 1 < work.plan.steps.length)
    requeue(db, row, { deadlineAt: now + patienceMs, work: remaining(work), doubtAt: null }, now);
  else complete(db, row, task.act, work, text, now);
  return true;
}

function remaining({ plan, progress }: Work): string {
  const next: Progress = { ...progress, done: progress.done + 1 };
  return JSON.stringify({ plan, progress: next });
}

function complete(
  db: Database,
  row: MessageRow,
  act: OutboundAct,
  work: Work | undefined,
  text: Arrived["text"],
  now: number,
): void {
  // The step in doubt succeeded.
  const known = work && changesOf({ ...work, progress: { ...work.progress, done: work.progress.done + 1 } });
  const { parts = [], removed = [] } = known ?? {};
  const channelId = row.channelId as ChannelId;
  const messengerMessageId = parts[0]?.messengerMessageId;
  const isMessage = act.type === "message";
  const ids = isMessage ? firstPart(parts) : {};
  const failure = isMessage ? overtaken(db, { channelId, chat: act.chat }, parts) : undefined;
  const debt =
    isMessage && messengerMessageId
      ? newDebt(db, row, { gatewayMessageId: act.gatewayMessageId, messengerMessageId, error: failure?.error }, now)
      : undefined;
  const end = failure ? undelivered(failure.error, now) : { state: "done" as const, error: null, errorCode: null };
  db.orm
    .update(messages)
    .set({ ...end, updatedAt: now, endedAt: now, ...ids, ...debt?.columns })
    .where(eq(messages.id, row.id))
    .run();
  debt?.book();
  bookEnd(db, row, failure ? "refused" : "delivered");
  failure?.forget(now);
  if (act.type === "edited") runNow(db, changeParts(channelId, act.messengerMessageId, { parts, removed }, now));
  if (!isMessage) return;
  runNow(db, addParts({ id: row.id, channelId }, parts.slice(1), 1, now));
  if (messengerMessageId) return;
  const key = `arrived:${act.gatewayMessageId}` as MessengerMessageId;
  const note = {
    type: "note" as const,
    key,
    chat: act.chat,
    messengerMessageId: key,
    at: now,
    text: text(channelId, act),
  };
  addEvent(db, { id: channelId, accountId: row.accountId as AccountId }, note, now, 0);
}

/** Given up; the agent's notice stands. */
export function dropped(db: Database, accountId: AccountId, id: JobId, now: number): boolean {
  const row = find(db, accountId, id);
  if (row?.state !== "held") return false;
  const error = "given up by a person: it may have arrived";
  const dead = { state: "dead" as const, error, errorCode: "general", updatedAt: now, endedAt: now };
  db.orm.update(messages).set(dead).where(eq(messages.id, id)).run();
  bookEnd(db, row, "refused");
  return true;
}

/** Taken off the list by a person. */
export function discarded(db: Database, accountId: AccountId, id: JobId): boolean {
  const row = find(db, accountId, id);
  if (!row || row.state === "held") return false;
  forget(db, row);
  return true;
}

/** No longer listed. Only its ids and its key stay, until no repeat is possible. */
export function forget(db: Database, row: MessageRow): void {
  // The ledger counts held messages as waiting, dead ones as refused already.
  if (row.state === "held") bookEnd(db, row, "refused");
  const state = row.state === "held" || row.state === "dead" ? "dropped" : row.state;
  const ack = isOwed(row.ack) ? {} : { ack: null, ackBody: null, ackError: null };
  db.orm
    .update(messages)
    .set({ state, payload: null, work: null, tries: null, ackTries: null, ...ack })
    .where(eq(messages.id, row.id))
    .run();
}
