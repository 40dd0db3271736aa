import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import type { SentPart } from "gangway-messenger/plan";
import { excerptOf, wordsIn } from "gangway-messenger/text";
import type { Job, Task, Work } from "../../../domain/delivery.ts";
import type { GatewayMessageId } from "../../../domain/ids.ts";
import type { MessageStore } from "../../messages.ts";
import { all, columns, type Engine, first, isOwed, knownChat, run, type Verb } from "../engine.ts";
import { type MessageRow, messages, parts } from "../schema.ts";

// Contents of a message's row.

type ContentRow = Pick<MessageRow, "direction" | "payload" | "work">;

/** A message's task and progress; undefined when the row is damaged. */
export function contentOf({ direction, payload, work }: ContentRow): Pick<Job, "task" | "work"> | undefined {
  try {
    const subject = JSON.parse(payload ?? "");
    const task = (direction === "inbound" ? { direction, event: subject } : { direction, act: subject }) as Task;
    const content = { task, work: work === null ? undefined : (JSON.parse(work) as Work) };
    return isSubject(subject) && isWork(content.work) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The customer that a message is from; undefined for anything else. */
export function customerOf(row: ContentRow): Customer | undefined {
  if (row.direction !== "inbound") return undefined;
  const task = contentOf(row)?.task;
  return task?.direction === "inbound" && task.event.type === "message" ? task.event.customer : undefined;
}

/** A message's text, as long as it is kept. */
export function textOf(row: ContentRow): string | undefined {
  const task = contentOf(row)?.task;
  if (!task || task.direction === "ack") return undefined;
  const subject = task.direction === "inbound" ? task.event : task.act;
  if (subject.type === "message") return wordsIn(subject.content).text || undefined;
  return "text" in subject && typeof subject.text === "string" && subject.text !== "" ? subject.text : undefined;
}

/** The beginning of its text. */
export function beginningOf(row: ContentRow): string | undefined {
  const text = textOf(row);
  return text && excerptOf(text);
}

/** Minimal, because it runs for every claim. May throw TypeError on other JSON. */
function isSubject(subject: { type: unknown; chat: unknown; content: { type: unknown; files?: unknown } }): boolean {
  if (typeof subject.type !== "string" || typeof subject.chat !== "string") return false;
  if (subject.type !== "message") return true;
  const { content } = subject;
  return typeof content.type === "string" && (!("files" in content) || Array.isArray(content.files));
}

const isWork = (work: Work | undefined): boolean =>
  work === undefined || (Array.isArray(work.plan.steps) && typeof work.progress.done === "number");

/** Failed tries kept: the first and the latest. */
export const MAX_TRIES = 10;

/** A column of tries with one more. */
export function withTry(tries: string | null, at: number, error: string): string {
  const all = JSON.parse(tries ?? "[]") as unknown[];
  if (all.length >= MAX_TRIES) all.splice(1, 1);
  return JSON.stringify([...all, [at, error]]);
}

// The ids of a message at both sides. Its first part is in its own row, the others are in `part`.

/** Rows read to find recent sends: more than any messenger allows in a minute. */
const RECENT_ROWS = 100;

const ID_NAMES = [
  ...["id", "carrier", "gatewayMessageId", "messengerMessageId", "firstId"],
  ...["holds", "fixed", "words", "ack", "ackAt"],
] as const;
type IdRow = Pick<MessageRow, (typeof ID_NAMES)[number]>;
type PartRow = typeof parts.$inferSelect;

const MESSAGE = `SELECT ${columns(messages, ID_NAMES)} FROM message`;
const BY_ID = `${MESSAGE} WHERE id = @id`;
const BY_MESSENGER = `${MESSAGE} WHERE channel_id = @channelId AND messenger_message_id = @messengerMessageId`;
const BY_FIRST = `${MESSAGE} WHERE channel_id = @channelId AND first_id IS NOT NULL AND first_id = @messengerMessageId`;
const CARRIED = `${MESSAGE} WHERE carrier = @id ORDER BY id`;
const PART_NAMES = ["messageId", "part", "channelId", "messengerMessageId", "firstId", "holds", "fixed", "words"];
const PART = `SELECT ${columns(parts, [...PART_NAMES, "sentAt"] as (keyof PartRow)[])} FROM part`;
const PART_BY_MESSENGER = `${PART} WHERE channel_id = @channelId AND messenger_message_id = @messengerMessageId`;
const PART_BY_FIRST = `${PART} WHERE channel_id = @channelId AND first_id IS NOT NULL AND first_id = @messengerMessageId`;
const PARTS = `${PART} WHERE message_id = @id ORDER BY part`;
const ADD_PART = `INSERT INTO part (message_id, part, channel_id, messenger_message_id, holds, fixed, words, sent_at)
  VALUES (@messageId, @part, @channelId, @messengerMessageId, @holds, @fixed, @words, @now) ON CONFLICT DO NOTHING`;
const FORGET_PART = "DELETE FROM part WHERE message_id = @messageId AND part = @part";
const FORGET_PARTS = "DELETE FROM part WHERE message_id = @id";
const FORGET_FIRST = `UPDATE message SET first_id = coalesce(first_id, messenger_message_id), messenger_message_id = NULL
  WHERE id = @id`;
const CHANGED = "holds = @holds, fixed = @fixed, words = @words";
const CHANGE_FIRST = `UPDATE message SET ${CHANGED}, updated_at = @now WHERE id = @id`;
const CHANGE_PART = `UPDATE part SET ${CHANGED}, sent_at = @now WHERE message_id = @messageId AND part = @part`;
const MOVED = "SET messenger_message_id = @messengerMessageId, first_id = coalesce(first_id, @old)";
/** SQL: whether another row of the channel, that of the row itself unless it is given, has this value. */
export const isTaken = (
  table: "message" | "part",
  column: string,
  value: string,
  channelId = `${table}.channel_id`,
): string =>
  `EXISTS (SELECT 1 FROM ${table} AS other WHERE other.channel_id = ${channelId} AND other.${column} = ${value})`;
/** An id stays with the row that has it. */
const unlessTaken = (table: "message" | "part") =>
  `NOT ${isTaken(table, "messenger_message_id", "@messengerMessageId")}`;
const MOVE_FIRST = `UPDATE message ${MOVED} WHERE id = @id AND ${unlessTaken("message")}`;
const MOVE_PART = `UPDATE part ${MOVED} WHERE message_id = @messageId AND part = @part AND ${unlessTaken("part")}`;
/** Excludes messages never tried. A message waiting between two steps has no attempt. */
const RECENT = `SELECT id, updated_at AS at, direction, kind FROM message
  WHERE channel_id = @channelId AND chat = @chat AND (state <> 'ready' OR attempts > 0 OR work IS NOT NULL)
  ORDER BY id DESC LIMIT ${RECENT_ROWS}`;
/** `ack_at` of an ack that is under way has passed. */
const ACKS_DUE = `SELECT max(ack_at) AS at FROM message
  WHERE channel_id = @channelId AND chat = @chat AND id < @before AND ack IN ('due','sending')`;
const COMING = `SELECT 1 FROM message WHERE channel_id = @channelId AND messenger_message_id = @id
  AND direction = 'inbound' AND state IN ('ready','sending','waiting') LIMIT 1`;
/** Conditions as in the indexes `message_lane` and `message_ack`. */
const OUTBOUND = `SELECT 1 FROM message
  WHERE channel_id = @channelId AND direction = 'outbound' AND state IN ('ready','sending','waiting') LIMIT 1`;
const OWED = `SELECT 1 FROM message WHERE account_id = (SELECT account_id FROM channel WHERE id = @channelId)
  AND channel_id = @channelId AND ack IN ('due','sending') LIMIT 1`;
/** Conditions as in the index `message_lane`. */
const PERHAPS_SENT = `SELECT 1 FROM message
  WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat AND state IN ('ready','sending','waiting')
    AND (state = 'sending' OR doubt_at IS NOT NULL) LIMIT 1`;

export function messageStore({ read }: Engine): MessageStore {
  return {
    gatewayId: (channelId, id) =>
      read(function* () {
        return (yield* rootOf(channelId, id))?.gatewayMessageId as GatewayMessageId | undefined;
      }),
    has: (channelId, id) =>
      read(function* () {
        return (yield* find(channelId, id)) !== undefined;
      }),
    parts: (channelId, id) => read(() => partsOf(channelId, id)),
    root: (channelId, id) =>
      read(function* () {
        const root = yield* rootOf(channelId, id);
        // Even without a gateway id, which a repeat does not return.
        return (root?.firstId ?? root?.messengerMessageId ?? id) as MessengerMessageId;
      }),
    ackDue: (channelId, id) =>
      read(function* () {
        const { ack, ackAt } = (yield* rootOf(channelId, id)) ?? {};
        return isOwed(ack) ? (ackAt ?? undefined) : undefined;
      }),
    isComing: (channelId, id) =>
      read(function* () {
        return (yield* first(COMING, { channelId, id })) !== undefined;
      }),
    acksDue: (channelId, chat, before) =>
      read(function* () {
        const row = yield* first<{ at: number | null }>(ACKS_DUE, { channelId, chat, before });
        return row?.at ?? undefined;
      }),
    hasOutbound: (channelId) =>
      read(function* () {
        return ((yield* first(OUTBOUND, { channelId })) ?? (yield* first(OWED, { channelId }))) !== undefined;
      }),
    mayBeUnderWay: (channelId, chat, id) =>
      read(function* () {
        if (yield* find(channelId, id)) return false;
        return (yield* first(PERHAPS_SENT, { channelId, chat })) !== undefined;
      }),
    isBeingReplaced: (channelId, chat, id) => read(() => isBeingReplaced(channelId, chat, id)),
    current: (channelId, id) =>
      read(function* () {
        const { row, part } = (yield* find(channelId, id)) ?? {};
        return ((part ?? row)?.messengerMessageId ?? id) as MessengerMessageId;
      }),
    knowsChat: (channelId, gatewayChat) =>
      read(function* (tx) {
        return (yield* knownChat(tx, channelId, gatewayChat)) !== undefined;
      }),
    sentSince: (channelId, chat, since) => read(() => sentSince(channelId, chat, since)),
  };
}

type Recent = Pick<MessageRow, "id" | "direction" | "kind"> & { at: number };

function* sentSince(channelId: string, chat: string, since: number): Verb<number[]> {
  const times: number[] = [];
  for (const { id, at, direction, kind } of yield* all<Recent>(RECENT, { channelId, chat })) {
    if (direction !== "outbound" || kind !== "message" || at <= since) continue;
    times.push(at);
    for (const { sentAt } of yield* all<PartRow>(PARTS, { id })) times.push(sentAt);
  }
  return times;
}

/** Finds by the current messenger id, or by the one before it was resent. */
function* find(channelId: string, messengerMessageId: string): Verb<{ row: IdRow; part?: PartRow } | undefined> {
  const id = { channelId, messengerMessageId };
  const own = yield* first<IdRow>(BY_MESSENGER, id);
  if (own) return { row: own };
  const part = yield* first<PartRow>(PART_BY_MESSENGER, id);
  const earlier = part ? undefined : yield* first<IdRow>(BY_FIRST, id);
  if (earlier) return { row: earlier };
  const found = part ?? (yield* first<PartRow>(PART_BY_FIRST, id));
  const row = found && (yield* first<IdRow>(BY_ID, { id: found.messageId }));
  return row && { row, part: found };
}

/** The message whose part has this id now, and the part's number, from 1. */
export function* partNamed(
  channelId: string,
  messengerMessageId: MessengerMessageId,
): Verb<{ id: number; place: number; parts: number } | undefined> {
  const at = { channelId, messengerMessageId };
  const own = yield* first<IdRow>(BY_MESSENGER, at);
  const part = own ? undefined : yield* first<PartRow>(PART_BY_MESSENGER, at);
  const id = own?.id ?? part?.messageId;
  if (id === undefined) return undefined;
  const others = yield* all<PartRow>(PARTS, { id });
  return { id, place: part ? 2 + others.findIndex((each) => each.part === part.part) : 1, parts: others.length + 1 };
}

/** Deletes all parts but the first, which is in the message's row. */
export const forgetParts = (id: number): Verb<void> => run(FORGET_PARTS, { id });

const FORGET_WORDS = "UPDATE message SET words = NULL WHERE id = @id AND words IS NOT NULL";
const FORGET_WORDS_OF_PARTS = "UPDATE part SET words = NULL WHERE message_id = @id AND words IS NOT NULL";

/** Removes an edit's text from the message it changed. */
export function* forgetEdit({ channelId, payload }: Pick<MessageRow, "channelId" | "payload">): Verb<void> {
  const task = contentOf({ direction: "outbound", payload, work: null })?.task;
  if (task?.direction !== "outbound" || task.act.type !== "edited") return;
  const { id } = (yield* rootOf(channelId, task.act.messengerMessageId)) ?? {};
  for (const forget of [FORGET_WORDS, FORGET_WORDS_OF_PARTS]) if (id !== undefined) yield* run(forget, { id });
}

/** The message's row; `id` may name any of its parts, or of its album's. */
function* rootOf(channelId: string, id: string): Verb<IdRow | undefined> {
  const { row } = (yield* find(channelId, id)) ?? {};
  return row?.carrier ? ((yield* first<IdRow>(BY_ID, { id: row.carrier })) ?? row) : row;
}

export function* partsOf(channelId: ChannelId, id: MessengerMessageId): Verb<SentPart[]> {
  const root = yield* rootOf(channelId, id);
  if (!root) return [{ messengerMessageId: id, holds: "text" }];
  const carried = yield* all<IdRow>(CARRIED, { id: root.id });
  const others = yield* all<PartRow>(PARTS, { id: root.id });
  return [root, ...carried, ...others].flatMap((each): SentPart[] => {
    if (!each.messengerMessageId) return [];
    const part = { messengerMessageId: each.messengerMessageId as MessengerMessageId, holds: each.holds ?? "text" };
    return [{ ...part, ...(each.fixed && { fixed: true }), ...(each.words && { words: each.words }) }];
  });
}

const columnsOf = ({ holds, fixed, words }: SentPart) => ({ holds, fixed: fixed ? 1 : null, words: words ?? null });

/** The columns of a sent message's first part. */
export function firstPart([first]: SentPart[]): Partial<MessageRow> {
  return first ? { messengerMessageId: first.messengerMessageId, ...columnsOf(first) } : {};
}

export function* addParts(
  message: { id: number; channelId: string },
  sent: SentPart[],
  from: number,
  now: number,
): Verb<void> {
  for (const [n, each] of sent.entries()) {
    const { messengerMessageId } = each;
    const row = { messageId: message.id, channelId: message.channelId, part: from + n, messengerMessageId, now };
    yield* run(ADD_PART, { ...row, ...columnsOf(each) });
  }
}

interface Changes {
  parts?: SentPart[];
  removed?: MessengerMessageId[];
}

/** Records parts of message `id` that an edit added, removed or replaced. Known parts stay unchanged. */
export function* changeParts(
  channelId: ChannelId,
  id: MessengerMessageId,
  { parts: changed = [], removed = [] }: Changes,
  now: number,
): Verb<void> {
  const root = yield* rootOf(channelId, id);
  if (!root?.gatewayMessageId) return;
  for (const gone of removed) yield* removePart(channelId, gone);
  let next = ((yield* all<PartRow>(PARTS, { id: root.id })).at(-1)?.part ?? 0) + 1;
  for (const part of changed) {
    const { messengerMessageId, instead } = part;
    if (instead !== undefined) yield* replacePart(channelId, part, instead, now);
    else if (!(yield* find(channelId, messengerMessageId)))
      yield* addParts({ id: root.id, channelId }, [part], next++, now);
  }
}

/** The first part keeps its first id, by which the gateway knows the message. */
function* removePart(channelId: ChannelId, id: MessengerMessageId): Verb<void> {
  const found = yield* find(channelId, id);
  if (found?.part) yield* run(FORGET_PART, { messageId: found.part.messageId, part: found.part.part });
  else if (found) yield* run(FORGET_FIRST, { id: found.row.id });
}

function* replacePart(channelId: ChannelId, sent: SentPart, old: MessengerMessageId, now: number): Verb<void> {
  const found = yield* find(channelId, old);
  if (!found) return;
  const { row, part } = found;
  const at = part ? { messageId: part.messageId, part: part.part } : { id: row.id };
  yield* run(part ? CHANGE_PART : CHANGE_FIRST, { ...at, ...columnsOf(sent), now });
  const { messengerMessageId } = sent;
  if (messengerMessageId !== old) yield* run(part ? MOVE_PART : MOVE_FIRST, { ...at, messengerMessageId, old });
}

const LIVE_OF_CHAT = `SELECT direction, payload, work FROM message
  WHERE channel_id = @channelId AND direction = 'outbound' AND chat = @chat AND state IN ('ready','sending','waiting')`;

/** Whether work under way in a chat replaces this message with a new one. */
function* isBeingReplaced(channelId: ChannelId, chat: ChatId, id: MessengerMessageId): Verb<boolean> {
  const rows = yield* all<Pick<MessageRow, "direction" | "payload" | "work">>(LIVE_OF_CHAT, { channelId, chat });
  const steps = rows.flatMap((row) => contentOf(row)?.work?.plan.steps ?? []);
  return steps.some((step) => step.do === "send" && step.instead?.messengerMessageId === id);
}

// Facts about a chat, derived from its messages.

type Row = Pick<MessageRow, "direction" | "payload" | "work">;

const FROM_CUSTOMER = `SELECT id, direction, payload, work FROM message WHERE channel_id = @channelId AND chat = @chat
  AND direction = 'inbound' AND kind = 'message' AND payload IS NOT NULL`;
const NEWEST = `${FROM_CUSTOMER} ORDER BY id DESC LIMIT 1`;
/** Messages per read: the first one is mostly the customer's own. */
const PAGE = 5;
const BEFORE = `${FROM_CUSTOMER} AND id < @before ORDER BY id DESC LIMIT ${PAGE}`;

/** The customer's name in the chat's newest message that is still kept. */
export function* nicknameIn(channelId: string, chat: string | null): Verb<string | undefined> {
  const newest = chat === null ? undefined : yield* first<Row>(NEWEST, { channelId, chat });
  return newest && customerOf(newest)?.nickname;
}

/** Until when an agent may answer in a chat, ms, according to the customer's newest message (not staff's). */
export function* replyUntilIn(channelId: string, chat: string | null): Verb<number | undefined> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let more = chat !== null; more; ) {
    const rows = yield* all<Row & { id: number }>(BEFORE, { channelId, chat, before });
    for (const { id, payload } of rows) {
      const { originator, replyUntil } = plainOf(payload);
      if (originator === "customer") return replyUntil;
      before = id;
    }
    more = rows.length === PAGE;
  }
  return undefined;
}

