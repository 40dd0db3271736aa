import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelId, MessengerMessageId } from "gangway-messenger/ids";
import { chatOfLane, INBOUND_PATIENCE_MS, type Task, type Work } from "../../domain/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import type { OutboundAct } from "../../domain/message.ts";
import { changesOf } from "../../domain/revision.ts";
import type { Act } from "../care.ts";
import type {
  DeadFilter,
  DeadLetter,
  DeadLetterDetails,
  DeadLetters,
  DeadReason,
  DeadRef,
  EndedCount,
  EndedFilter,
  EndedJob,
  EndedRef,
} from "../messages.ts";
import type { Arrived, Outbox } from "../outbox.ts";
import type { Sealer } from "../secrets.ts";
import { bookEnds } from "../tables/accounts/ledger.ts";
import {
  all,
  ENDED,
  type Engine,
  first,
  IS_MESSAGE,
  isOwed,
  type Orm,
  type Transaction,
  upTo,
  type Verb,
} from "../tables/engine.ts";
import { isBeingErased } from "../tables/erasing/erasures.ts";
import {
  addParts,
  beginningOf,
  changeParts,
  contentOf,
  extendDeadlines,
  firstPart,
  nicknameIn,
  rebaseTimers,
} from "../tables/messages/messages.ts";
import { channels, type MessageRow, messages } from "../tables/schema.ts";
import { recentCalls } from "./dealing.ts";
import { addNote, change, type Decide, newDebt, requeue } from "./effects.ts";
import { overtakingFailure, resetToSendAgain, undelivered } from "./results.ts";
import { ackJob, keyOf } from "./rows.ts";

// Messages that have ended or are held: what people see of them, and decide.

type Verbs = Pick<
  Outbox,
  | ("ended" | "countEnded" | "sendAgain" | "arrived" | "givenUp" | "discarded" | "discardedAt" | "restored")
  | ("recentCalls" | "extendDeadlines" | "rebaseTimers")
>;

/** Verbs that both engines implement alike. */
export const sharedVerbs = ({ read, write }: Engine, decide: Decide, clock: Clock): Verbs => ({
  recentCalls: (since) => read((tx) => recentCalls(tx, since)),
  extendDeadlines: (by) => write(() => extendDeadlines(by), "lanes"),
  rebaseTimers: (restMs) => write(() => rebaseTimers(clock.now(), restMs), "lanes"),
  ended: (accountId, limit, filter = {}) => read((tx) => ended(tx, accountId, limit, filter)),
  countEnded: (accountId) => read((tx) => countEnded(tx, accountId)),
  sendAgain: (accountId, id, patienceMs, by) =>
    onRow(decide, { accountId, id, by }, (tx, row) => sendAgain(tx, row, clock.now(), patienceMs)),
  arrived: (accountId, id, how, by) =>
    onRow(decide, { accountId, id, by }, (tx, row) => arrived(tx, row, how, clock.now())),
  givenUp: (accountId, id, by) => onRow(decide, { accountId, id, by }, (tx, row) => givenUp(tx, row, clock.now())),
  discarded: (accountId, id, at, by) => onRow(decide, { accountId, id, by }, (tx, row) => discarded(tx, row, at)),
  discardedAt: (accountId, at) => read((tx) => discardedAt(tx, accountId, at)),
  restored: (accountId, id, by) => decide(accountId, id, by, (tx, sealer) => restored(tx, sealer, accountId, id)),
});

interface Decided {
  accountId: AccountId;
  id: JobId;
  by?: Act;
}
type Decision = (tx: Transaction, row: MessageRow) => Verb<boolean>;

/** Runs a decision on an ended or held message; false when the message is gone. */
const onRow = (decide: Decide, { accountId, id, by }: Decided, act: Decision): Promise<boolean> =>
  decide(accountId, id, by, function* (tx, sealer) {
    const row = yield* find(tx, sealer, accountId, id);
    return row !== undefined && (yield* act(tx, row));
  });

function* find({ orm }: Transaction, sealer: Sealer, accountId: AccountId, id: JobId): Verb<MessageRow | undefined> {
  const where = and(eq(messages.id, id), eq(messages.accountId, accountId), ENDED);
  const row = yield* first<MessageRow>(orm.select().from(messages).where(where));
  return row && !(yield* isBeingErased(sealer, id)) ? row : undefined;
}

