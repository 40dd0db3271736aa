import type { Clock } from "gangway-messenger/clock";
import type { RawWebhook } from "gangway-messenger/port";
import type { Lease } from "../../../domain/account.ts";
import type { Channel } from "../../../domain/channel.ts";
import type { Job, MessageDirection } from "../../../domain/delivery.ts";
import {
  type Candidate,
  immediateJobsOf,
  type Look,
  liftTombstones,
  messageLook,
  type Plan,
  planNew,
} from "../../outbox/accepting.ts";
import {
  type AccountFacts,
  type ChannelFacts,
  type Facts,
  factsOf,
  type Head,
  hint,
  hintsOfRest,
  LOOKS_AHEAD,
  pickHeads,
  takeDue,
} from "../../outbox/dealing.ts";
import type { Decide } from "../../outbox/effects.ts";
import {
  ACK_JOB,
  type AckJobRow,
  ALBUM_COLUMNS,
  CLAIMABLE,
  claimSets,
  columnOf,
  type JobRows,
  MESSAGE_JOB,
  type MessageJobRow,
  NEW_COLUMNS,
  OPEN_ALBUM,
  type OpenAlbum,
} from "../../outbox/rows.ts";
import type { ReadySlots, Room } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import { StoreError } from "../../store.ts";
import { writeAudit } from "../../tables/accounts/audit.ts";
import { holeOf } from "../../tables/accounts/ledger.ts";
import { keptRaw } from "../../tables/channels/raw-webhooks.ts";
import { ACCOUNT_WORKS, CHANNEL_PAUSED, knownChat } from "../../tables/engine.ts";
import { findGone, type Gone, type MessageKey, type Named, NOTHING_GONE } from "../../tables/erasing/erasures.ts";
import type { Database } from "../database/db.ts";
import { book, runNow, sqliteEngine, transactionOf } from "../tables/engine.ts";

/** For statements that give work to the holder of the account's lease. */
const HOLDS_LEASE = "EXISTS (SELECT 1 FROM account_lease WHERE account_id = @account AND fence = @fence)";
const SETS = claimSets("@fence");
const TAKE = `UPDATE message SET ${SETS.message} WHERE id = @id AND ${CLAIMABLE.message} AND ${HOLDS_LEASE}
  RETURNING ${MESSAGE_JOB}`;
const TAKE_ACK = `UPDATE message SET ${SETS.ack} WHERE id = @id AND ${CLAIMABLE.ack} AND ${HOLDS_LEASE} RETURNING ${ACK_JOB}`;
const ACCOUNT = `SELECT ${ACCOUNT_WORKS} AS works, rest_until AS restUntil, gateway_url AS gatewayUrl, limits
  FROM account WHERE id = @account`;
const CHANNELS = `SELECT id, kind, state, ${CHANNEL_PAUSED} FROM channel WHERE account_id = @account`;

/** Undefined when there is no such account. */
export const factsIn = (db: Database, account: string): Facts | undefined =>
  db.rows.find("facts", account, () => {
    const row = db.prepared(ACCOUNT).get({ account }) as AccountFacts | undefined;
    return row && factsOf(row, db.prepared(CHANNELS).raw().all({ account }) as ChannelFacts[]);
  });

/** Marks due heads as sending. */
export function claimHeads(db: Database, lease: Lease, room: Room, now: number): JobRows {
  const { accountId: account, fence } = lease;
  const facts = factsIn(db, account);
  if (room.most <= 0 || !facts?.works) return { acks: [], messages: [] };
  const { restUntil, paused } = facts;
  const hints = db.due.hints(account);
  const due = takeDue(hints, paused, now);
  // Read more than the claim can take: the rest gives the next hint.
  const most = Math.max(room.most + 1, LOOKS_AHEAD);
  const queues = due.map((queue) => db.due.read(account, queue, most));
  let owed: Head[] = [];
  let acks: AckJobRow[] = [];
  const picked = pickHeads(db.dealer, { account, queues, restUntil, room, now }, (heads) => {
    owed = heads;
    const take = (id: number) => db.prepared(TAKE_ACK).get({ id, account, fence, now }) as AckJobRow | undefined;
    acks = taken(db, lease, heads, take);
    return acks.length;
  });
  const take = (id: number) => db.prepared(TAKE).get({ id, account, fence, now }) as MessageJobRow | undefined;
  const messages = taken(db, lease, picked, take);
  for (const left of hintsOfRest(queues, new Set([...owed, ...picked]), now)) hint(hints, left);
  return { acks, messages };
}