function plainOf(payload: string | null): { originator?: unknown; replyUntil?: number } {
  try {
    return JSON.parse(payload ?? "{}");
  } catch {
    return {};
  }
}

/** SQL: restarts the wait that was left when the row was written. */
const left = (time: string) => `${time} = @now + CASE WHEN ${time} > updated_at THEN ${time} - updated_at ELSE 0 END`;
// Conditions as in the partial indexes.
const MESSAGES = `UPDATE message SET ${left("run_at")}, ${left("deadline_at")}, updated_at = @now,
    created_at = CASE WHEN created_at < @now THEN created_at ELSE @now END
  WHERE state IN ('ready','sending','waiting') AND updated_at > @now`;
const ACKS = `UPDATE message SET ${left("ack_at")}, ${left("ack_deadline_at")}, updated_at = @now
  WHERE ack IN ('due','sending') AND updated_at > @now`;
const RESTS = "UPDATE account SET rest_until = @latest WHERE rest_until > @latest";

/** Before the clock is set forward by `by` ms: what waits keeps its time until its deadline. Reads every live job. */
export function* extendDeadlines(by: number): Verb<void> {
  yield* run(`UPDATE message SET deadline_at = deadline_at + @by WHERE state IN ('ready','sending','waiting')`, { by });
  yield* run(`UPDATE message SET ack_deadline_at = ack_deadline_at + @by WHERE ack IN ('due','sending')`, { by });
}

/**
 * After the wall clock was set back: live messages written in the future keep the wait they had left when written, and no
 * account rests longer than `restMs`. Reads every live job.
 */
export function* rebaseTimers(now: number, restMs: number): Verb<void> {
  yield* run(MESSAGES, { now });
  yield* run(ACKS, { now });
  yield* run(RESTS, { latest: now + restMs });
}