/** Appends the work to the end of its lane again; finished steps are not repeated. */
function* sendAgain(tx: Transaction, row: MessageRow, now: number, patienceMs: number): Verb<boolean> {
  if (row.state !== "held" && row.state !== "dead") {
    yield* oweAgain(tx, row, now);
    return true;
  }
  if (!contentOf(row)) return false;
  if (row.state === "dead") yield* bookEnds(tx, [row], "refused", -1);
  const patience = row.direction === "outbound" ? patienceMs : INBOUND_PATIENCE_MS;
  const left = row.lateAt === null ? { work: row.work, doubtAt: row.doubtAt } : yield* resetToSendAgain(row);
  // The message's next end owes an ack of its own.
  const noAck = row.ack === "refused" ? { ack: null, ackBody: null, ackError: null } : {};
  yield* requeue(tx, row, { deadlineAt: now + patience, ...left, ...noAck }, now);
  return true;
}

/** Owes the ack again after the gateway refused it. */
function* oweAgain(tx: Transaction, row: MessageRow, now: number): Verb<void> {
  yield* tx.book([{ accountId: row.accountId, channelId: row.channelId, acksRefused: -1 }]);
  const times = { ackAt: now, ackDeadlineAt: now + INBOUND_PATIENCE_MS };
  const again = { ack: "due" as const, ackVersion: row.ackVersion + 1, ackAttempts: 0, ackError: null };
  yield* change(tx, row.id, { ...again, ...times });
}

/** The step in doubt succeeded: requeues the remaining steps, or completes the message if there are none. */
function* arrived(tx: Transaction, row: MessageRow, { patienceMs, text }: Arrived, now: number): Verb<boolean> {
  const content = row.state === "held" ? contentOf(row) : undefined;
  if (content?.task.direction !== "outbound") return false;
  const { work, task } = content;
  if (work && work.progress.done + 1 < work.plan.steps.length)
    yield* requeue(tx, row, { deadlineAt: now + patienceMs, work: remaining(work), doubtAt: null }, now);
  else yield* complete(tx, row, task.act, work, text, now);
  return true;
}

function remaining({ plan, progress }: Work): string {
  return JSON.stringify({ plan, progress: { ...progress, done: progress.done + 1 } } satisfies Work);
}

function* complete(
  tx: Transaction,
  row: MessageRow,
  act: OutboundAct,
  work: Work | undefined,
  text: Arrived["text"],
  now: number,
): Verb<void> {
  // The step in doubt succeeded.
  const known = work && changesOf({ ...work, progress: { ...work.progress, done: work.progress.done + 1 } });
  const { parts = [], removed = [] } = known ?? {};
  const channelId = row.channelId as ChannelId;
  const messengerMessageId = parts[0]?.messengerMessageId;
  const isMessage = act.type === "message";
  const ids = isMessage ? firstPart(parts) : {};
  const failure = isMessage ? yield* overtakingFailure(tx, { channelId, chat: act.chat }, parts) : undefined;
  const debt =
    isMessage && messengerMessageId
      ? newDebt(tx, row, { gatewayMessageId: act.gatewayMessageId, messengerMessageId, error: failure?.error }, now)
      : undefined;
  const end = failure ? undelivered(failure.error, now) : { state: "done" as const, error: null, errorCode: null };
  yield* change(tx, row.id, { ...end, updatedAt: now, endedAt: now, ...ids, ...debt?.columns });
  if (debt) yield* debt.book();
  yield* bookEnds(tx, [row], failure ? "refused" : "delivered");
  if (failure) yield* failure.forget();
  if (act.type === "edited") yield* changeParts(channelId, act.messengerMessageId, { parts, removed }, now);
  if (!isMessage) return;
  yield* addParts({ id: row.id, channelId }, parts.slice(1), 1, now);
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
  yield* addNote(tx, { id: channelId, accountId: row.accountId as AccountId }, note, now);
}

/** A person gives up a held message; the agent's notice stands. */
function* givenUp(tx: Transaction, row: MessageRow, now: number): Verb<boolean> {
  if (row.state !== "held") return false;
  const error = "given up by a person: it may have arrived";
  yield* change(tx, row.id, { state: "dead", error, errorCode: "general", updatedAt: now, endedAt: now });
  yield* bookEnds(tx, [row], "refused");
  return true;
}

/** A person takes a message off the list. Its content stays restorable until housekeeping empties it. */
function* discarded(tx: Transaction, row: MessageRow, at: number): Verb<boolean> {
  if (row.state === "held") return false;
  const ack = isOwed(row.ack) ? {} : { ack: null };
  yield* change(tx, row.id, { state: row.state === "dead" ? "dropped" : row.state, ...ack, discardedAt: at });
  return true;
}

