import { sql } from "drizzle-orm";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import type { Channel } from "../../domain/channel.ts";
import { type Bounds, type Job, laneOf, type MessageDirection, namesIn, refusing } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { fitGatewayId, type InboundMessage, type LateFailure, type RelayedEvent } from "../../domain/message.ts";
import type { AccountLimits } from "../../domain/pausing.ts";
import type { Note } from "../channels.ts";
import type { Acceptance, Arrival } from "../outbox.ts";
import { limitsOf } from "../tables/accounts/accounts.ts";
import { isNoteOf } from "../tables/channels/channels.ts";
import { chatsOf } from "../tables/channels/raw-webhooks.ts";
import { all, liveInLane, type Transaction, type Verb } from "../tables/engine.ts";
import { type Gone, type MessageKey, type Named, NOTHING_GONE } from "../tables/erasing/erasures.ts";
import { isTaken } from "../tables/messages/messages.ts";
import type { MessageRow } from "../tables/schema.ts";
import type { AccountHint } from "./dealing.ts";
import {
  actRow,
  albumOf,
  type ChannelRef,
  columnOf,
  eventRow,
  firstJob,
  type MessageColumn,
  type NewRow,
  type OpenAlbum,
  partRow,
} from "./rows.ts";

// Accepting takes three steps: an engine looks up what the tables say about each candidate, a pure function plans what
// is new, and the engine stores the plan.

/** What may become a message. */
export interface Candidate {
  channel: ChannelRef;
  direction: MessageDirection;
  /** The messenger's id of its chat, and the gateway's. */
  chat: ChatId;
  gatewayChat: string;
  /** Absent on our own notes. */
  key?: string;
  messengerMessageId?: string;
  gatewayMessageId?: string;
  /** Whether it makes its chat known. */
  opensChat: boolean;
  /** Chat and customer of a message: if they were erased, the message begins a new conversation with them. */
  names?: string[];
  /** The inbound event; absent on acts. */
  event?: RelayedEvent;
  /** Imported history: it says nothing about current activity. */
  isPast?: true;
  /** It cannot begin a conversation: it is dropped if its people were erased since it was written. */
  isOld?: boolean;
  /** The album that it is a part of. */
  album?: { name: string; event: InboundMessage };
  /** Fence of the lease under which it may leave at once. */
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
  /** Whether lease, account and channel let it leave at once. */
  leaves: boolean;
}

/** SQL of the columns of `Look` that the table `message` tells. `value`: SQL of a candidate's column. */
export function messageLook(value: (name: MessageColumn) => string): string {
  const taken = (name: MessageColumn) => isTaken("message", columnOf(name), value(name), value("channelId"));
  return `EXISTS (SELECT 1 FROM message WHERE channel_id = ${value("channelId")} AND direction = ${value("direction")}
      AND dedupe_key IS NOT NULL AND dedupe_key = ${value("dedupeKey")}) AS known,
    EXISTS (${liveInLane(value)}) AS busy,
    ${taken("messengerMessageId")} OR ${taken("gatewayMessageId")} AS taken`;
}

/** `events` is 0 for our own notes, which the ledger does not count, and which have no key. */
export function eventCandidate(channel: ChannelRef, event: RelayedEvent, now: number, events: 0 | 1 = 1): Candidate {
  const isMessage = event.type === "message";
  const opensChat = isMessage && !event.late;
  return {
    channel,
    direction: "inbound",
    chat: laneOf(event),
    gatewayChat: fitGatewayId(event.chat),
    opensChat,
    key: events === 1 ? event.key : undefined,
    messengerMessageId: isMessage ? event.messengerMessageId : undefined,
    names: opensChat && !event.past ? [event.chat, event.customer?.id ?? event.chat] : undefined,
    event,
    isOld: !isMessage || event.past,
    isPast: isMessage ? event.past : undefined,
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
    opensChat: isMessage,
    key,
    toKnown,
    gatewayMessageId: isMessage ? act.gatewayMessageId : undefined,
    names: isMessage ? [chat] : undefined,
    row: () => actRow(channel, acceptance, chat, now),
  };
}

/** `n` counts from 1. A part stored together with its album has the album's -n as its `carrier`. */
type Row = NewRow & Pick<MessageRow, "runAt" | "head" | "fence" | "attempts"> & { n: number; now: number };
interface Fresh {
  /** Its index among the candidates. */
  of: number;
  row: Row;
}

