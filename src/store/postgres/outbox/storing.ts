import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import type { AccountHint } from "../../outbox/hints.ts";
import { DEFAULTS, type NewRow, partRow } from "../../outbox/rows.ts";
import { columnOf, type MessageColumn } from "../../outbox/updates.ts";
import type { Sealer } from "../../secrets.ts";
import type { MessageRow } from "../../tables/schema.ts";
import type { Session } from "../database/sessions.ts";
import { type Erased, findErased, LIFT } from "./erased.ts";
import { type Candidate, type Look, lookAt, type OpenAlbum } from "./looking.ts";
import { records, recordsOf } from "./records.ts";

// New messages are stored in two statements: one reads all that decides on them, the other stores what is new.

const NAMES: MessageColumn[] = [
  ...(["accountId", "channelId", "direction", "kind", "chat", "dedupeKey", "events", "gatewayMessageId"] as const),
  ...(["messengerMessageId", "firstId", "state", "carrier", "album", "known", "runAt", "deadlineAt"] as const),
  ...(["payload", "work", "head", "attempts", "fence"] as const),
];
/** A part may be stored together with the album that carries it. */
const VALUES = NAMES.map((name) =>
  name === "carrier"
    ? "CASE WHEN carrier < 0 THEN (SELECT new_id FROM added AS album WHERE album.n = -added.carrier) ELSE carrier END"
    : `"${name}"`,
);
/** Ids come in order: whoever adds to a lane holds it. */
const STORE = `WITH added AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('message', 'id')) AS new_id, new.*
    FROM (SELECT * FROM ${recordsOf("rows", NAMES, ["n"])} ORDER BY n) AS new
  ), stored AS (
    INSERT INTO message (id, position, ${NAMES.map(columnOf)}, created_at, updated_at)
    SELECT new_id, new_id, ${VALUES}, CAST(@now AS bigint), CAST(@now AS bigint) FROM added
  ), met AS (
    INSERT INTO chat (channel_id, gateway_chat, chat, created_at)
    SELECT "channelId", words, chat, CAST(@now AS bigint) FROM ${recordsOf("chats", ["channelId", "words", "chat"])} ON CONFLICT DO NOTHING
  ) SELECT new_id AS id FROM added ORDER BY n`;
const CHANGED: MessageColumn[] = ["payload", "runAt", "firstId", "updatedAt"];
const CHANGE = `UPDATE message SET ${CHANGED.map((name) => `${columnOf(name)} = changed."${name}"`)}
  FROM ${recordsOf("changed", ["id", ...CHANGED])} WHERE message.id = changed.id`;

type Row = NewRow & typeof DEFAULTS & Pick<MessageRow, "runAt" | "head" | "fence"> & { n: number };
interface Fresh {
  /** Its place among the candidates. */
  of: number;
  row: Row;
}

/** What is new of the candidates. */
export interface Plan {
  fresh: Fresh[];
  chats: { channelId: string; words: string; chat: string }[];
  changes: (ReturnType<typeof changeOf> & { id: number })[];
  erased: Erased;
  now: number;
}
const changeOf = (joined: NonNullable<ReturnType<typeof partRow>>) => joined.change;

interface World {
  now: number;
  plan: Plan;
  keys: Set<string>;
  /** Lanes with a live message, chats and ids, as far as the candidates before have changed them. */
  busy: Set<string>;
  since: Map<string, number>;
  taken: Set<string>;
  albums: Map<string, OpenAlbum & { row?: Row }>;
  /** Whether it may still leave; called only for one that can. */
  mayLeave(candidate: number): boolean;
}

/** Reads what decides on the candidates, and what is new of them. */
export async function planNew(
  session: Session,
  sealer: Sealer,
  candidates: Candidate[],
  now: number,
  mayLeave: World["mayLeave"] = () => false,
): Promise<Plan> {
  const { looks, albums } = await lookAt(session, candidates, now);
  const erased = await findErased(session, sealer, candidates, looks);
  // The oldest of a name: it may be full.
  const open = new Map(albums.reverse().map((album) => [`${album.channelId} ${album.album}`, album]));
  const plan: Plan = { fresh: [], chats: [], changes: [], erased, now };
  const world: World = {
    ...{ now, plan, albums: open, mayLeave },
    ...{ keys: new Set(), busy: new Set(), since: new Map(), taken: new Set() },
  };
  for (const [n, candidate] of candidates.entries())
    if (!erased.candidates.has(n)) decide(world, candidate, looks[n] as Look, n);
  return plan;
}

