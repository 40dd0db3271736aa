import { eq, type SQL, sql } from "drizzle-orm";
import { type Account, works } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { Lease, NextDue, RecentCalls, Room } from "../../outbox.ts";
import { type Database, upTo } from "../database/db.ts";
import { accounts, BEEN_IN_OWN_CODE, IN_OWN_CODE, type MessageRow, messages } from "../database/schema.ts";
import type { Orm } from "../database/statements.ts";
import type { Due } from "../database/turns.ts";
import { claimAcks } from "../tables/acks.ts";
import { liveOfAccount } from "../tables/lanes.ts";

const at = sql.placeholder;
type Direction = MessageRow["direction"];
/** When the first head of one direction is due: reads one index entry. */
const firstDue = (direction: Direction) =>
  sql<number | null>`(SELECT min(run_at) FROM message WHERE account_id = ${at("account")}
    AND direction = ${sql.raw(`'${direction}'`)} AND head = 1 AND state = 'ready')`;
const firstAck = sql<number | null>`(SELECT min(ack_at) FROM message WHERE account_id = ${at("account")}
    AND ack = 'due' AND ack IN ('due','sending'))`;
/** The oldest due heads of one direction: reads one index entry per head returned. */
const heads = (orm: Orm, direction: Direction) =>
  orm
    .select()
    .from(messages)
    .where(
      sql`account_id = ${at("account")} AND direction = ${sql.raw(`'${direction}'`)} AND head = 1 AND state = 'ready'
        AND run_at <= ${at("now")}`,
    )
    .orderBy(messages.runAt, messages.id)
    .limit(upTo(at("most")))
    .prepare();
/** Exactly as in the index `message_channel_due`. */
const channelDue = sql`channel_id = ${at("channel")} AND direction = ${at("direction")} AND known = ${at("known")}
  AND head = 1 AND state = 'ready'`;
const CHANNELS = sql`SELECT id, kind FROM channel WHERE account_id = ${at("account")}`;
const byChannel = (orm: Orm) => ({
  channels: orm.select({ id: sql<string>`id`, kind: sql<string>`kind` }).from(sql`(${CHANNELS})`).prepare(),
  ofChannel: orm
    .select()
    .from(messages)
    .where(sql`${channelDue} AND run_at <= ${at("now")}`)
    .orderBy(messages.runAt, messages.id)
    .limit(upTo(at("most")))
    .prepare(),
  channelNext: orm.select({ at: sql<number | null>`min(run_at)` }).from(messages).where(channelDue).prepare(),
});
const takeOverBy = (orm: Orm, where: SQL, fence: "fence" | "ackFence") =>
  orm
    .update(messages)
    .set({
      [fence]: at("fence"),
      // Acks go first: a crash with the message under way too is one crash.
      crashes: sql`${messages.crashes} + CASE WHEN ack = 'sending' AND ack_fence = ${at("fence")} THEN 0 ELSE 1 END`,
      // What awaited a call did not cause the crash.
      fatalCrashes: sql`CASE ${messages.inOwnCode} WHEN ${sql.raw(String(IN_OWN_CODE))} THEN ${messages.fatalCrashes} + 1
        WHEN ${sql.raw(String(BEEN_IN_OWN_CODE))} THEN 0 ELSE ${messages.fatalCrashes} END`,
      inOwnCode: 0,
    })
    .where(where)
    .returning()
    .prepare();
const statements = (orm: Orm) => ({
  account: orm
    .select({
      ...{ active: accounts.active, frozen: accounts.frozen, restUntil: accounts.restUntil },
      ...{ ack: firstAck, inbound: firstDue("inbound"), outbound: firstDue("outbound") },
    })
    .from(accounts)
    .where(eq(accounts.id, at("account")))
    .prepare(),
  inbound: heads(orm, "inbound"),
  outbound: heads(orm, "outbound"),
  take: orm
    .update(messages)
    .set({
      state: "sending",
      attempts: sql`${messages.attempts} + 1`,
      begun: 0,
      inOwnCode: 0,
      fence: at("fence") as never,
      updatedAt: at("now") as never,
    })
    .where(eq(messages.id, at("id")))
    .prepare(),
  ...byChannel(orm),
  takeOver: takeOverBy(orm, sql`${messages.id} IN (${liveOfAccount(at("account"))}) AND state = 'sending'`, "fence"),
  takeOverAcks: takeOverBy(
    orm,
    sql`account_id = ${at("account")} AND ack = 'sending' AND ack IN ('due','sending')`,
    "ackFence",
  ),
});

