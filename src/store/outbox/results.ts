import { eq } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { LateError } from "gangway-messenger/message";
import type { SentPart } from "gangway-messenger/plan";
import { type Channel, REMOVED } from "../../domain/channel.ts";
import { type Ack, type Job, laneOf, type NextState, newWork, WAS_STOPPED, type Work } from "../../domain/delivery.ts";
import type { AccountId, GatewayMessageId, JobId } from "../../domain/ids.ts";
import { countsAsMessage, type LateFailure } from "../../domain/message.ts";
import { changesOf } from "../../domain/revision.ts";
import type { Notices, NoticesFor, Outbox, Outcome, Overdue, ReadySlots } from "../outbox.ts";
import type { Sealer } from "../secrets.ts";
import { bookEnds } from "../tables/accounts/ledger.ts";
import { findNote, LATE_FAILURES, removeNotes, writeNotes } from "../tables/channels/channels.ts";
import { type Booking, CHANNEL_PAUSED, first, isOwed, type Transaction, type Verb } from "../tables/engine.ts";
import { isBeingErased } from "../tables/erasing/erasures.ts";
import {
  addParts,
  changeParts,
  contentOf,
  firstPart,
  forgetParts,
  partNamed,
  partsOf,
  withTry,
} from "../tables/messages/messages.ts";
import { BEEN_IN_OWN_CODE, IN_OWN_CODE, type MessageRow, messages } from "../tables/schema.ts";
import { change, newDebt } from "./effects.ts";
import {
  type AckJobRow,
  debtOf,
  type JobRows,
  listOf,
  type MessageJobRow,
  type Recorded,
  type Update,
} from "./rows.ts";

// Late failures: the messenger fails a message that it had accepted. A failure that overtakes the answer to our call is
// kept as a note, and applied by the update that ends the message.