function decide(world: World, candidate: Candidate, look: Look, of: number): void {
  const { channel, direction, key, gatewayChat, chat, toKnown } = candidate;
  const name = `${channel.id} ${direction} ${key}`;
  if (look.known || (key !== undefined && world.keys.has(name))) return;
  const chatName = `${channel.id} ${gatewayChat}`;
  const since = look.since ?? world.since.get(chatName);
  if (toKnown && since === undefined) return;
  world.keys.add(name);
  if (joins(world, candidate, of, look)) return;
  if (candidate.meets && since === undefined) {
    world.plan.chats.push({ channelId: channel.id, words: gatewayChat, chat });
    world.since.set(chatName, world.now);
  }
  const row = add(world, candidate.row(since ?? (candidate.meets ? world.now : Number.POSITIVE_INFINITY)), of, look);
  const lane = `${channel.id} ${direction} ${chat}`;
  const isFirst = !look.busy && !world.busy.has(lane);
  world.busy.add(lane);
  if (isFirst) row.head = 1;
  if (isFirst && look.leaves && row.runAt <= world.now && world.mayLeave(of))
    Object.assign(row, { state: "sending", attempts: 1, fence: candidate.fence });
  const album = candidate.album && `${channel.id} ${candidate.album.name}`;
  if (album !== undefined && !world.albums.has(album)) world.albums.set(album, { ...openAlbum(row), row });
}

function add(world: World, row: NewRow, of: number, look: Look): Row {
  const { plan, now } = world;
  const n = plan.fresh.length + 1;
  const whole: Row = Object.assign({ n, runAt: now, head: 0, attempts: 0, fence: 0 }, DEFAULTS, row);
  forgetTaken(world, whole, look);
  plan.fresh.push({ of, row: whole });
  return whole;
}

/** Its id while it is not stored is its number, below zero. */
const openAlbum = (row: Row): OpenAlbum => ({
  ...{ id: -row.n, channelId: row.channelId, album: row.album, direction: row.direction, head: row.head },
  ...{ payload: row.payload, work: row.work, messengerMessageId: row.messengerMessageId, runAt: row.runAt },
  known: row.known,
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
  Object.assign(open, { payload, runAt });
  return true;
}

/** Another message has one of its ids: after a restored backup, or an echo of our own. */
function forgetTaken({ taken }: World, row: Row, look: Look): void {
  const names = [`m ${row.channelId} ${row.messengerMessageId}`, `g ${row.channelId} ${row.gatewayMessageId}`];
  const isTaken = names.some((name) => taken.has(name)) || look.messengerTaken || look.gatewayTaken;
  if (isTaken) Object.assign(row, { messengerMessageId: null, gatewayMessageId: null });
  if (row.messengerMessageId) taken.add(names[0] as string);
  if (row.gatewayMessageId) taken.add(names[1] as string);
}

/** The statement that stores the plan; it gives the ids. */
export function storeOf(
  session: Session,
  { fresh, chats, changes, erased, now }: Plan,
): [string, Record<string, unknown>] {
  if (changes.length > 0) session.sent(CHANGE, { changed: records(changes) });
  const lifted = erased.liftedBy(fresh.map(({ of }) => of));
  if (lifted.length > 0) session.sent(LIFT, { hashes: JSON.stringify(lifted) });
  const rows = fresh.map(({ row: { content: _, ...row } }) => row);
  return [STORE, { rows: records(rows), chats: records(chats), now }];
}

/** When what the plan adds is due. */
export const hintsOf = ({ fresh }: Plan): AccountHint[] =>
  fresh.flatMap(({ row: { accountId, channelId, direction, runAt, head, state } }) =>
    head === 1 && state === "ready"
      ? [{ accountId: accountId as AccountId, channelId: channelId as ChannelId, direction, at: runAt, jobs: 1 }]
      : [],
  );
