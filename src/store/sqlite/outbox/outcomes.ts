import { and, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Job, NextState } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { changesOf } from "../../../domain/revision.ts";
import { type Overtaken, overtaken, undelivered } from "../../ended/late.ts";
import { againColumns, failedColumns, idsOf, overdueEnd } from "../../lanes/ends.ts";
import { jobOfAck, type MessageJobRow } from "../../lanes/jobs.ts";
import type { Notices, Outbox, Outcome } from "../../outbox.ts";
import { upTo } from "../../tables/engine.ts";
import { addParts, changeParts, partsOf } from "../../tables/messages.ts";
import { accounts, channels, type MessageRow, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { newDebt } from "../tables/acks.ts";
import { dropsErased } from "../tables/dropping.ts";
import { runNow, transactionOf } from "../tables/engine.ts";
import { keptTries } from "../tables/lanes.ts";
import { bookEnd } from "../tables/tally.ts";
import { addEvent } from "./accepting.ts";
import { maySend } from "./claims.ts";
import { hasSlot, type Leaving } from "./leaving.ts";

// The end of a message's delivery: one update of its row, which records the result, the ids and the ack it owes.

const at = sql.placeholder;
/** Overdue messages ended per transaction. */
const MAX_EXPIRED = 200;
const endingBy = (orm: Orm, where: SQL) =>
  orm
    .select({ row: messages, unsure: channels.unsure, channelState: channels.state, trouble: channels.trouble })
    .from(messages)
    .leftJoin(channels, eq(channels.id, messages.channelId))
    .where(and(where, sql`message.state IN ('ready','waiting')`, eq(messages.direction, "outbound")))
    .limit(upTo(MAX_EXPIRED))
    .prepare();
const statements = (orm: Orm) => ({
  clearTrouble: orm
    .update(accounts)
    .set({ trouble: null, restUntil: 0 })
    .where(and(eq(accounts.id, at("account")), sql`${accounts.trouble} IS NOT NULL`))
    .prepare(),
  troubled: orm.select({ id: accounts.id }).from(accounts).where(isNotNull(accounts.trouble)).prepare(),
  overdue: endingBy(orm, lte(messages.deadlineAt, at("now"))),
  closing: endingBy(orm, eq(messages.channelId, at("channelId"))),
});

/** Updates a message in `sending`; false when the lease is stale, or the message is being erased. */
export const settle = (db: Database, job: Job, set: Partial<MessageRow>): boolean => update(db, job, set) !== undefined;

/** An id that another message has: that one keeps it, as after a restored backup, or when a messenger echoes our own message. */
const unlessTaken = (column: string, name: string) => `iif(EXISTS (SELECT 1 FROM message AS other
  WHERE other.channel_id = message.channel_id AND other.${column} = @${name}), ${column}, @${name})`;
const EXPRESSIONS: Record<string, string> = {
  gatewayMessageId: unlessTaken("gateway_message_id", "gatewayMessageId"),
  messengerMessageId: unlessTaken("messenger_message_id", "messengerMessageId"),
  tries: `json_insert(${keptTries("tries")}, '$[#]', json_array(@updatedAt, @tries))`,
};
const ENDED_ROW =
  "id, account_id AS accountId, channel_id AS channelId, direction, kind, chat, events, album, state, crashes";
type EndedRow = Pick<
  MessageRow,
  "id" | "accountId" | "channelId" | "direction" | "kind" | "chat" | "events" | "album" | "state" | "crashes"
>;

/** By the names of the columns: each text is built once. */
const updates = new Map<string, string>();

function updateOf(names: (keyof MessageRow)[]): string {
  const columns = names.map((name) => `${messages[name].name} = ${EXPRESSIONS[name] ?? `@${name}`}`);
  return `UPDATE message SET ${columns} WHERE id = @id AND state = 'sending' AND fence = @fence RETURNING ${ENDED_ROW}`;
}

/** `set` is the caller's own: it becomes the statement's parameters, since Node copies objects slowly. */
function update(db: Database, { id, fence }: Job, set: Partial<MessageRow>): EndedRow | undefined {
  if (db.erasing.covers(id)) return undefined;
  const names = (Object.keys(set) as (keyof MessageRow)[]).filter((name) => set[name] !== undefined);
  const key = names.join();
  const text = updates.get(key) ?? updateOf(names);
  updates.set(key, text);
  Object.assign(set, { id, fence });
  return db.prepared(text).get(set) as EndedRow | undefined;
}

/** Ends a message with its notices. False when the lease is stale: nothing was recorded. */
function end(
  db: Database,
  job: Job,
  set: Partial<MessageRow> & Pick<MessageRow, "state">,
  { ack, note }: Notices,
  now: number,
  leaving?: Leaving,
): boolean {
  const { accountId, channelId, id, ackVersion = 0 } = job;
  const leaves = ack && leaving && hasSlot(leaving) && maySend(db, { accountId, channelId, direction: "ack" }, now);
  const fence = leaves ? leaving.held.lease.fence : undefined;
  const debt = ack && newDebt(db, { id, accountId, channelId, ackVersion }, ack, now, fence);
  // Its ack is not to blame for the crashes before.
  const ended = Object.assign({ head: 0, fatalCrashes: 0, updatedAt: now, endedAt: now }, set, debt?.columns);
  const row = update(db, job, ended);
  if (!row) return false;
  debt?.book();
  if (leaves && debt) {
    const of = { id, accountId, channelId, crashes: row.crashes, fatalCrashes: 0, updatedAt: now };
    leaving.jobs.push(jobOfAck(Object.assign(of, debt.columns), ack));
  }
  db.pressure.ended(row);
  // The ledger counts held messages as waiting.
  if (row.state === "held") db.versions.bump(row.accountId);
  else bookEnd(db, row, row.state === "done" ? "delivered" : "refused");
  if (note) addEvent(db, { id: channelId, accountId }, withWords(db, channelId, note), now, 0);
  return true;
}

/** An unplanned change has only the message's id: add the start of its text from the stored parts. */
function withWords<Note extends Notices["note"]>(db: Database, channelId: ChannelId, note: NonNullable<Note>) {
  if (note.type !== "unchanged" || note.change.words || note.change.seen === "partly") return note;
  const words = runNow(db, partsOf(channelId, note.of)).find((part) => part.words)?.words;
  return { ...note, change: { ...note.change, words } };
}

export function recordDone(db: Database, job: Job, outcome: Outcome, now: number, leaving?: Leaving): boolean {
  const { task } = job;
  const ids = idsOf(job, outcome);
  const failure = overtakenBy(db, job, outcome);
  const set = failure
    ? { ...undelivered(failure.error, now), tries: failure.error.message, ...ids }
    : { state: "done" as const, error: null, errorCode: null, ...ids };
  const notices = failure ? { ...outcome, ack: outcome.ack && { ...outcome.ack, error: failure.error } } : outcome;
  if (!end(db, job, set, notices, now, leaving)) return false;
  if (failure) runNow(db, failure.forget(now));
  if (task.direction === "outbound") saveParts(db, job, outcome, now);
  else clearTrouble(db, job.accountId);
  return true;
}

/** The messenger may have given it up before it answered our call. */
const overtakenBy = (db: Database, { task, channelId }: Job, { parts }: Outcome): Overtaken | undefined =>
  task.direction === "outbound" && task.act.type === "message"
    ? runNow(db, overtaken(transactionOf(db), { channelId, chat: task.act.chat }, parts))
    : undefined;

/** A call with the account's token has passed. */
export function clearTrouble(db: Database, account: AccountId): void {
  const troubled = db.rows.find(
    "accounts",
    "troubled",
    () =>
      new Set(
        db
          .statements(statements)
          .troubled.all()
          .map(({ id }) => id),
      ),
  );
  if (!troubled?.has(account)) return;
  db.statements(statements).clearTrouble.run({ account });
}

type Changes = Pick<Outcome, "parts" | "removed">;
type Sent = Pick<Job, "channelId" | "task" | "work"> & { id: number };

function saveParts(db: Database, { id, channelId, task }: Sent, { parts = [], removed }: Changes, now: number): void {
  if (task.direction !== "outbound") return;
  if (task.act.type === "message" && parts.length > 1) runNow(db, addParts({ id, channelId }, parts.slice(1), 1, now));
  if (task.act.type === "edited")
    runNow(db, changeParts(channelId, task.act.messengerMessageId, { parts, removed }, now));
}

/** Stores the changes that an edit made before it failed. */
function settleFailed(db: Database, job: Sent, now: number): void {
  const { task, work } = job;
  if (work && task.direction === "outbound" && task.act.type === "edited") saveParts(db, job, changesOf(work), now);
}

const isStopped = ({ orm }: Database, { direction, channelId }: Job): boolean =>
  direction === "outbound" &&
  orm.select({ state: channels.state }).from(channels).where(eq(channels.id, channelId)).get()?.state === "stopped";

export function recordFailure(
  db: Database,
  job: Job,
  next: NextState,
  error: string,
  now: number,
  notices: Notices = {},
): boolean {
  if (next.state === "ready") {
    // Outbound messages of a stopped channel wait for a person. If it was resumed or removed meanwhile, they run again.
    const state = "stopLanes" in next && isStopped(db, job) ? "waiting" : "ready";
    return settle(db, job, againColumns(job, next, state, error, now));
  }
  if (!end(db, job, failedColumns(job, next, error), notices, now)) return false;
  settleFailed(db, job, now);
  return true;
}

/** An unreadable message ends here; retrying it would block its account. */
export function endUnreadable(db: Database, row: MessageJobRow, now: number): void {
  const error = "its stored content cannot be read";
  const ended = db.orm
    .update(messages)
    .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now, endedAt: now })
    .where(eq(messages.id, row.id))
    .returning()
    .get();
  bookEnd(db, ended, "refused");
  db.pressure.ended(ended);
}