function* discardedAt({ orm }: Transaction, accountId: AccountId, at: number): Verb<JobId[]> {
  const where = and(eq(messages.accountId, accountId), eq(messages.discardedAt, at));
  const rows = yield* all(orm.select({ id: messages.id }).from(messages).where(where).orderBy(asc(messages.id)));
  return rows.map(({ id }) => id as JobId);
}

/** Puts a discarded message back on the list, as it was. */
function* restored(tx: Transaction, sealer: Sealer, accountId: AccountId, id: JobId): Verb<boolean> {
  const where = and(eq(messages.id, id), eq(messages.accountId, accountId), isNotNull(messages.discardedAt));
  const row = yield* first<MessageRow>(tx.orm.select().from(messages).where(where));
  if (!row || (yield* isBeingErased(sealer, id))) return false;
  // An ack that was refused has left its error.
  const ack = row.ack === null && row.ackError !== null ? { ack: "refused" as const } : {};
  yield* change(tx, id, { state: row.state === "dropped" ? "dead" : row.state, ...ack, discardedAt: null });
  return true;
}

/** An operator drops a message, even a held or unreadable one. Ids and key stay until no repeat is possible. */
function* dropped(tx: Transaction, row: MessageRow): Verb<boolean> {
  // The ledger counts held messages as waiting, dead ones as refused already.
  if (row.state === "held") yield* bookEnds(tx, [row], "refused");
  const state = row.state === "held" || row.state === "dead" ? "dropped" : row.state;
  const ack = isOwed(row.ack) ? {} : { ack: null, ackBody: null, ackError: null };
  yield* change(tx, row.id, { state, payload: null, work: null, tries: null, ackTries: null, ...ack });
  return true;
}

const ACCOUNT_OF = "SELECT account_id AS id FROM channel WHERE id = @channelId";

export function deadLetters({ read }: Pick<Engine, "read">, decide: Decide, clock: Clock): DeadLetters {
  const each = async (refs: EndedRef[], action: string, act: Decision, told?: object) => {
    let done = 0;
    for (const { id, endedAt } of refs) {
      const row = (await read((tx) => findDead(tx, id)))?.row;
      if (!row) continue;
      const accountId = row.accountId as AccountId;
      const by = { actor: "operator", action, detail: { ...detailOf(row), ...told } } as Act;
      // Otherwise it was decided on, or ended again, since the list was read.
      const same = function* (tx: Transaction, now: MessageRow) {
        return now.updatedAt === endedAt && (yield* act(tx, now));
      };
      const decided = await onRow(decide, { accountId, id, by }, same);
      if (decided) done += 1;
    }
    return done;
  };
  return {
    list: (filter) =>
      read(function* (tx) {
        return (yield* rows(tx, where(filter), filter.limit)).map(({ row, name }) => toLetter(row, name));
      }),
    refs: (filter) => read(({ orm }) => all<DeadRef>(refsIn(orm, filter))),
    reasons: (limit, state = "dead") => read(({ orm }) => all<DeadReason>(reasonsIn(orm, limit, state))),
    show: (id) =>
      read(function* (tx) {
        const found = yield* findDead(tx, id);
        return found && toDetails(found.row, found.name);
      }),
    accountOf: async (channelId) => (await read(() => first<{ id: string }>(ACCOUNT_OF, { channelId })))?.id,
    replay: (refs, patienceMs, told) =>
      each(refs, "message sent again", (tx, row) => sendAgain(tx, row, clock.now(), patienceMs), told),
    discard(refs, told) {
      const at = clock.now();
      const discard = function* (tx: Transaction, row: MessageRow) {
        const wasHeld = yield* givenUp(tx, row, at);
        return yield* discarded(tx, wasHeld ? { ...row, state: "dead" } : row, at);
      };
      return each(refs, "message discarded", discard, told);
    },
    drop: (refs) => each(refs, "message dropped", dropped),
  };
}

/** A message that arrived, or was given up, may still owe an ack that the gateway refused. */
const endedAs = ({ direction, state }: Pick<MessageRow, "direction" | "state">) => ({
  direction: state === "held" || state === "dead" ? direction : ("ack" as const),
  state: state === "held" ? ("held" as const) : ("dead" as const),
});

function* ended(tx: Transaction, accountId: AccountId, limit: number, filter: EndedFilter): Verb<EndedJob[]> {
  const found = yield* all(
    tx.orm
      .select()
      .from(messages)
      .where(and(ENDED, ...where({ ...filter, accountId, messages: true })))
      .orderBy(filter.after === undefined ? desc(messages.id) : asc(messages.id))
      .limit(upTo(limit)),
  );
  const names = new Map<string, string | undefined>();
  const jobs: EndedJob[] = [];
  for (const row of found) {
    const key = `${row.channelId} ${row.chat}`;
    if (!names.has(key)) names.set(key, yield* nicknameIn(row.channelId, row.chat));
    jobs.push(toEnded(row, names.get(key)));
  }
  return jobs;
}