const keyOf = (chat: string, id: MessengerMessageId) => `${LATE_FAILURES}${chat}:${id}`;
/** SQL condition on the keys of kept failures. ";" is the character after ":". */
export const IS_KEPT_FAILURE = `key >= '${LATE_FAILURES}' AND key < '${LATE_FAILURES.slice(0, -1)};'`;
const ANY_KEPT = `SELECT 1 FROM note WHERE channel_id = @channelId AND ${IS_KEPT_FAILURE} LIMIT 1`;
/** A held message may still be confirmed, or sent again. Conditions exactly as in the index `message_lane`. */
const UNDER_WAY = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat
    AND state IN ('ready','sending','waiting')
  UNION ALL SELECT 1 FROM message WHERE channel_id = @channelId AND chat = @chat AND state = 'held' LIMIT 1`;
/** Delay of a new ack, ms, so that the older one, which is under way, reaches the gateway first. */
const OLDER_ACK_MS = 5_000;

/** `kept`: stored until the message ends. `known`: nothing is left to do. */
type FailureHandling = "applied" | "kept" | "known" | "unknown";

export function* acceptFailure(
  tx: Transaction,
  sealer: Sealer,
  { id: channelId }: Pick<Channel, "id">,
  { chat, messengerMessageId, error }: LateFailure,
  now: number,
): Verb<FailureHandling> {
  const part = yield* partNamed(channelId, messengerMessageId);
  const row = part && (yield* rowOf(tx, part.id));
  if (row?.direction === "outbound") {
    // In any other state the failure is a repeat, or a person has decided meanwhile.
    if (row.state !== "done" || (yield* isBeingErased(sealer, row.id))) return "known";
    yield* becomeUndelivered(tx, row, namingPart(error, part?.place ?? 1, part?.parts ?? 1), now);
    return "applied";
  }
  if (!(yield* first(UNDER_WAY, { channelId, chat }))) return "unknown";
  if (!(yield* tx.mayStore(channelId, [chat]))) return "known";
  return yield* keepFailure(tx, { channelId, chat, messengerMessageId, error }, now);
}

const rowOf = ({ orm }: Transaction, id: number): Verb<MessageRow | undefined> =>
  first(orm.select().from(messages).where(eq(messages.id, id)));

/** Names the part that failed: a message of several parts is delivered as a whole, or not. */
const namingPart = (error: LateError, part: number, of: number): LateError =>
  of > 1 ? { ...error, message: `Part ${part} of ${of} was not delivered: ${error.message}` } : error;

type KeptFailure = Pick<LateFailure, "chat" | "messengerMessageId" | "error"> & { channelId: ChannelId };

function* keepFailure(
  tx: Transaction,
  { channelId, chat, messengerMessageId, error }: KeptFailure,
  now: number,
): Verb<FailureHandling> {
  const key = keyOf(chat, messengerMessageId);
  if (yield* findNote(channelId, key)) return "known";
  yield* writeNotes(now, channelId, [{ key, value: JSON.stringify(error) }]);
  (yield* keptFailures(tx, channelId)).any = true;
  return "kept";
}

/** Whether failures are kept; SQLite caches this, so ends rarely read notes. `any` may outlive the last failure. */
function* keptFailures(tx: Transaction, channelId: ChannelId): Verb<{ any: boolean }> {
  const load = function* (): Verb<{ any: boolean }> {
    return { any: (yield* first(ANY_KEPT, { channelId })) !== undefined };
  };
  return (yield* tx.find("late-failures", channelId, load)) ?? { any: false };
}

/** A failure that the messenger reported before the message ended here. */
interface OvertakingFailure {
  error: LateError;
  /** Call once the failure is recorded. */
  forget(): Verb<void>;
}

export function* overtakingFailure(
  tx: Transaction,
  { channelId, chat }: { channelId: ChannelId; chat: ChatId },
  parts: SentPart[] = [],
): Verb<OvertakingFailure | undefined> {
  if (parts.length === 0 || !(yield* keptFailures(tx, channelId)).any) return undefined;
  const kept: { key: string; place: number; error: LateError }[] = [];
  for (const [n, { messengerMessageId }] of parts.entries()) {
    const key = keyOf(chat, messengerMessageId);
    const note = yield* findNote(channelId, key);
    if (note) kept.push({ key, place: n + 1, error: JSON.parse(note.value) });
  }
  const [oldest] = kept;
  if (!oldest) return undefined;
  return {
    error: namingPart(oldest.error, oldest.place, parts.length),
    forget: () => removeNotes(channelId, kept),
  };
}

/** The columns of a message that ends as a late failure. */
export const undelivered = ({ code, message }: LateError, now: number) => ({
  ...{ state: "dead" as const, error: message, errorCode: code, lateAt: now },
});

function* becomeUndelivered(tx: Transaction, row: MessageRow, error: LateError, now: number): Verb<void> {
  const ack = ackOf(row, error);
  const debt = ack && newDebt(tx, row, ack, now);
  // A message without content cannot be sent again.
  const left = row.payload === null ? { state: "dropped" as const } : { tries: withTry(row.tries, now, error.message) };
  const times = row.ack === "sending" && debt ? { ackAt: now + OLDER_ACK_MS } : {};
  const end = { ...undelivered(error, now), ...left, updatedAt: now };
  yield* change(tx, row.id, { ...end, ...debt?.columns, ...times });
  if (debt) yield* debt.book();
  yield* bookEnds(tx, [row], "delivered", -1);
  yield* bookEnds(tx, [row], "refused");
}

function ackOf(row: MessageRow, error: LateError): Ack | undefined {
  const task = contentOf(row)?.task;
  const act = task?.direction === "outbound" && task.act.type === "message" ? task.act : undefined;
  const gatewayMessageId = (row.gatewayMessageId ?? act?.gatewayMessageId) as GatewayMessageId | undefined;
  const messengerMessageId = (row.firstId ?? row.messengerMessageId ?? undefined) as MessengerMessageId | undefined;
  return gatewayMessageId && { gatewayMessageId, messengerMessageId, error };
}

type AgainColumns = Pick<MessageRow, "work" | "doubtAt"> & Partial<MessageRow>;

/** To send a late failure again: from its first step, under a new key, as the messenger has given up the old one. */
export function* resetToSendAgain(row: MessageRow): Verb<AgainColumns> {
  yield* forgetParts(row.id);
  const { work } = contentOf(row) ?? {};
  return {
    ...{ work: work ? JSON.stringify(newWork(work.plan)) : null, doubtAt: null },
    ...{ generation: row.generation + 1, lateAt: null },
    ...{ messengerMessageId: null, firstId: null, holds: null, fixed: null, words: null },
  };
}

// What becomes of a job: a change of its row, and what follows. Decided here for both engines; each records it.

type Columns = Partial<MessageRow>;

export interface Result extends Update, Notices {
  job: Update["job"] & Pick<Job, "accountId" | "channelId">;
  /** Its chat, if the message ends. */
  chat?: string;
  /** Slots for the ack that it owes. */
  slots?: ReadySlots;
  /** Stores what else its end entails. */
  after?(): Verb<void>;
  /** Parts of a sent message: the messenger may have reported its failure before it answered. */
  sent?: Outcome["parts"];
  /** A gateway call with the account's token succeeded. */
  passed?: boolean;
}

/** False when the job is no longer under way: nothing was recorded. */
export type RecordResult = (result: Result) => Promise<boolean>;

type Verbs = "done" | "advanced" | "callStarted" | "inOwnCode" | "postponed" | "failed";

/** The verbs of jobs under way. */
export function resultVerbs(record: RecordResult, clock: Clock): Pick<Outbox, Verbs> {
  const change = (job: Job, set: Columns) => record({ kind: job.direction === "ack" ? "ack" : "message", job, set });
  return {
    done: (job, outcome, slots) => record(doneResult(job, outcome, clock.now(), slots)),
    advanced(job, work) {
      // Doubt about the previous step says nothing about the next one.
      Object.assign(job, { work, unsure: 0, doubtAt: undefined, triedAt: clock.now() });
      return change(job, { work: JSON.stringify(work), unsure: 0, doubtAt: null, updatedAt: job.triedAt });
    },
    callStarted: (job) => change(job, { begun: 1 }),
    inOwnCode: (job, runs) => change(job, { inOwnCode: runs ? IN_OWN_CODE : BEEN_IN_OWN_CODE }),
    postponed(job, runAt) {
      const attempts = job.attempts - 1;
      if (job.direction !== "ack") return change(job, { state: "ready", runAt, attempts });
      return change(job, { ack: "due", ackAt: runAt, ackAttempts: attempts, updatedAt: clock.now() });
    },
    failed: (job, next, error, notices) => record(failedResult(job, next, error, clock.now(), notices)),
  };
}

export const isEnd = ({ set }: Pick<Update, "set">): boolean => set.head === 0;

const chatOf = ({ task }: Job): string | undefined =>
  task.direction === "inbound" ? laneOf(task.event) : task.direction === "outbound" ? task.act.chat : undefined;

/** Columns with the message's ids at the other side. */
function idsOf({ task }: Job, { gatewayMessageId, parts = [] }: Outcome): Columns {
  if (task.direction === "inbound")
    return task.event.type === "message" && gatewayMessageId ? { gatewayMessageId } : {};
  return task.direction === "outbound" && task.act.type === "message" ? firstPart(parts) : {};
}

type SentMessage = Pick<Job, "task" | "work"> & { id: number; channelId: ChannelId };

/** Stores what was sent besides the first part. */
function* saveParts({ id, channelId, task }: SentMessage, { parts = [], removed }: Outcome, now: number): Verb<void> {
  if (task.direction !== "outbound") return;
  if (task.act.type === "message") yield* addParts({ id, channelId }, parts.slice(1), 1, now);
  if (task.act.type === "edited") yield* changeParts(channelId, task.act.messengerMessageId, { parts, removed }, now);
}

/** Stores the changes that an edit made before it failed. */
const saveAppliedChanges = (of: SentMessage, now: number): Result["after"] =>
  of.work && of.task.direction === "outbound" && of.task.act.type === "edited"
    ? () => saveParts(of, changesOf(of.work as Work), now)
    : undefined;

function end(job: Job, set: Columns, { ack, note }: Notices, now: number): Result {
  // Version 0, because the update raises the version that the row has.
  const debt = ack && debtOf(ack, 0, now);
  const ended = { head: 0, fatalCrashes: 0, updatedAt: now, endedAt: now, ...set, ...debt };
  return { kind: "message", job, chat: chatOf(job), set: ended, ack, note };
}

function doneResult(job: Job, outcome: Outcome, now: number, slots?: ReadySlots): Result {
  if (job.direction === "ack") {
    const set = { ack: "given", ackBody: null, ackError: null, ackAt: now, updatedAt: now } as const;
    return { kind: "ack", job, set, passed: true };
  }
  const set = { state: "done", error: null, errorCode: null, ...idsOf(job, outcome) } as const;
  const { act } = job.task.direction === "outbound" ? job.task : {};
  const result = end(job, set, outcome, now);
  result.slots = slots;
  result.passed = job.direction === "inbound";
  // The first part of a message is in its row.
  const more = (outcome.parts?.length ?? 0) + (outcome.removed?.length ?? 0) > (act?.type === "message" ? 1 : 0);
  if (act && more) result.after = () => saveParts(job, outcome, now);
  if (act?.type === "message") result.sent = outcome.parts;
  return result;
}

/** Columns that keep a doubt, and how far the work is. */
const doubtOf = ({ doubtAt, work }: Job): Columns =>
  doubtAt === undefined ? {} : { doubtAt, ...(work && { work: JSON.stringify(work) }) };

function failedResult(job: Job, next: NextState, error: string, now: number, notices: Notices = {}): Result {
  if (job.direction === "ack") return ackFailed(job, next, error, now);
  if (next.state !== "ready") {
    const errorCode = next.state === "dead" ? next.code : "general";
    const unsure = next.unsure ?? job.unsure;
    const set = { state: next.state, errorCode, error, tries: error, unsure, ...doubtOf(job) };
    return Object.assign(end(job, set, notices, now), { after: saveAppliedChanges(job, now) });
  }
  // If its channel stops, the message waits for a person.
  const state = next.stopLanes && job.direction === "outbound" ? "waiting" : "ready";
  const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
  const { crashes, fatalCrashes } = job;
  const again = { runAt: next.runAt, unsure: next.unsure, attempts, crashes, fatalCrashes };
  return { kind: "message", job, set: { state, ...again, error, tries: error, updatedAt: now, ...doubtOf(job) } };
}

function ackFailed(job: Job, next: NextState, error: string, now: number): Result {
  const failed = { ackError: error, ackTries: error, updatedAt: now };
  if (next.state !== "ready") return { kind: "ack", job, set: { ...failed, ack: "refused", ackAt: now } };
  const { crashes, fatalCrashes } = job;
  const ackAttempts = next.countAttempt ? job.attempts : job.attempts - 1;
  return { kind: "ack", job, set: { ...failed, ack: "due", ackAt: next.runAt, ackAttempts, crashes, fatalCrashes } };
}

const UNREADABLE = "its stored content cannot be read";
const refOf = ({ id, accountId, channelId }: AckJobRow | MessageJobRow) => ({
  ...{ id: id as JobId, accountId: accountId as AccountId, channelId: channelId as ChannelId },
});

/** Ends jobs whose content cannot be read: retrying them would block their account. */
export const unreadableResults = ({ acks, messages }: JobRows, now: number): Result[] => [
  ...acks.map((row) => unreadableAck(row, now)),
  ...messages.map((row) => unreadable(row, now)),
];

function unreadable(row: MessageJobRow, now: number): Result {
  const set = {
    state: "dead",
    head: 0,
    errorCode: "general",
    error: UNREADABLE,
    updatedAt: now,
    endedAt: now,
  } as const;
  return { kind: "message", job: { ...refOf(row), fence: row.fence }, chat: row.chat ?? "", set };
}

function unreadableAck(row: AckJobRow, now: number): Result {
  const set = { ack: "refused", ackError: UNREADABLE, ackTries: UNREADABLE, ackAt: now, updatedAt: now } as const;
  return { kind: "ack", job: { ...refOf(row), fence: row.ackFence ?? 0, ackVersion: row.ackVersion }, set };
}

const OVERDUE_ROW = [
  ...(["id", "accountId", "channelId", "direction", "kind", "chat", "unsure", "error", "payload", "work"] as const),
  "ackVersion",
] as const;
export type OverdueRow = Pick<MessageRow, (typeof OVERDUE_ROW)[number]> & {
  policy: "resend" | "hold";
  channelState: string;
  trouble: string | null;
};
/** SQL of the messages to end: a channel's, or overdue ones. `most`: per transaction; `more`: further conditions. */
export const overdueBy = (what: "channel" | "deadline", { most = 200, more = "", lock = "" } = {}): string =>
  `SELECT ${listOf(OVERDUE_ROW)},
    channel.unsure AS policy, channel.trouble AS trouble,
    CASE WHEN channel.state <> 'removed' AND (${CHANNEL_PAUSED} OR EXISTS (SELECT 1 FROM account
      WHERE account.id = message.account_id AND account.pause_reason IS NOT NULL)) THEN 'paused' ELSE channel.state END AS "channelState"
  FROM message JOIN channel ON channel.id = message.channel_id
  WHERE ${what === "channel" ? "message.channel_id = @channelId" : "message.deadline_at <= @now"}
    AND message.state IN ('ready','waiting') AND message.direction = 'outbound' ${more}
  ${what === "deadline" ? "ORDER BY message.deadline_at" : ""} LIMIT ${most} ${lock}`;

/** `isClosing`: its channel is about to be removed. */
export function overdueResult(row: OverdueRow, now: number, noticesFor: NoticesFor, isClosing: boolean): Result {
  const { task, work } = contentOf(row) ?? {};
  const { why, ...ended } = endOf(row, work, isClosing);
  const { ack, note } = task?.direction === "outbound" ? noticesFor(task.act, why) : {};
  const channelId = row.channelId as ChannelId;
  const job = { id: row.id as JobId, accountId: row.accountId as AccountId, channelId, ackVersion: row.ackVersion };
  const set = { ...ended, head: 0, fatalCrashes: 0, updatedAt: now, endedAt: now, ...(ack && debtOf(ack, 0, now)) };
  return {
    ...{ kind: "overdue", job, until: isClosing ? Number.MAX_SAFE_INTEGER : now, chat: row.chat ?? "", set, ack },
    note: row.channelState === "removed" ? undefined : note,
    after: task && saveAppliedChanges({ id: row.id, channelId, task, work }, now),
  };
}

function endOf(row: OverdueRow, work: Work | undefined, isClosing: boolean) {
  const { policy, channelState, trouble } = row;
  const of = { unsure: row.unsure > 0, work, key: String(row.id) };
  if (isClosing) {
    const why: Overdue = { ...of, error: REMOVED };
    return { state: "dead" as const, errorCode: "general", error: REMOVED, why };
  }
  const stopped = channelState === "stopped" ? (trouble ?? undefined) : undefined;
  const paused = channelState === "paused" ? "the channel was paused" : undefined;
  const why: Overdue = { ...of, error: paused ?? row.error ?? undefined, stopped };
  return {
    // A message that may have arrived is a person's decision, even when overdue.
    state: of.unsure && policy === "hold" && countsAsMessage(row.kind) ? ("held" as const) : ("dead" as const),
    errorCode: stopped === undefined ? "general" : WAS_STOPPED,
    error: stopped ?? paused ?? row.error ?? "its deadline passed before it could be sent",
    why,
  };
}

/** Makes the result a late failure if the messenger reported one before it answered our call. */
export function* withOvertakingFailure(tx: Transaction, result: Result, now: number): Verb<Result> {
  const { sent, job, chat, set, ack, after } = result;
  if (!sent || chat === undefined) return result;
  const failure = yield* overtakingFailure(tx, { channelId: job.channelId, chat: chat as ChatId }, sent);
  if (!failure) return result;
  const { error } = failure;
  const told = ack && { ...ack, error };
  return {
    ...result,
    set: {
      ...{ ...set, ...undelivered(error, now), tries: error.message },
      ...(told && { ackBody: JSON.stringify(told) }),
    },
    ack: told,
    *after() {
      if (after) yield* after();
      yield* failure.forget();
    },
  };
}

/** What the ledger books; undefined for most steps. A held message still counts as waiting. */
export function bookingOf({ kind, ack }: Result, row: Recorded): Booking | undefined {
  const { accountId, channelId } = row;
  const of = { accountId, channelId };
  if (kind === "ack" && row.ack === "given") return { ...of, acksGiven: 1 };
  if (kind === "ack") return row.ack === "refused" ? { ...of, acksRefused: 1 } : undefined;
  const owed = ack && !isOwed(row.ackBefore) ? { ...of, acksOwed: 1 } : undefined;
  const events = row.events + row.carried;
  if ((row.state !== "done" && row.state !== "dead") || events === 0) return owed;
  const isDone = row.state === "done";
  return {
    ...{ ...of, ...owed, [isDone ? "delivered" : "refused"]: events },
    ...(row.kind === "message" && { [isDone ? "messagesDelivered" : "messagesRefused"]: events }),
  };
}

/** An unplanned change has only the message's id: the start of its text is in the stored parts. */
export function* noteOf({ note, job }: Result): Verb<Notices["note"]> {
  if (note?.type !== "unchanged" || note.change.words || note.change.seen === "partly") return note;
  const words = (yield* partsOf(job.channelId, note.of)).find((part) => part.words)?.words;
  return { ...note, change: { ...note.change, words } };
}
