import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Content, FilePart } from "gangway-messenger/message";
import { joinTexts, marksOf, wordsIn } from "gangway-messenger/text";
import type { Channel } from "../../domain/channel.ts";
import { type Ack, INBOUND_PATIENCE_MS, type Job, LATE_FILE_MS, laneOf, newWork } from "../../domain/delivery.ts";
import type { AccountId, JobId } from "../../domain/ids.ts";
import { type InboundMessage, leavesLast, type RelayedEvent } from "../../domain/message.ts";
import type { Acceptance } from "../outbox.ts";
import { columns, knownChat, type Transaction, type Verb } from "../tables/engine.ts";
import { contentOf, isTaken } from "../tables/messages/messages.ts";
import { type MessageRow, messages } from "../tables/schema.ts";

type Part = Pick<InboundMessage, "messengerMessageId" | "content">;

/** Files per message at the gateway (contract). */
const MAX_FILES = 20;
const numeric = new Intl.Collator("en", { numeric: true });

/** The album with one more part, in the messenger's order; undefined when it is full. */
function addToAlbum(album: InboundMessage, part: InboundMessage): InboundMessage | undefined {
  const parts = [...partsOf(album), part].sort((a, b) => numeric.compare(a.messengerMessageId, b.messengerMessageId));
  const [first] = parts;
  if (!first || parts.length > MAX_FILES) return undefined;
  return {
    ...album,
    messengerMessageId: first.messengerMessageId,
    quote: album.quote ?? part.quote,
    quoted: album.quoted ?? part.quoted,
    at: Math.min(album.at, part.at),
    content: mergeContents(parts.map(({ content }) => content)),
    pieces: parts.map(({ messengerMessageId, content }) => ({ messengerMessageId, content })),
  };
}

const partsOf = (event: InboundMessage): Part[] =>
  event.pieces ?? [{ messengerMessageId: event.messengerMessageId, content: event.content }];

function mergeContents(contents: Content[]): Content {
  const files: FilePart[] = contents.flatMap((content) => ("files" in content ? content.files : []));
  const words = joinTexts(contents.map(wordsIn), "\n");
  if (files.length === 0) return { type: "text", text: words.text, ...marksOf(words) };
  const types = new Set(contents.flatMap((content) => ("files" in content ? [content.type] : [])));
  const [type = "file"] = types.size === 1 ? types : [];
  return { type, files, note: words.text || undefined, ...marksOf(words) };
}

/** A qualified select list of `message`, for joins with tables that have columns of these names. */
export const listOf = (names: readonly MessageColumn[]): string =>
  columns(messages, names).replaceAll(/(^|, )/g, "$1message.");

// The job of a message's row, or of its ack.

const OF_JOB = [
  ...["id", "accountId", "channelId", "direction"],
  ...["crashes", "fatalCrashes", "createdAt", "updatedAt", "ackVersion"],
] as const;
const OF_MESSAGE_JOB = [
  ...["chat", "events", "album", "attempts", "unsure", "begun"],
  ...["deadlineAt", "fence", "doubtAt", "generation", "payload", "work"],
] as const;
const OF_ACK_JOB = ["ackBody", "ackAttempts", "ackDeadlineAt", "ackFence"] as const;
/** The columns that a message's job, or an ack's, is made of. */
export type MessageJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_MESSAGE_JOB)[number]>;
export type AckJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_ACK_JOB)[number]>;
export const MESSAGE_JOB = listOf([...OF_JOB, ...OF_MESSAGE_JOB]);
export const ACK_JOB = listOf([...OF_JOB, ...OF_ACK_JOB]);

export interface JobRows {
  acks: AckJobRow[];
  messages: MessageJobRow[];
}

/** Builds jobs from rows; returns apart the rows whose content cannot be read. */
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

/** The key by which the messenger recognizes the work. */
export const keyOf = ({ id, generation }: Pick<MessageRow, "id" | "generation">) =>
  generation === 0 ? String(id) : `${id}-${generation}`;

const messageJob = (
  row: Omit<MessageJobRow, "events" | "album" | "payload" | "work">,
  { task, work }: JobContent,
): Job => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  direction: row.direction,
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
  acceptedAt: row.createdAt,
  // Claims and recorded steps update it; takeovers do not.
  triedAt: row.updatedAt,
  task,
  work,
});