export function expireOverdue(
  db: Database,
  now: number,
  ...[noticesFor, closing]: Parameters<Outbox["expire"]>
): number {
  const prepared = db.statements(statements);
  const overdue = closing ? prepared.closing.all({ channelId: closing.channelId }) : prepared.overdue.all({ now });
  for (const { row, unsure, channelState, trouble } of overdue) {
    if (dropsErased(db, row.id)) continue;
    const { state, errorCode, error, task, work, why } = overdueEnd(row, { unsure, channelState, trouble }, closing);
    const { ack, note } = task?.direction === "outbound" ? noticesFor(task.act, why) : {};
    const channel = { id: row.channelId as ChannelId, accountId: row.accountId as AccountId };
    const debt = ack && newDebt(db, row, ack, now);
    db.orm
      .update(messages)
      .set({ state, head: 0, fatalCrashes: 0, errorCode, error, updatedAt: now, endedAt: now, ...debt?.columns })
      .where(eq(messages.id, row.id))
      .run();
    debt?.book();
    if (state === "dead") bookEnd(db, row, "refused");
    db.pressure.ended(row);
    if (task) settleFailed(db, { id: row.id, channelId: channel.id, task, work }, now);
    if (note && channelState !== "removed") addEvent(db, channel, withWords(db, channel.id, note), now, 0);
  }
  return overdue.length;
}