/** What is new among the candidates. */
export interface Plan {
  fresh: Fresh[];
  chats: { channelId: string; gatewayChat: string; chat: string }[];
  changes: (ReturnType<typeof changeOf> & { id: number })[];
}
const changeOf = (joined: NonNullable<ReturnType<typeof partRow>>) => joined.change;

interface Given {
  candidates: Candidate[];
  looks: Look[];
  /** Open albums that candidates may join; of one name, the oldest comes first. */
  albums: OpenAlbum[];
  erased: Gone;
  now: number;
  /** Takes a slot for this candidate, if one is left. Asked only when nothing else keeps it from leaving. */
  mayLeave(candidate: number): boolean;
}

interface Planning {
  now: number;
  plan: Plan;
  /** What earlier candidates have added: keys, chats with the time of their first message, live lanes, ids. */
  seen: Map<string, number>;
  albums: Map<string, OpenAlbum & { row?: Row }>;
  mayLeave: Given["mayLeave"];
}

export function planNew({ candidates, looks, albums, erased, now, mayLeave }: Given): Plan {
  // Keep the oldest album of each name, even if it is full.
  const open = new Map(albums.toReversed().map((album) => [`${album.channelId} ${album.album}`, album]));
  const plan: Plan = { fresh: [], chats: [], changes: [] };
  const planning: Planning = { now, plan, albums: open, mayLeave, seen: new Map() };
  const allowed = new Set(withoutErased(candidates, erased));
  for (const [n, candidate] of candidates.entries())
    if (allowed.has(candidate)) decide(planning, candidate, looks[n] as Look, n);
  return plan;
}

function decide(planning: Planning, candidate: Candidate, look: Look, of: number): void {
  const { channel, direction, key, gatewayChat, chat, toKnown } = candidate;
  const { plan, seen, now, albums } = planning;
  const event = key === undefined ? undefined : `key ${channel.id} ${direction} ${key}`;
  if (look.known || (event !== undefined && seen.has(event))) return;
  const chatName = `chat ${channel.id} ${gatewayChat}`;
  const since = look.since ?? seen.get(chatName);
  if (toKnown && since === undefined) return;
  if (event !== undefined) seen.set(event, now);
  if (joinAlbum(planning, candidate, of, look)) return;
  if (candidate.opensChat && since === undefined) {
    plan.chats.push({ channelId: channel.id, gatewayChat, chat });
    seen.set(chatName, now);
  }
  const row = add(planning, candidate.row(since ?? (candidate.opensChat ? now : Number.POSITIVE_INFINITY)), of, look);
  const lane = `lane ${channel.id} ${direction} ${chat}`;
  const isFirst = !look.busy && !seen.has(lane);
  seen.set(lane, now);
  if (isFirst) row.head = 1;
  if (isFirst && look.leaves && row.runAt <= now && planning.mayLeave(of))
    Object.assign(row, { state: "sending", attempts: 1, fence: candidate.fence });
  const album = candidate.album && `${channel.id} ${candidate.album.name}`;
  if (album !== undefined && !albums.has(album)) albums.set(album, { ...openAlbum(row), row });
}

function add(planning: Planning, row: NewRow, of: number, look: Look): Row {
  const { plan, now } = planning;
  const n = plan.fresh.length + 1;
  const whole: Row = { ...row, n, now, runAt: row.runAt ?? now, head: 0, attempts: 0, fence: 0 };
  dropTakenIds(planning, whole, look);
  plan.fresh.push({ of, row: whole });
  return whole;
}

/** An album that is not stored yet has its number, negated, as its id. */
const openAlbum = ({ n, channelId, album, direction, payload, work, messengerMessageId }: Row): OpenAlbum => ({
  ...{ id: -n, channelId, album, direction, payload, work, messengerMessageId },
});

/** Makes the candidate a part of a waiting album; false if there is none to join. */
function joinAlbum(planning: Planning, { channel, album }: Candidate, of: number, look: Look): boolean {
  const name = album && `${channel.id} ${album.name}`;
  const open = name === undefined ? undefined : planning.albums.get(name);
  const joined = open && album && partRow(channel, album.event, open, planning.now);
  if (!joined || !open) return false;
  add(planning, joined.part, of, look);
  const { payload, runAt } = joined.change;
  if (open.row) Object.assign(open.row, { payload, runAt, firstId: joined.change.firstId });
  else {
    planning.plan.changes = planning.plan.changes.filter(({ id }) => id !== open.id);
    planning.plan.changes.push({ id: open.id, ...joined.change });
  }
  open.payload = payload;
  return true;
}

