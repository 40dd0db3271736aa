import type { Channel } from "../../domain/channel/channel.ts";
import type { Job } from "../../domain/delivery/delivery.ts";
import { type AccountId, type ChannelId, type ChatId, fitGatewayId } from "../../domain/ids.ts";
import type { ChannelEvent, LateFailure, RelayedEvent } from "../../domain/message/message.ts";
import type { Acceptance, Arrival } from "../outbox.ts";
import { isNoteOf } from "../tables/channels/channels.ts";
import { isTaken, laneOf } from "../tables/messages/messages.ts";
import type { MessageRow } from "../tables/schema.ts";
import { liveInLane } from "../tables/states.ts";
import type { AccountHint } from "./dealing.ts";
import {
  actRow,
  albumOf,
  type ChannelRef,
  columnOf,
  DEFAULTS,
  eventRow,
  firstJob,
  type InboundMessage,
  type MessageColumn,
  type NewRow,
  partRow,
} from "./rows.ts";

// Accepting is three steps: an engine looks at what the tables say about each candidate, a pure plan decides what is new, and
// the engine stores that.

/** What may become a message. */
export interface Candidate {
  channel: ChannelRef;
  direction: "inbound" | "outbound";
  /** The messenger's id of its chat, and the gateway's. */
  chat: ChatId;
  gatewayChat: string;
  /** Absent on our own notes. */
  key?: string;
  messengerMessageId?: string;
  gatewayMessageId?: string;
  /** It makes its chat known. */
  meets: boolean;
  /** Chat and customer of a message: with it a new conversation begins, should they have been erased. */
  names?: string[];
  /** What it is an album's part of. */
  album?: { name: string; event: InboundMessage };
  /** Of the lease under which it may leave at once. */
  fence?: number;
  /** Nothing is stored if the chat is not known any more. */
  toKnown?: boolean;
  /** `since`: when its chat had its first message, ms. */
  row(since: number): NewRow;
}

/** What the tables say about a candidate. */
export interface Look {
  known: boolean;
  /** Another message of its lane is live. */
  busy: boolean;
  /** Another message has one of its ids. */
  taken: boolean;
  /** When its chat had its first message, ms. */
  since: number | null;
  /** It may leave at once, as far as lease, account and channel go. */
  leaves: boolean;
}

/** The columns of `Look` that the rows of messages tell. `value`: SQL of one of the candidate's. */
export function messageLook(value: (name: MessageColumn) => string): string {
  const taken = (name: MessageColumn) => isTaken("message", columnOf(name), value(name), value("channelId"));
  return `EXISTS (SELECT 1 FROM message WHERE channel_id = ${value("channelId")} AND direction = ${value("direction")}
      AND dedupe_key IS NOT NULL AND dedupe_key = ${value("dedupeKey")}) AS known,
    EXISTS (${liveInLane(value)}) AS busy,
    ${taken("messengerMessageId")} OR ${taken("gatewayMessageId")} AS taken`;
}

/** It has not left: the gateway would ignore a repeat with one more part. Sent again, it has another position. */
export const OPEN_ALBUM = "state = 'ready' AND attempts = 0 AND unsure = 0 AND position = id";
export type OpenAlbum = Pick<
  MessageRow,
  "id" | "channelId" | "album" | "direction" | "payload" | "work" | "messengerMessageId"
>;

/** `events` is 0 for our own notes, which the ledger does not count, and which have no key. */
export function eventCandidate(channel: ChannelRef, event: RelayedEvent, now: number, events: 0 | 1 = 1): Candidate {
  const isMessage = event.type === "message";
  const meets = isMessage && !event.late;
  return {
    channel,
    direction: "inbound",
    chat: laneOf(event),
    gatewayChat: fitGatewayId(event.chat),
    meets,
    key: events === 1 ? event.key : undefined,
    messengerMessageId: isMessage ? event.messengerMessageId : undefined,
    names: meets ? [event.chat, event.customer?.id ?? event.chat] : undefined,
    album: isMessage && event.album ? { name: albumOf(event, event.album), event } : undefined,
    row: (since) => eventRow(channel, event, since, now, events),
  };
}