/**
 * Marks due heads as sending. Acks may take half of the gateway's slots, customers' and agents' messages half of the rest
 * each; unused shares go to the others.
 */
export function claimHeads(db: Database, lease: Lease, room: Room, now: number): Claimed {
  const { accountId: account, fence } = lease;
  const next = readAccount(db, account);
  if (room.most <= 0 || !next) return { acks: [], heads: [] };
  const { take } = db.statements(statements);
  const toGateway = Math.min(room.most, next.restUntil > now ? 0 : room.gateway);
  const due = (direction: Wanted["direction"], most: number) =>
    dueOf(db, { account, direction, now, most }, next[direction]);
  const inbound = due("inbound", toGateway);
  const acksDue = next.ack !== null && next.ack <= now && toGateway > 0;
  const ackRoom = acksDue ? shareOf(db, `${account} acks`, toGateway, inbound.length) : 0;
  const acks = acksDue ? claimAcks(db, lease, ackRoom, now) : [];
  const left = room.most - acks.length;
  const inboundRoom = Math.min(left, toGateway - acks.length);
  const outboundRoom = Math.min(left, room.messenger);
  const outbound = due("outbound", outboundRoom);
  const half = outbound.length > 0 ? shareOf(db, account, left, Math.min(inbound.length, inboundRoom)) : 0;
  const toMessengers = { account, direction: "outbound" as const, now, most: Math.min(outboundRoom, half) };
  const dealt = dealFairly(db, outbound, toMessengers, room.kinds);
  const toGateways = {
    ...toMessengers,
    direction: "inbound" as const,
    most: Math.min(inboundRoom, left - dealt.length),
  };
  dealt.push(...dealFairly(db, inbound, toGateways));
  const heads = dealt.sort(byAge).map((row) => {
    take.run({ id: row.id, fence, now });
    return { ...row, state: "sending" as const, attempts: row.attempts + 1, fence, updatedAt: now };
  });
  return { acks, heads };
}

interface Claimed {
  acks: MessageRow[];
  heads: MessageRow[];
}

/** What others leave of the slots, but at least half; the odd slot alternates. */
function shareOf(db: Database, key: string, slots: number, wantedByOthers: number): number {
  const rest = slots - wantedByOthers;
  if (rest >= slots / 2) return rest;
  return slots % 2 === 0 || db.alternate(key) ? Math.ceil(slots / 2) : Math.floor(slots / 2);
}

interface Wanted {
  account: AccountId;
  direction: "inbound" | "outbound";
  now: number;
  most: number;
}

/** The oldest due heads of one direction; one more than wanted shows that there are more. */
function dueOf(db: Database, { account, direction, now, most }: Wanted, next: number | null): MessageRow[] {
  if (next === null || next > now || most <= 0) return [];
  return db.statements(statements)[direction].all({ account, now, most: most + 1 });
}

/** All due jobs if they fit, else round robin over channels, within the room of each kind of messenger. */
function dealFairly(db: Database, due: MessageRow[], wanted: Wanted, kinds?: Room["kinds"]): MessageRow[] {
  const { account, most } = wanted;
  const left = new Map([...(kinds ?? [])].filter(([, room]) => room < most));
  if (most <= 0) return [];
  if (due.length === 0 || (left.size === 0 && due.length <= most)) return due;
  const channels = channelsOf(db, account);
  const kindOf = new Map(channels.map(({ id, kind }) => [id, kind]));
  const roomFor = (kind: string) => left.get(kind) ?? most;
  const takeSlot = ({ channelId }: MessageRow) => {
    const kind = kindOf.get(channelId) ?? "";
    left.set(kind, roomFor(kind) - 1);
    return roomFor(kind) >= 0;
  };
  const ofChannels = channels.map(({ id, kind }) => dueOfChannel(db, id, wanted, roomFor(kind)));
  return db.deal(`${account} ${wanted.direction}`, ofChannels, most, takeSlot);
}