const toEnded = (row: MessageRow, customer: string | undefined): EndedJob => ({
  id: row.id as JobId,
  channelId: row.channelId as ChannelId,
  ...endedAs(row),
  code: row.errorCode ?? "general",
  error: row.error ?? row.ackError ?? "",
  at: row.lateAt ?? row.endedAt ?? row.updatedAt,
  chat: row.chat === null ? undefined : chatOfLane(row.chat),
  customer,
  words: beginningOf(row),
});

const countEnded = ({ orm }: Transaction, accountId: AccountId): Verb<EndedCount[]> =>
  all(
    orm
      .select({
        state: sql<EndedCount["state"]>`CASE WHEN state = 'held' THEN 'held' ELSE 'dead' END`.as("ended_as"),
        channelId: sql<ChannelId>`channel_id`.as("of_channel"),
        code: CODE.as("code"),
        count: sql<number>`count(*)`,
      })
      .from(messages)
      .where(and(eq(messages.accountId, accountId), ENDED, IS_MESSAGE))
      .groupBy(sql`ended_as`, sql`of_channel`, sql`code`),
  );

/** The error that `toLetter` shows. */
const ERROR = sql<string>`coalesce(CASE WHEN message.state IN ('held','dead') THEN error ELSE ack_error END, '')`;
const CODE = sql<string>`coalesce(error_code, 'general')`;
const inState = (state: DeadFilter["state"]) =>
  state === "held" ? sql`message.state = 'held'` : sql`message.state <> 'held'`;

const where = ({
  state,
  accountId,
  channelId,
  ids,
  code,
  error,
  before,
  from,
  to,
  ...only
}: Partial<DeadFilter> & Pick<EndedFilter, "before">): (SQL | undefined)[] => [
  state && inState(state),
  accountId === undefined ? undefined : eq(messages.accountId, accountId),
  channelId === undefined ? undefined : eq(messages.channelId, channelId),
  ids && inArray(messages.id, ids),
  code === undefined ? undefined : sql`${CODE} = ${code}`,
  error === undefined ? undefined : sql`${ERROR} = ${error}`,
  only.messages && IS_MESSAGE,
  before === undefined ? undefined : lt(messages.id, before),
  only.after === undefined ? undefined : gt(messages.id, only.after),
  from === undefined ? undefined : gte(messages.updatedAt, from),
  to === undefined ? undefined : lte(messages.updatedAt, to),
];

const refsIn = (orm: Orm, filter: DeadFilter) =>
  orm
    .select({
      id: sql<JobId>`${messages.id}`,
      accountId: sql<AccountId>`account_id`,
      endedAt: messages.updatedAt,
      unsure: sql<number>`CASE WHEN message.state IN ('held','dead') THEN unsure ELSE 0 END`,
    })
    .from(messages)
    .where(and(ENDED, ...where(filter)))
    .orderBy(asc(messages.id))
    .limit(filter.limit);

const reasonsIn = (orm: Orm, limit: number, state: DeadFilter["state"]) =>
  orm
    .select({
      error: ERROR.as("reason"),
      code: CODE.as("code"),
      count: sql<number>`count(*)`.as("count"),
      accounts: sql<number>`count(DISTINCT account_id)`,
      last: sql<JobId>`max(id)`,
      endedAt: sql<number>`max(updated_at)`,
    })
    .from(messages)
    .where(and(ENDED, inState(state), IS_MESSAGE))
    .groupBy(sql`reason`, sql`code`)
    .orderBy(sql`count DESC`)
    .limit(limit);

type Found = { row: MessageRow; name: string | null };

const rows = ({ orm }: Transaction, conditions: (SQL | undefined)[], limit: number): Verb<Found[]> =>
  all<Found>(
    orm
      .select({ row: messages, name: channels.name })
      .from(messages)
      .leftJoin(channels, eq(channels.id, messages.channelId))
      .where(and(ENDED, ...conditions))
      .orderBy(asc(messages.id))
      .limit(limit),
  );

function* findDead(tx: Transaction, id: number): Verb<Found | undefined> {
  return (yield* rows(tx, [eq(messages.id, id)], 1))[0];
}

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
    chat: chatOfLane(row.chat ?? ""),
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

const detailOf = (row: MessageRow) => ({
  ...{ job: row.id, channel: row.channelId, ...endedAs(row) },
  ...(row.errorCode !== null && { code: row.errorCode }),
});