/** `chat`: the messenger's id. */
export function actCandidate(channel: Channel, acceptance: Acceptance, chat: ChatId, now: number): Candidate {
  const { key, act, toKnown } = acceptance;
  const isMessage = act.type === "message";
  return {
    channel,
    direction: "outbound",
    chat,
    gatewayChat: fitGatewayId(chat),
    meets: isMessage,
    key,
    toKnown,
    gatewayMessageId: isMessage ? act.gatewayMessageId : undefined,
    names: isMessage ? [chat] : undefined,
    row: () => actRow(channel, acceptance, chat, now),
  };
}

/** The columns of a new row that its plan fills. */
export const NEW_COLUMNS = [
  ...(["accountId", "channelId", "direction", "kind", "chat", "dedupeKey", "events", "gatewayMessageId"] as const),
  ...(["messengerMessageId", "firstId", "state", "carrier", "album", "known", "runAt", "deadlineAt"] as const),
  ...(["payload", "work", "head", "attempts", "fence"] as const),
] satisfies MessageColumn[];
export const ALBUM_COLUMNS = ["payload", "runAt", "firstId", "updatedAt"] as const satisfies MessageColumn[];

/** `n` counts from 1. A part of an album that is stored with it has `carrier` -n of that. */
type Row = NewRow &
  Pick<MessageRow, keyof typeof DEFAULTS | "runAt" | "head" | "fence" | "attempts"> & { n: number; now: number };
interface Fresh {
  /** Its index among the candidates. */
  of: number;
  row: Row;
}

/** What is new of the candidates. */
export interface Plan {
  fresh: Fresh[];
  chats: { channelId: string; gatewayChat: string; chat: string }[];
  changes: (ReturnType<typeof changeOf> & { id: number })[];
}
const changeOf = (joined: NonNullable<ReturnType<typeof partRow>>) => joined.change;

interface Given {
  candidates: Candidate[];
  looks: Look[];
  /** Those that candidates may join, the oldest of a name first. */
  albums: OpenAlbum[];
  /** Indices of candidates that were erased, and must not be stored. */
  erased: ReadonlySet<number>;
  now: number;
  /** Whether one more may leave; asked only for a candidate that else can. */
  mayLeave(candidate: number): boolean;
}

interface World {
  now: number;
  plan: Plan;
  /** What the candidates before have brought: keys, chats with the time of their first message, live lanes, ids. */
  seen: Map<string, number>;
  albums: Map<string, OpenAlbum & { row?: Row }>;
  mayLeave: Given["mayLeave"];
}

export function planNew({ candidates, looks, albums, erased, now, mayLeave }: Given): Plan {
  // Keep the oldest album of each name, even if it is full.
  const open = new Map(albums.toReversed().map((album) => [`${album.channelId} ${album.album}`, album]));
  const plan: Plan = { fresh: [], chats: [], changes: [] };
  const world: World = { now, plan, albums: open, mayLeave, seen: new Map() };
  for (const [n, candidate] of candidates.entries()) if (!erased.has(n)) decide(world, candidate, looks[n] as Look, n);
  return plan;
}

function decide(world: World, candidate: Candidate, look: Look, of: number): void {
  const { channel, direction, key, gatewayChat, chat, toKnown } = candidate;
  const { plan, seen, now, albums } = world;
  const event = key === undefined ? undefined : `key ${channel.id} ${direction} ${key}`;
  if (look.known || (event !== undefined && seen.has(event))) return;
  const chatName = `chat ${channel.id} ${gatewayChat}`;
  const since = look.since ?? seen.get(chatName);
  if (toKnown && since === undefined) return;
  if (event !== undefined) seen.set(event, now);
  if (joins(world, candidate, of, look)) return;
  if (candidate.meets && since === undefined) {
    plan.chats.push({ channelId: channel.id, gatewayChat, chat });
    seen.set(chatName, now);
  }
  const row = add(world, candidate.row(since ?? (candidate.meets ? now : Number.POSITIVE_INFINITY)), of, look);
  const lane = `lane ${channel.id} ${direction} ${chat}`;
  const isFirst = !look.busy && !seen.has(lane);
  seen.set(lane, now);
  if (isFirst) row.head = 1;
  if (isFirst && look.leaves && row.runAt <= now && world.mayLeave(of))
    Object.assign(row, { state: "sending", attempts: 1, fence: candidate.fence });
  const album = candidate.album && `${channel.id} ${candidate.album.name}`;
  if (album !== undefined && !albums.has(album)) albums.set(album, { ...openAlbum(row), row });
}