/** Only inbound jobs have known and new chats; outbound jobs go by age. */
function dueOfChannel(db: Database, channelId: string, { direction, now }: Wanted, most: number): Due {
  const { ofChannel } = db.statements(statements);
  const heads = (known: 0 | 1) => ofChannel.all({ channel: channelId, direction, known, now, most });
  return { channelId, known: direction === "inbound" ? heads(1) : [], fresh: heads(0) };
}

const byAge = (a: MessageRow, b: MessageRow) => a.runAt - b.runAt || a.position - b.position;

const channelsOf = (db: Database, account: AccountId) => db.statements(statements).channels.all({ account });

/** Whether there is work to claim on a side that has room. */
export function isDue(db: Database, accountId: AccountId, room: Room, now: number): boolean {
  if (room.most <= 0) return false;
  const full = [...(room.kinds ?? [])].filter(([, most]) => most <= 0).map(([kind]) => kind);
  const next = nextDue(db, accountId, full);
  return (["gateway", "messenger"] as const).some((side) => room[side] > 0 && (next[side] ?? NEVER) <= now);
}

const NEVER = Number.POSITIVE_INFINITY;

/** When the account's next work is due on each side, ms; without `exceptKinds`. Empty for an inactive account. */
export function nextDue(db: Database, account: AccountId, exceptKinds: string[] = []): NextDue {
  const row = readAccount(db, account);
  if (!row) return {};
  const toGateway = Math.min(row.ack ?? NEVER, row.inbound ?? NEVER);
  const toMessenger = exceptKinds.length === 0 ? (row.outbound ?? NEVER) : nextExcept(db, account, exceptKinds);
  return {
    gateway: toGateway === NEVER ? undefined : Math.max(toGateway, row.restUntil),
    messenger: toMessenger === NEVER ? undefined : toMessenger,
  };
}

/** An active account's rest time and first due time per direction; undefined when it is inactive. */
function readAccount(db: Database, account: AccountId) {
  const row = db.statements(statements).account.get({ account });
  return row && works(row as Pick<Account, "active" | "frozen">) ? row : undefined;
}

function nextExcept(db: Database, account: AccountId, kinds: string[]): number {
  const { channelNext } = db.statements(statements);
  const others = channelsOf(db, account).filter(({ kind }) => !kinds.includes(kind));
  const next = ({ id }: { id: string }) => channelNext.get({ channel: id, direction: "outbound", known: 0 })?.at ?? [];
  return Math.min(NEVER, ...others.flatMap(next));
}

/** After a crash: moves messages in `sending` to this lease and counts the crash. */
export const takeOver = (db: Database, { accountId, fence }: Lease): MessageRow[] =>
  db.statements(statements).takeOver.all({ account: accountId, fence });

export const takeOverAcks = (db: Database, { accountId, fence }: Lease): MessageRow[] =>
  db.statements(statements).takeOverAcks.all({ account: accountId, fence });

/** Calls of the previous process by account: recent ones, and those that may still be under way. */
export function recentCalls({ sqlite }: Pick<Database, "sqlite">, since: number): RecentCalls[] {
  // The conditions match the partial indexes exactly.
  return sqlite
    .prepare<{ since: number }, RecentCalls>(
      `SELECT account.id AS accountId, coalesce(sum(call.recent), 0) AS recent, coalesce(sum(call.sending), 0) AS sending,
          unanswered, unanswered_at AS unansweredAt
        FROM account LEFT JOIN (
          SELECT account_id, 1 AS recent, 0 AS sending FROM message INDEXED BY message_age
            WHERE state IN ('done','dead') AND payload IS NOT NULL AND updated_at > @since
          UNION ALL
          SELECT account_id, updated_at > @since AS recent, state = 'sending' AS sending FROM message INDEXED BY message_lane
            WHERE state IN ('ready','sending','waiting') AND attempts > 0 AND (updated_at > @since OR state = 'sending')
          UNION ALL
          SELECT account_id, 0 AS recent, 1 AS sending FROM message INDEXED BY message_ack
            WHERE ack = 'sending' AND ack IN ('due','sending')
        ) AS call ON call.account_id = account.id
        GROUP BY account.id HAVING count(call.recent) + unanswered > 0`,
    )
    .all({ since });
}