/** Drops the row's ids if another message has one, as after a restored backup, or for an echo of our own message. */
function dropTakenIds({ seen, now }: Planning, row: Row, look: Look): void {
  const { channelId, messengerMessageId, gatewayMessageId } = row;
  const ids: string[] = [];
  if (messengerMessageId !== null) ids.push(`messenger ${channelId} ${messengerMessageId}`);
  if (gatewayMessageId !== null) ids.push(`gateway ${channelId} ${gatewayMessageId}`);
  if (look.taken || ids.some((id) => seen.has(id)))
    Object.assign(row, { messengerMessageId: null, gatewayMessageId: null });
  else for (const id of ids) seen.set(id, now);
}

export const messageKey = ({ channel, direction, key }: Candidate): MessageKey => ({
  ...{ channelId: channel.id, direction, dedupeKey: key ?? null },
});

/** Erased people of whom the plan has new messages are in a new conversation: lifts their tombstones. */
export const liftTombstones = ({ fresh }: Plan, candidates: Candidate[], erased: Gone): Verb<void> =>
  erased.liftTombstones(
    fresh.flatMap(({ of }) => {
      const { channel, names = [] } = candidates[of] as Candidate;
      return names.map((name) => ({ channelId: channel.id, name }));
    }),
  );

/** Hints of when the heads that the plan adds are due. */
export const hintsOf = ({ fresh }: Plan): AccountHint[] =>
  fresh.flatMap(({ row: { accountId, channelId, direction, runAt, head, state } }) =>
    head === 1 && state === "ready"
      ? [{ accountId: accountId as AccountId, channelId: channelId as ChannelId, direction, at: runAt, jobs: 1 }]
      : [],
  );

/** The jobs that leave with the commit that stores the plan. `ids`: the ids of the stored rows, in order. */
export const immediateJobsOf = ({ fresh }: Plan, ids: number[], now: number): { of: number; job: Job }[] =>
  fresh.flatMap(({ of, row }, n) =>
    row.state === "sending" && row.content
      ? [{ of, job: firstJob(row, ids[n] as number, row.fence, row.content, now) }]
      : [],
  );

/** Splits an arrival into candidates and failures of earlier messages. */
export function splitArrival(
  { events, again = false, listed = false }: Arrival,
  channel: Channel,
  now: number,
): { candidates: Candidate[]; failures: LateFailure[] } {
  const candidates: Candidate[] = [];
  const failures: LateFailure[] = [];
  for (const event of events)
    if (event.type === "failed") failures.push(event);
    else candidates.push(eventCandidate(channel, event, now));
  if (again || listed) for (const candidate of candidates) candidate.isOld = true;
  return { candidates, failures };
}

/** The people whose erasure may exclude an old candidate. */
export const peopleOf = (candidates: Candidate[]): Named[] =>
  candidates.flatMap(({ channel, event, isOld }) =>
    event && isOld ? namesIn(event).map((name) => ({ channelId: channel.id, name })) : [],
  );

/** Drops repeats of erased messages, and candidates older than the erasure of their people. */
export function withoutErased(candidates: Candidate[], erased: Gone): Candidate[] {
  if (erased === NOTHING_GONE) return candidates;
  const isOlder = (each: Candidate) =>
    peopleOf([each]).some((of) => (erased.buriedAt(of) ?? -1) >= (each.event?.at ?? 0));
  return candidates.filter((each) => !erased.has(messageKey(each)) && !isOlder(each));
}

/** The journal rows and notes of an arrival, without those about erased candidates. */
export function journalAndNotes(
  { journal = [], notes = [] }: Partial<Arrival>,
  candidates: Candidate[],
  channelId: ChannelId,
  erased: Gone,
): Required<Pick<Arrival, "journal" | "notes">> {
  if (erased.channels.has(channelId)) return { journal: [], notes: [] };
  const allowed = withoutErased(candidates, erased);
  if (allowed.length === candidates.length) return { journal, notes };
  const left = new Set(allowed);
  const events = candidates.flatMap((each) => (each.event && !left.has(each) ? [each.event] : []));
  const gone = new Set<string>(events.map(({ chat }) => chat));
  const speaking = new Set(allowed.flatMap(({ event }) => event?.chat ?? []));
  const isOfChat = ({ key, value }: Note, chat: ChatId) =>
    !speaking.has(chat) && (isNoteOf(key, chat) || value === chat);
  const isOfEvent = (note: Note) =>
    events.some(({ chat, messengerMessageId: id }) => isOfChat(note, chat) || note.key.endsWith(`:${id}`));
  return {
    journal: journal.filter((row) => !chatsOf(row).some((chat) => gone.has(chat))),
    notes: notes.filter((note) => !isOfEvent(note)),
  };
}