/** Columns of the ack that a message owes the gateway. */
export type DebtColumns = Pick<
  MessageRow,
  "ack" | "ackAttempts" | "ackBody" | "ackVersion" | "ackError" | "ackAt" | "ackDeadlineAt"
>;

/** A new debt, which replaces one of the older version. */
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

export function jobOfAck(row: Omit<AckJobRow, "ackBody">, ack: Ack): Job {
  const { id, accountId, channelId } = row;
  return {
    id: id as JobId,
    accountId: accountId as AccountId,
    channelId: channelId as ChannelId,
    direction: "ack",
    key: `ack ${id}`,
    ackVersion: row.ackVersion,
    attempts: row.ackAttempts,
    unsure: 0,
    crashes: row.crashes,
    fatalCrashes: row.fatalCrashes,
    begun: false,
    deadlineAt: row.ackDeadlineAt ?? 0,
    fence: row.ackFence ?? 0,
    acceptedAt: row.createdAt,
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

// The row of a message that is new.

/** A chat older than this is known, ms; floods come from new chats. */
const KNOWN_MS = 3_600_000;
/** How long an album waits for its next part, ms: parts arrive within a second, each in its own call. */
const ALBUM_MS = 1_200;

export type NewRow = Pick<
  MessageRow,
  "accountId" | "channelId" | "direction" | "kind" | "chat" | "events" | "deadlineAt" | keyof typeof DEFAULTS
> & { runAt?: number; content?: JobContent };
/** The parsed content of a row that may leave at once. */
type JobContent = Pick<Job, "task" | "work">;
/** Columns that not every new row sets. */
const DEFAULTS: Pick<MessageRow, "dedupeKey" | "gatewayMessageId" | "messengerMessageId" | "firstId"> &
  Pick<MessageRow, "carrier" | "album" | "state" | "known" | "payload" | "work"> = {
  ...{ dedupeKey: null, gatewayMessageId: null, messengerMessageId: null, firstId: null, carrier: null, album: null },
  ...{ state: "ready", known: 0, payload: null, work: null },
};

export type ChannelRef = Pick<Channel, "id" | "accountId">;

/** Maps a chat id that was shortened for the gateway back to the messenger's. */
export function* messengerChat(tx: Transaction, channelId: ChannelId, gatewayChat: ChatId): Verb<ChatId> {
  const known = gatewayChat.startsWith("h:") ? yield* knownChat(tx, channelId, gatewayChat) : undefined;
  return (known?.chat ?? gatewayChat) as ChatId;
}

/** `since`: when its chat had its first message, ms. `events` is 0 for our own notes, which have no key. */
export function eventRow(channel: ChannelRef, event: RelayedEvent, since: number, now: number, events: 0 | 1): NewRow {
  const album = event.type === "message" && event.album ? albumOf(event, event.album) : null;
  return {
    ...columnsOf(channel, event, events),
    payload: JSON.stringify(event),
    content: { task: { direction: "inbound", event } },
    known: since <= now - KNOWN_MS && !leavesLast(event) ? 1 : 0,
    deadlineAt: now + (event.type === "message" && event.late ? LATE_FILE_MS : INBOUND_PATIENCE_MS),
    album,
    runAt: album === null ? undefined : now + ALBUM_MS,
  };
}

const columnsOf = (channel: ChannelRef, event: RelayedEvent, events: 0 | 1) => ({
  ...DEFAULTS,
  accountId: channel.accountId,
  channelId: channel.id,
  direction: "inbound" as const,
  kind: event.type,
  chat: laneOf(event),
  events,
  dedupeKey: events === 0 ? null : event.key,
  messengerMessageId: event.type === "message" ? event.messengerMessageId : null,
});

/** Names an album within its channel. */
export const albumOf = ({ chat }: InboundMessage, album: string): string => `${chat}/${album}`;

/** The row of an album's next part, and the changes of the album's row; undefined when the album takes no more. */
export function partRow(
  channel: ChannelRef,
  event: InboundMessage,
  carrier: Pick<MessageRow, "id" | "direction" | "payload" | "work" | "messengerMessageId">,
  now: number,
): { part: NewRow; change: Pick<MessageRow, "payload" | "runAt" | "updatedAt" | "firstId"> } | undefined {
  const task = contentOf(carrier)?.task;
  if (task?.direction !== "inbound" || task.event.type !== "message") return undefined;
  const whole = addToAlbum(task.event, event);
  if (!whole) return undefined;
  const { messengerMessageId: first } = whole;
  return {
    part: { ...columnsOf(channel, event, 1), state: "carried", carrier: carrier.id, deadlineAt: 0 },
    change: {
      ...{ payload: JSON.stringify(whole), runAt: now + ALBUM_MS, updatedAt: now },
      firstId: first === carrier.messengerMessageId ? null : first,
    },
  };
}

/** `chat`: the messenger's id. */
export function actRow(channel: ChannelRef, acceptance: Acceptance, chat: ChatId, now: number): NewRow {
  const { key, act, plan, patienceMs } = acceptance;
  const toChat = chat === act.chat ? act : { ...act, chat };
  const work = plan && newWork(plan);
  return {
    ...DEFAULTS,
    accountId: channel.accountId,
    channelId: channel.id,
    direction: "outbound",
    kind: act.type,
    chat,
    dedupeKey: key,
    events: 1,
    payload: JSON.stringify(toChat),
    content: { task: { direction: "outbound", act: toChat }, work },
    deadlineAt: now + patienceMs,
    gatewayMessageId: act.type === "message" ? act.gatewayMessageId : null,
    // One step is planned again when it runs; several must survive a crash between them.
    work: work && work.plan.steps.length > 1 ? JSON.stringify(work) : null,
  };
}

/** The job of a message that leaves with the commit that stores it. */
export function firstJob(row: NewRow, id: number, fence: number, content: JobContent, now: number): Job {
  const { accountId, channelId, direction, chat, deadlineAt } = row;
  const stored = {
    id,
    accountId,
    channelId,
    direction,
    chat,
    deadlineAt,
    fence,
    attempts: 1,
    createdAt: now,
    updatedAt: now,
    unsure: 0,
    crashes: 0,
    fatalCrashes: 0,
    begun: 0,
    doubtAt: null,
    ackVersion: 0,
    generation: 0,
  };
  return messageJob(stored, content);
}

// A job's result is an update of its row. The update checks that the job is still under way under its fence: the next
// holder of the lease changes the fence of all jobs that it takes over.

/** What an update changes, and the state that it requires. */
type Kind = "message" | "ack" | "overdue";

export interface Update {
  kind: Kind;
  job: Pick<Job, "id" | "ackVersion"> & { fence?: number };
  /** Overdue messages only, which no process runs: the latest deadline that counts as passed, ms. */
  until?: number;
  set: Partial<MessageRow>;
}

export type MessageColumn = keyof MessageRow;
export const columnOf = (name: MessageColumn): string => messages[name].name;

/** How an engine writes the values of an update. */
export interface Dialect {
  value(name: MessageColumn | "was" | "version" | "until"): string;
  /** SQL of a column of tries with one more entry, or unchanged if there is no error. */
  tried(name: "tries" | "ackTries"): string;
  /** SQL: whether the ack leaves with the update that owes it. Absent where the engine decides that before. */
  leaves?: string;
}

export function currentOf(kind: Kind, { value }: Dialect): string {
  if (kind === "message") return `message.state = 'sending' AND message.fence = ${value("was")}`;
  if (kind === "overdue") return `message.state IN ('ready','waiting') AND message.deadline_at <= ${value("until")}`;
  return `message.ack = 'sending' AND message.ack_fence = ${value("was")} AND message.ack_version = ${value("version")}`;
}

/** Caches the texts of updates by their kind and the columns that they set. */
export function textsBy(build: (kind: Kind, names: MessageColumn[]) => string): (update: Update) => string {
  const texts = new Map<string, string>();
  return ({ kind, set }) => {
    const names = (Object.keys(set) as MessageColumn[]).filter((name) => set[name] !== undefined);
    const key = `${kind} ${names.join()}`;
    const text = texts.get(key) ?? build(kind, names);
    texts.set(key, text);
    return text;
  };
}

export const assignmentsOf = (kind: Kind, names: MessageColumn[], dialect: Dialect): string =>
  names.map((name) => `${columnOf(name)} = ${expressionOf(kind, name, names, dialect)}`).join(", ");

function expressionOf(kind: Kind, name: MessageColumn, names: MessageColumn[], dialect: Dialect): string {
  const value = dialect.value(name);
  if (name === "tries" || name === "ackTries") return dialect.tried(name);
  if (name === "gatewayMessageId" || name === "messengerMessageId") return unlessTaken(name, value);
  // A new debt replaces an older one.
  if (name === "ackVersion") return "message.ack_version + 1";
  if (name === "state") return unlessResumed(value);
  if (kind === "ack" && name === "updatedAt") return unlessLive(value);
  if (!dialect.leaves || !names.includes("ackFence")) return value;
  if (name === "ack") return `CASE WHEN ${dialect.leaves} THEN 'sending' ELSE 'due' END`;
  if (name === "ackAttempts") return `CASE WHEN ${dialect.leaves} THEN 1 ELSE 0 END`;
  return value;
}

/** Keeps an id from a second message, as after a restored backup, or when a messenger echoes our own message. */
const unlessTaken = (name: MessageColumn, value: string) =>
  `CASE WHEN ${isTaken("message", columnOf(name), value)} THEN message.${columnOf(name)} ELSE ${value} END`;
/** Makes a message ready instead of waiting if its channel was resumed or removed meanwhile. */
const unlessResumed = (value: string) => `CASE WHEN ${value} = 'waiting' AND NOT EXISTS (
  SELECT 1 FROM channel WHERE id = message.channel_id AND channel.state = 'stopped') THEN 'ready' ELSE ${value} END`;
/** An ack leaves `updated_at` of a live message alone: it times the message's own delivery. */
const unlessLive = (value: string): string =>
  `CASE WHEN message.state IN ('ready','sending','waiting') THEN message.updated_at ELSE ${value} END`;

/** SET clauses of a claim, for a message and for an ack. `fence`: SQL of the lease's fence. */
export const claimSets = (fence: string) => ({
  message: `state = 'sending', attempts = message.attempts + 1, begun = 0, in_own_code = 0, fence = ${fence}, updated_at = @now`,
  ack: `ack = 'sending', ack_attempts = message.ack_attempts + 1, ack_fence = ${fence}, in_own_code = 0,
    updated_at = ${unlessLive("@now")}`,
});
/** When a message, or an ack, can be claimed. `head`: no older message of its lane is live. */
export const CLAIMABLE = {
  message: "head = 1 AND message.state = 'ready' AND run_at <= @now",
  ack: "message.ack = 'due' AND ack_at <= @now",
};

const OF_MESSAGE = [
  ...(["id", "accountId", "channelId", "direction", "kind", "chat", "events", "album", "state"] as const),
  ...(["ack", "crashes", "fatalCrashes", "createdAt", "updatedAt"] as const),
] as const;
const OF_ACK = ["ackVersion", "ackAttempts", "ackDeadlineAt", "ackFence"] as const;
const OF_LANE = ["head", "known", "runAt", "ackAt"] as const;

/** What an update returns, besides the ack's state before. `OF_LANE`: also what hints need. */
export type Recorded = Pick<MessageRow, (typeof OF_MESSAGE)[number] | (typeof OF_ACK)[number]> & {
  ackBefore: MessageRow["ack"] | undefined;
  /** Accepted events of its album's other parts. */
  carried: number;
};
export type RecordedLane = Recorded & Pick<MessageRow, (typeof OF_LANE)[number]>;

const CARRIED = `CASE WHEN message.album IS NULL THEN 0
  ELSE (SELECT coalesce(sum(part.events), 0) FROM message AS part WHERE part.carrier = message.id) END AS carried`;
export const RETURNED = `${listOf([...OF_MESSAGE, ...OF_ACK])}, ${CARRIED}`;
export const RETURNED_LANE = `${listOf([...OF_MESSAGE, ...OF_ACK, ...OF_LANE])}, ${CARRIED}`;

/** The columns of a new row that its plan fills. */
export const NEW_COLUMNS = [
  ...(["accountId", "channelId", "direction", "kind", "chat", "dedupeKey", "events", "gatewayMessageId"] as const),
  ...(["messengerMessageId", "firstId", "state", "carrier", "album", "known", "runAt", "deadlineAt"] as const),
  ...(["payload", "work", "head", "attempts", "fence"] as const),
] satisfies MessageColumn[];
export const ALBUM_COLUMNS = ["payload", "runAt", "firstId", "updatedAt"] as const satisfies MessageColumn[];

/** An album that has not left: the gateway would ignore a repeat with one more part. Resending changes `position`. */
export const OPEN_ALBUM = "state = 'ready' AND attempts = 0 AND unsure = 0 AND position = id";
export type OpenAlbum = Pick<
  MessageRow,
  "id" | "channelId" | "album" | "direction" | "payload" | "work" | "messengerMessageId"
>;