function add(world: World, row: NewRow, of: number, look: Look): Row {
  const { plan, now } = world;
  const n = plan.fresh.length + 1;
  // Not by spreading, which Node does slowly.
  const whole: Row = Object.assign({ n, now, runAt: now, head: 0, attempts: 0, fence: 0 }, DEFAULTS, row);
  forgetTaken(world, whole, look);
  plan.fresh.push({ of, row: whole });
  return whole;
}

/** Its id while it is not stored is its number, below zero. */
const openAlbum = ({ n, channelId, album, direction, payload, work, messengerMessageId }: Row): OpenAlbum => ({
  ...{ id: -n, channelId, album, direction, payload, work, messengerMessageId },
});

/** Whether it has become a part of an album that waits. */
function joins(world: World, { channel, album }: Candidate, of: number, look: Look): boolean {
  const name = album && `${channel.id} ${album.name}`;
  const open = name === undefined ? undefined : world.albums.get(name);
  const joined = open && album && partRow(channel, album.event, open, world.now);
  if (!joined || !open) return false;
  add(world, joined.part, of, look);
  const { payload, runAt } = joined.change;
  if (open.row) Object.assign(open.row, { payload, runAt, firstId: joined.change.firstId });
  else {
    world.plan.changes = world.plan.changes.filter(({ id }) => id !== open.id);
    world.plan.changes.push({ id: open.id, ...joined.change });
  }
  open.payload = payload;
  return true;
}

/** Another message has one of its ids: after a restored backup, or an echo of our own. */
function forgetTaken({ seen, now }: World, row: Row, look: Look): void {
  const { channelId, messengerMessageId, gatewayMessageId } = row;
  const ids: string[] = [];
  if (messengerMessageId !== null) ids.push(`messenger ${channelId} ${messengerMessageId}`);
  if (gatewayMessageId !== null) ids.push(`gateway ${channelId} ${gatewayMessageId}`);
  if (look.taken || ids.some((id) => seen.has(id)))
    Object.assign(row, { messengerMessageId: null, gatewayMessageId: null });
  else for (const id of ids) seen.set(id, now);
}

/** When what the plan adds is due. */
export const hintsOf = ({ fresh }: Plan): AccountHint[] =>
  fresh.flatMap(({ row: { accountId, channelId, direction, runAt, head, state } }) =>
    head === 1 && state === "ready"
      ? [{ accountId: accountId as AccountId, channelId: channelId as ChannelId, direction, at: runAt, jobs: 1 }]
      : [],
  );

/** The jobs that leave with the commit that stores the plan. `ids`: of its rows. */
export const leavingOf = ({ fresh }: Plan, ids: number[], now: number): { of: number; job: Job }[] =>
  fresh.flatMap(({ of, row }, n) =>
    row.state === "sending" && row.content
      ? [{ of, job: firstJob(row, ids[n] as number, row.fence, row.content, now) }]
      : [],
  );

type Accepted = Required<Pick<Arrival, "journal" | "notes">> & { events: RelayedEvent[]; failures: LateFailure[] };

const isFailure = (event: ChannelEvent): event is LateFailure => event.type === "failed";

/** Its channel's account was erased. */
export const NOTHING: Accepted = { events: [], failures: [], journal: [], notes: [] };

/** The arrival, failures apart, without repeats of erased messages and without what comes with those. */
export function withoutErased(
  { events: all, journal = [], notes = [] }: Arrival,
  isErased: (event: ChannelEvent) => boolean,
): Accepted {
  const failures = all.filter(isFailure);
  const events = failures.length === 0 ? (all as RelayedEvent[]) : all.filter((event) => !isFailure(event));
  const repeats = events.filter(isErased);
  if (repeats.length === 0) return { events, failures, journal, notes };
  const gone = new Set<string>(repeats.map(({ chat }) => chat));
  const isOfRepeat = (key: string) =>
    repeats.some(({ chat, messengerMessageId }) => isNoteOf(key, chat) || key.endsWith(`:${messengerMessageId}`));
  return {
    events: events.filter((event) => !isErased(event)),
    failures,
    journal: journal.filter(({ chat }) => !gone.has(chat)),
    notes: notes.filter(({ key }) => !isOfRepeat(key)),
  };
}