/** Whether a new job may leave at once, as far as its account and channel go. */
export function maySend(
  db: Database,
  { accountId, channelId, direction }: { accountId: string; channelId: string; direction: Job["direction"] },
  now: number,
): boolean {
  const facts = factsIn(db, accountId);
  if (!facts?.works || (direction !== "outbound" && facts.restUntil > now)) return false;
  return direction === "ack" || !facts.paused.has(channelId);
}

function taken<Row>(db: Database, lease: Lease, heads: Head[], take: (id: number) => Row | undefined): Row[] {
  const rows: Row[] = [];
  for (const { id } of heads) {
    const row = take(id);
    if (row) rows.push(row);
    else assertLease(db, lease);
  }
  return rows;
}

function assertLease({ sqlite }: Database, { accountId: account, fence }: Lease): void {
  const isOurs = sqlite.prepare(`SELECT 1 WHERE ${HOLDS_LEASE}`).get({ account, fence });
  if (!isOurs) throw new StoreError("another process has the account");
}

/** Jobs that a write stores as sending. */
export interface ImmediateJobs {
  slots: ReadySlots;
  jobs: Job[];
}

/** Runs `work` as `write` does; its jobs begin right after the commit. */
export function writeAndSend<T>(
  { write }: Pick<Database, "write">,
  slots: ReadySlots | undefined,
  work: (immediate?: ImmediateJobs) => T,
): Promise<T> {
  if (!slots) return write(() => work());
  let jobs: Job[] = [];
  const run = () => {
    // A second run starts over.
    jobs = [];
    return work({ slots, jobs });
  };
  return write(run, { first: () => slots.begin(jobs) });
}

export const hasSlot = ({ slots, jobs }: ImmediateJobs): boolean => jobs.length < slots.most;

const LOOK = `SELECT ${messageLook((name) => `@${name}`)},
  @fence IS NOT NULL AND ${HOLDS_LEASE.replace("@account", "@accountId")} AS leaves`;
const ALBUM = `SELECT id, channel_id AS channelId, album, direction, payload, work, messenger_message_id AS messengerMessageId
  FROM message WHERE channel_id = @channelId AND album = @album AND ${OPEN_ALBUM} ORDER BY id LIMIT 1`;
/** `position`: AUTOINCREMENT's next id. */
const STORE = `INSERT INTO message (${NEW_COLUMNS.map(columnOf)}, created_at, updated_at, position)
  VALUES (${NEW_COLUMNS.map((name) => `@${name}`)}, @now, @now,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0) + 1)`;
const CHANGE = `UPDATE message SET ${ALBUM_COLUMNS.map((name) => `${columnOf(name)} = @${name}`)} WHERE id = @id`;

const KNOWN = `SELECT 1 FROM message WHERE channel_id = @channelId AND direction = @direction
  AND dedupe_key IS NOT NULL AND dedupe_key = @dedupeKey`;
const STORE_CHAT = `INSERT INTO chat (channel_id, gateway_chat, chat, created_at)
  VALUES (@channelId, @gatewayChat, @chat, @now) ON CONFLICT DO NOTHING`;

/** Returns the erased subset. Reads nothing for a channel without tombstones. */
export function goneOf(
  db: Database,
  sealer: Sealer,
  channelId: string,
  asked: () => { messages: MessageKey[]; names?: Named[] },
): Gone {
  if (!db.tombstones.areIn(channelId)) return NOTHING_GONE;
  return runNow(db, findGone(transactionOf(db), sealer, [channelId], asked()));
}

export function unknownOf(db: Database, sealer: Sealer, of: Omit<MessageKey, "dedupeKey">, keys: string[]): string[] {
  const messages = () => keys.map((dedupeKey) => ({ ...of, dedupeKey }));
  const erased = goneOf(db, sealer, of.channelId, () => ({ messages: messages() }));
  const isKnown = (key: MessageKey) => db.prepared(KNOWN).get(key) !== undefined || erased.has(key);
  return keys.filter((dedupeKey) => !isKnown({ ...of, dedupeKey }));
}

