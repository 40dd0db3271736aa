import { and, eq, sql } from "drizzle-orm";
import type { Channel } from "../../../domain/channel/channel.ts";
import type { RawWebhook } from "../../../domain/delivery/raw-webhook.ts";
import {
  ALBUM_COLUMNS,
  type Candidate,
  type Look,
  leavingOf,
  messageLook,
  NEW_COLUMNS,
  OPEN_ALBUM,
  type OpenAlbum,
  type Plan,
  planNew,
} from "../../outbox/accepting.ts";
import { directionOf } from "../../outbox/rows.ts";
import { columnOf } from "../../outbox/updates.ts";
import type { Source } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import type { SealedWebhook } from "../../tables/channels/raw-webhooks.ts";
import { covers } from "../../tables/erasing/erasures.ts";
import { messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { knownChat, meetChat } from "../tables/chats.ts";
import { holeOf, runNow } from "../tables/engine.ts";
import { HOLDS_LEASE } from "../tables/lanes.ts";
import { book } from "../tables/tally.ts";
import { maySend } from "./claims.ts";
import type { Leaving } from "./leaving.ts";

const LOOK = `SELECT ${messageLook((name) => `@${name}`)},
  @fence IS NOT NULL AND ${HOLDS_LEASE.replace("@account", "@accountId")} AS leaves`;
const ALBUM = `SELECT id, channel_id AS channelId, album, direction, payload, work, messenger_message_id AS messengerMessageId
  FROM message WHERE channel_id = @channelId AND album = @album AND ${OPEN_ALBUM} ORDER BY id LIMIT 1`;
/** `position`: AUTOINCREMENT's next id. */
const STORE = `INSERT INTO message (${NEW_COLUMNS.map(columnOf)}, created_at, updated_at, position)
  VALUES (${NEW_COLUMNS.map((name) => `@${name}`)}, @now, @now,
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0) + 1)`;
const CHANGE = `UPDATE message SET ${ALBUM_COLUMNS.map((name) => `${columnOf(name)} = @${name}`)} WHERE id = @id`;

const at = sql.placeholder;
const byKey = and(
  eq(messages.channelId, at("channelId")),
  eq(messages.direction, at("direction")),
  sql`dedupe_key IS NOT NULL AND dedupe_key = ${at("dedupeKey")}`,
);
const statements = (orm: Orm) => ({
  known: orm.select({ id: messages.id }).from(messages).where(byKey).prepare(),
});

type OfKey = [channelId: string, source: Source, dedupeKey: string];

export const isKnown = (db: Database, sealer: Sealer, ...key: OfKey): boolean =>
  rowOf(db, ...key) !== undefined || isErased(db, sealer, ...key);

const rowOf = (db: Database, ...[channelId, source, dedupeKey]: OfKey) =>
  db.statements(statements).known.get({ channelId, direction: directionOf(source), dedupeKey });

/** Its customer was erased: a repeat must not bring anything back. */
export function isErased(db: Database, sealer: Sealer, ...key: OfKey): boolean {
  const [channelId, source, dedupeKey] = key;
  if (!db.tombstones.areIn(channelId)) return false;
  if (db.tombstones.has({ channelId, direction: directionOf(source), dedupeKey })) return true;
  const known = rowOf(db, ...key);
  return known !== undefined && runNow(db, covers(sealer, known.id));
}

interface AcceptContext {
  channel: Channel;
  source: Source;
  raw?: () => RawWebhook | undefined;
  keep: (requests: SealedWebhook[]) => void;
  again?: boolean;
}

/** Accepts, and stores the request if anything was new. `changes`: new events that the ledger does not count. Returns the number of new events. */
export function acceptAndKeep(
  db: Database,
  from: AcceptContext,
  now: number,
  accept: () => number,
  changes = 0,
): number {
  const { channel, source, raw, keep, again } = from;
  const missing = again ? Math.max(0, holeOf(db, channel)) : 0;
  const added = accept();
  // In a replay, missing events were already counted on arrival.
  const counted = Math.min(missing, added);
  if (counted > 0) book(db, channel, { accepted: -counted });
  const request = added + changes > 0 ? raw?.() : undefined;
  const { id: channelId, accountId: account } = channel;
  if (request) db.atCommit(keep, { account, channelId, source, receivedAt: now, raw: request });
  return added + changes;
}

const NONE_ERASED = new Set<number>();

/** Stores what is new of the candidates: all of one channel, none of them erased. Returns how many are new. */
export function acceptNew(db: Database, candidates: Candidate[], now: number, leaving?: Leaving): number {
  if (leaving) for (const candidate of candidates) candidate.fence = leaving.held.lease.fence;
  const looks = candidates.map((candidate) => lookAt(db, candidate, now));
  const albums = candidates.flatMap(({ channel, album }) => (album ? openAlbum(db, channel.id, album.name) : []));
  let slots = leaving ? leaving.held.most - leaving.jobs.length : 0;
  const mayLeave = () => slots-- > 0;
  const plan = planNew({ candidates, looks, albums, erased: NONE_ERASED, now, mayLeave });
  const ids = store(db, candidates, plan, now);
  for (const { job } of leavingOf(plan, ids, now)) leaving?.jobs.push(job);
  return ids.length;
}

function lookAt(db: Database, candidate: Candidate, now: number): Look {
  const { channel, direction, chat, gatewayChat, key = null, fence } = candidate;
  const { messengerMessageId = null, gatewayMessageId = null } = candidate;
  const { id: channelId, accountId } = channel;
  const leaseFence = fence !== undefined && maySend(db, { accountId, channelId, direction }, now) ? fence : null;
  const values = { accountId, channelId, direction, chat, messengerMessageId, gatewayMessageId };
  const look = db.prepared(LOOK).get(Object.assign(values, { dedupeKey: key, fence: leaseFence })) as Look;
  look.since = knownChat(db, channelId, gatewayChat)?.createdAt ?? null;
  return look;
}

function openAlbum(db: Database, channelId: string, album: string): OpenAlbum[] {
  const found = db.prepared(ALBUM).get({ channelId, album }) as OpenAlbum | undefined;
  return found ? [found] : [];
}

/** Books what is new at once: a row lost later shows as a hole in the ledger. Returns the ids. */
function store(db: Database, candidates: Candidate[], { fresh, chats, changes }: Plan, now: number): number[] {
  for (const { of } of fresh) {
    const { channel, names } = candidates[of] as Candidate;
    if (names) db.tombstones.lift(channel.id, names);
  }
  for (const met of chats) meetChat(db, met, now);
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
  book(db, { id: channelId, accountId }, { accepted: events });
  seen(db, channelId, direction, now);
  return ids;
}

/** In memory: it is recorded every few minutes. */
function seen({ busy }: Database, channelId: string, direction: Candidate["direction"], now: number): void {
  const last = busy.get(channelId);
  if (last) last[direction] = now;
  else busy.set(channelId, { [direction]: now });
}