// How much may wait. Live messages in the database are counted now and then: often near a bound, rarely elsewhere. What
// this process accepts between counts is added. A bound is exceeded at most by what other processes accept while a
// count holds, and by what is being stored.

interface ToAdmit {
  accountId: string;
  channelId: string;
  direction: MessageDirection;
  /** The chat of each message, as the messenger names it. */
  chats: string[];
}

/** Call it with the number of new messages once they are stored, or have failed; with 0 if they were rolled back. */
type Admitted = (added: number) => void;

interface Backpressure {
  /** A batch that begins below the bounds is admitted whole. Throws Overload. */
  admit(tx: Transaction, what: ToAdmit): Verb<Admitted>;
}

/** Shares of the account's bound for customers and agents: neither can use up the other's. */
const SHARES = { inbound: 0.75, outbound: 0.25 };
/** A channel may hold this multiple of the share's free part: one flooded channel leaves a fifth free, two leave a ninth. */
const CHANNEL_TIMES_LEFT = 4;
/** How long a count holds, ms: far from a bound; near one; and there at least this multiple of the time it took. */
const [CALM_MS, NEAR_MS, NEAR_TIMES] = [60_000, 1_000, 10];

const shareOf = ({ perAccount }: Bounds, direction: MessageDirection): number =>
  Math.min(perAccount, Math.max(1, Math.floor(perAccount * SHARES[direction])));
/** An account with fewer live messages than this reaches no bound of its own. */
const leastBound = (bounds: Bounds): number =>
  Math.min(bounds.perLane, (shareOf(bounds, "outbound") * CHANNEL_TIMES_LEFT) / (CHANNEL_TIMES_LEFT + 1));

/** A direction of an account, or of one of its channels. */
const wayOf = (direction: MessageDirection, channelId = ""): string => `${channelId} ${direction}`;
const TOTAL = "";
const addTo = (counts: Map<string, number>, way: string, by: number) => counts.set(way, (counts.get(way) ?? 0) + by);

/** Live messages by way. */
interface Count {
  live: Map<string, number>;
  /** `own`: accepted by this process since its start; `underWay`: not yet stored; `before`: stored at the count. */
  own: Map<string, number>;
  underWay: Map<string, number>;
  before: Map<string, number>;
  /** On the monotonic clock, ms. */
  countedAt: number;
  tookMs: number;
}

const newCount = (): Count => ({
  ...{ live: new Map(), own: new Map(), underWay: new Map(), before: new Map() },
  ...{ countedAt: Number.NEGATIVE_INFINITY, tookMs: 0 },
});

const liveOf = ({ live, own, before }: Count, way: string): number =>
  (live.get(way) ?? 0) + (own.get(way) ?? 0) - (before.get(way) ?? 0);