interface AcceptContext {
  channel: Channel;
  direction: MessageDirection;
  raw?: () => RawWebhook | undefined;
  again?: boolean;
}

/** Accepts; stores the request if anything is new. `changes`: new events outside the ledger. Returns how many. */
export function acceptAndKeep(
  db: Database,
  from: AcceptContext,
  now: number,
  accept: () => number,
  changes = 0,
): number {
  const { channel, direction, raw, again } = from;
  const { id: channelId, accountId: account } = channel;
  const missing = again ? runNow(db, holeOf(transactionOf(db), channel)) : 0;
  const added = accept();
  // In a replay, missing events were already counted on arrival.
  const counted = Math.min(missing, added);
  if (counted > 0) book(db, { accountId: account, channelId, accepted: -counted });
  const request = added + changes > 0 ? raw?.() : undefined;
  if (request) db.atCommit(keptRaw(channel, direction, now, request));
  return added + changes;
}

/** Stores the new ones among the candidates, all of one channel. Returns their number. */
export function acceptNew(
  db: Database,
  candidates: Candidate[],
  now: number,
  erased = NOTHING_GONE,
  immediate?: ImmediateJobs,
): number {
  if (immediate) for (const candidate of candidates) candidate.fence = immediate.slots.lease.fence;
  const looks = candidates.map((candidate) => lookAt(db, candidate, now));
  const albums = candidates.flatMap(({ channel, album }) => (album ? openAlbum(db, channel.id, album.name) : []));
  let left = immediate ? immediate.slots.most - immediate.jobs.length : 0;
  const mayLeave = () => left-- > 0;
  const plan = planNew({ candidates, looks, albums, erased, now, mayLeave });
  runNow(db, liftTombstones(plan, candidates, erased));
  const ids = store(db, candidates, plan, now);
  for (const { job } of immediateJobsOf(plan, ids, now)) immediate?.jobs.push(job);
  return ids.length;
}

function lookAt(db: Database, candidate: Candidate, now: number): Look {
  const { channel, direction, chat, gatewayChat, key = null, fence } = candidate;
  const { messengerMessageId = null, gatewayMessageId = null } = candidate;
  const { id: channelId, accountId } = channel;
  const leaseFence = fence !== undefined && maySend(db, { accountId, channelId, direction }, now) ? fence : null;
  const values = { accountId, channelId, direction, chat, messengerMessageId, gatewayMessageId };
  const look = db.prepared(LOOK).get(Object.assign(values, { dedupeKey: key, fence: leaseFence })) as Look;
  look.since = runNow(db, knownChat(transactionOf(db), channelId, gatewayChat))?.createdAt ?? null;
  return look;
}

function openAlbum(db: Database, channelId: string, album: string): OpenAlbum[] {
  const found = db.prepared(ALBUM).get({ channelId, album }) as OpenAlbum | undefined;
  return found ? [found] : [];
}

/** Books the new rows at once, so that a row lost later shows as a hole in the ledger. Returns the ids. */
function store(db: Database, candidates: Candidate[], { fresh, chats, changes }: Plan, now: number): number[] {
  for (const met of chats) db.prepared(STORE_CHAT).run({ ...met, now });
  for (const changed of changes) db.prepared(CHANGE).run(changed);
  const ids: number[] = [];
  let events = 0;
  for (const { row } of fresh) {
    if (row.carrier !== null && row.carrier < 0) row.carrier = ids[-row.carrier - 1] ?? null;
    ids.push(Number(db.prepared(STORE).run(row).lastInsertRowid));
    events += row.events;
  }
  const [first] = fresh;
  if (!first || events === 0) return ids;
  const { channelId, accountId, direction } = first.row;
  const last = direction === "inbound" ? { lastInboundAt: now } : { lastOutboundAt: now };
  const isOld = fresh.every(({ of }) => candidates[of]?.isPast);
  book(db, { channelId, accountId, accepted: events, ...(!isOld && last) });
  return ids;
}

export const deciding =
  (db: Database, sealer: Sealer, clock: Clock): Decide =>
  (accountId, id, by, act) =>
    sqliteEngine(db).write(function* (tx) {
      const done = yield* act(tx, sealer);
      if (done) yield* writeAudit(tx, clock.now(), accountId, by, { job: id });
      return done;
    });