export function createBackpressure(bounds: Bounds, clock: Pick<Clock, "monotonic">): Backpressure {
  const refuse = refusing();
  const isUnlimited = leastBound(bounds) === Number.POSITIVE_INFINITY && bounds.all === Number.POSITIVE_INFINITY;
  /** An account's own bounds, never above the whole. */
  const boundsOf = ({ jobs }: AccountLimits): Bounds =>
    jobs === undefined ? bounds : { ...bounds, perAccount: Math.min(jobs, bounds.all) };
  const whole = newCount();
  const accounts = new Map<string, Count>();
  const accountOf = (id: string): Count => {
    const known = accounts.get(id) ?? newCount();
    accounts.set(id, known);
    return known;
  };
  const isFresh = (count: Count, near: number) => {
    const isCalm = liveOf(count, TOTAL) < near;
    const holds = isCalm ? CALM_MS : Math.min(CALM_MS, Math.max(NEAR_MS, NEAR_TIMES * count.tookMs));
    return clock.monotonic() < count.countedAt + holds;
  };
  const recount = function* (count: Count, read: () => Verb<[way: string, live: number][]>): Verb<void> {
    const asked = clock.monotonic();
    const last = count.countedAt;
    // Set before the read, so that concurrent callers do not count, too.
    count.countedAt = asked;
    // Writes under way may not be committed yet. Counting them twice refuses a message a second early at worst.
    const before = new Map([...count.own].map(([way, own]) => [way, own - (count.underWay.get(way) ?? 0)]));
    const live = new Map<string, number>();
    try {
      for (const [way, n] of yield* read()) addTo(live, way, n);
    } catch (error) {
      count.countedAt = last;
      throw error;
    }
    Object.assign(count, { live, before, tookMs: clock.monotonic() - asked });
  };
  const assertRoom = (what: ToAdmit, own: Bounds): void => {
    const { accountId, channelId, direction } = what;
    if (liveOf(whole, TOTAL) >= bounds.all) refuse("process");
    const account = accountOf(accountId);
    const left = shareOf(own, direction) - liveOf(account, wayOf(direction));
    if (left <= 0) refuse("account", what);
    if (liveOf(account, wayOf(direction, channelId)) >= left * CHANNEL_TIMES_LEFT) refuse("channel", what);
  };
  return {
    *admit(tx, what) {
      const { accountId, channelId, direction, chats } = what;
      const most = chats.length;
      if (most === 0 || isUnlimited) return () => undefined;
      const own = boundsOf(yield* limitsOf(tx, accountId));
      const account = accountOf(accountId);
      if (!isFresh(whole, bounds.all / 2)) yield* recount(whole, () => countAll(tx, bounds));
      if (!isFresh(account, leastBound(own) / 2)) yield* recount(account, () => countAccount(tx, accountId, own));
      assertRoom(what, own);
      // Never refuse customers for one long chat: their messenger would hold back all other chats, too.
      if (direction === "outbound" && liveOf(account, wayOf(direction, channelId)) >= bounds.perLane)
        for (const chat of new Set(chats)) {
          const deeper = yield* all(DEEPER, { channelId, direction, chat, limit: bounds.perLane - 1 });
          if (deeper.length > 0) refuse("lane", what);
        }
      // Check again: others may have been admitted during the count.
      assertRoom(what, own);
      const adjust = (counts: "own" | "underWay", by: number) => {
        addTo(whole[counts], TOTAL, by);
        for (const way of [TOTAL, wayOf(direction), wayOf(direction, channelId)]) addTo(account[counts], way, by);
      };
      adjust("own", most);
      adjust("underWay", most);
      let [counted, isUnderWay] = [most, true];
      return (added) => {
        if (isUnderWay) adjust("underWay", -most);
        adjust("own", added - counted);
        [counted, isUnderWay] = [added, false];
      };
    },
  };
}

/** Whether a chat has more than `limit` live messages in one direction. */
const DEEPER = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = @direction AND chat = @chat
  AND state IN ('ready','sending','waiting') LIMIT 1 OFFSET @limit`;

/** Live messages and owed acks. The partial indexes hold nothing else, so the cost does not grow with what has ended. */
function* countAll({ indexedBy }: Transaction, bounds: Bounds): Verb<[string, number][]> {
  const most = limitOf(bounds.all);
  const [row] = yield* all<{ live: number }>(sql`SELECT (SELECT count(*) FROM (
      SELECT 1 FROM message ${indexedBy("message_lane")} WHERE state IN ('ready','sending','waiting') LIMIT ${most}) AS live)
    + (SELECT count(*) FROM (
      SELECT 1 FROM message ${indexedBy("message_ack")} WHERE ack IN ('due','sending') LIMIT ${most}) AS owed) AS live`);
  return [[TOTAL, Number(row?.live ?? 0)]];
}

/** Live messages of an account, up to its bounds. */
function* countAccount({ joinLive }: Transaction, accountId: string, bounds: Bounds): Verb<[string, number][]> {
  const counts: [string, number][] = [];
  for (const direction of ["inbound", "outbound"] as const) {
    const rows = yield* all<{ channelId: string; live: number }>(sql`SELECT channel_id AS "channelId", count(*) AS live
      FROM (SELECT message.channel_id FROM channel ${joinLive} ON message.channel_id = channel.id
          AND message.direction = ${direction} AND message.state IN ('ready','sending','waiting')
        WHERE channel.account_id = ${accountId} LIMIT ${limitOf(shareOf(bounds, direction))}) AS live GROUP BY channel_id`);
    for (const { channelId, live } of rows)
      for (const way of [TOTAL, wayOf(direction), wayOf(direction, channelId)]) counts.push([way, Number(live)]);
  }
  return counts;
}

const limitOf = (bound: number) => sql.raw(String(Number.isFinite(bound) ? bound : Number.MAX_SAFE_INTEGER));
