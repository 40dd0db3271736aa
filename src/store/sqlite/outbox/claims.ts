import { eq, type SQL, sql } from "drizzle-orm";
import { type Account, works } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { Lease, NextDue, RecentCalls, Room } from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import type { Database } from "../database/db.ts";
import type { Head, Queue } from "../database/heads.ts";
import { accounts, BEEN_IN_OWN_CODE, channels, IN_OWN_CODE, type MessageRow, messages } from "../database/schema.ts";
import type { Orm } from "../database/statements.ts";
import type { Due } from "../database/turns.ts";
import { takeAck } from "../tables/acks.ts";
import { type AckJobRow, HOLDS_LEASE, liveOfAccount, MESSAGE_JOB, type MessageJobRow } from "../tables/lanes.ts";

const at = sql.placeholder;
/** Memory may be wrong, and the lease another's: only this decides. `head`: no older message of its lane is live. */
const TAKE = `UPDATE message SET state = 'sending', attempts = attempts + 1, begun = 0, in_own_code = 0, fence = @fence,
  updated_at = @now WHERE id = @id AND head = 1 AND state = 'ready' AND run_at <= @now AND ${HOLDS_LEASE}
  RETURNING ${MESSAGE_JOB}`;
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
    .select({ active: accounts.active, frozen: accounts.frozen, restUntil: accounts.restUntil })
    .from(accounts)
    .where(eq(accounts.id, at("account")))
    .prepare(),
  channels: orm
    .select({ id: channels.id, kind: channels.kind })
    .from(channels)
    .where(eq(channels.accountId, at("account")))
    .prepare(),
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
  const { accountId: account } = lease;
  const state = accountOf(db, account);
  if (room.most <= 0 || !state) return { acks: [], heads: [] };
  const queues = db.heads.of(account, room.most);
  const due = (direction: Queue["direction"], most: number) => dueOf(queues, direction, now, most);
  const toGateway = Math.min(room.most, state.restUntil > now ? 0 : room.gateway);
  const inbound = due("inbound", toGateway);
  const owed = due("ack", toGateway).flatMap(({ fresh }) => fresh);
  const ackRoom = owed.length > 0 ? shareOf(db, `${account} acks`, toGateway, sizeOf(inbound)) : 0;
  const acks = taken(db, lease, owed.slice(0, ackRoom), (id) => takeAck(db, lease, id, now));
  const left = room.most - acks.length;
  const inboundRoom = Math.min(left, toGateway - acks.length);
  const outboundRoom = Math.min(left, room.messenger);
  const outbound = due("outbound", outboundRoom);
  const half = outbound.length > 0 ? shareOf(db, account, left, Math.min(sizeOf(inbound), inboundRoom)) : 0;
  const heads = dealFairly(
    db,
    `${account} outbound`,
    outbound,
    Math.min(outboundRoom, half),
    roomByChannel(db, account, room),
  );
  heads.push(...dealFairly(db, `${account} inbound`, inbound, Math.min(inboundRoom, left - heads.length)));
  heads.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  const { fence } = lease;
  const take = (id: number) => db.prepared(TAKE).get({ id, account, fence, now }) as MessageJobRow | undefined;
  return { acks, heads: taken(db, lease, heads, take) };
}

interface Claimed {
  acks: AckJobRow[];
  heads: MessageJobRow[];
}

function taken<Row>(db: Database, lease: Lease, heads: Head[], take: (id: number) => Row | undefined): Row[] {
  return heads.flatMap(({ id }) => {
    const row = take(id);
    if (row) return row;
    assertLease(db, lease);
    db.heads.forget(lease.accountId);
    return [];
  });
}

function assertLease({ sqlite }: Database, { accountId: account, fence }: Lease): void {
  const held = sqlite.prepare(`SELECT 1 WHERE ${HOLDS_LEASE}`).get({ account, fence });
  if (!held) throw new StoreError("another process has the account");
}

/** What others leave of the slots, but at least half; the odd slot alternates. */
function shareOf(db: Database, key: string, slots: number, wantedByOthers: number): number {
  const rest = slots - wantedByOthers;
  if (rest >= slots / 2) return rest;
  return slots % 2 === 0 || db.alternate(key) ? Math.ceil(slots / 2) : Math.floor(slots / 2);
}

const sizeOf = (due: Due[]): number => due.reduce((sum, { known, fresh }) => sum + known.length + fresh.length, 0);

/** The oldest due heads of one direction by channel, up to `most` of each. */
function dueOf(queues: Queue[], wanted: Queue["direction"], now: number, most: number): Due[] {
  if (most <= 0) return [];
  const channels = new Map<string, Due>();
  for (const { direction, channelId, known, heads: own } of queues) {
    if (direction !== wanted) continue;
    const late = own.findIndex(({ runAt }) => runAt > now);
    const due = own.slice(0, Math.min(most, late < 0 ? most : late));
    if (due.length === 0) continue;
    const channel = channels.get(channelId) ?? { channelId, known: [], fresh: [] };
    channel[known === 1 ? "known" : "fresh"] = due;
    channels.set(channelId, channel);
  }
  return [...channels.values()];
}

/** All due heads if they fit, else round robin over channels. `mayTake` refuses those whose messenger has no room. */
function dealFairly(db: Database, queue: string, due: Due[], most: number, mayTake?: (head: Head) => boolean): Head[] {
  if (most <= 0) return [];
  if (!mayTake && sizeOf(due) <= most) return due.flatMap(({ known, fresh }) => [...known, ...fresh]);
  return db.deal(queue, due, most, mayTake);
}

/** Takes from the room of each kind of messenger; undefined when every kind has enough. */
function roomByChannel(db: Database, account: AccountId, { kinds, messenger }: Room) {
  const left = new Map([...(kinds ?? [])].filter(([, room]) => room < messenger));
  if (left.size === 0) return undefined;
  const kindOf = kindsOf(db, account);
  return ({ channelId }: Head): boolean => {
    const kind = kindOf.get(channelId) ?? "";
    const room = left.get(kind);
    if (room !== undefined) left.set(kind, room - 1);
    return room === undefined || room > 0;
  };
}

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
  const state = accountOf(db, account);
  if (!state) return {};
  const kindOf = exceptKinds.length > 0 ? kindsOf(db, account) : undefined;
  let [toGateway, toMessenger] = [NEVER, NEVER];
  for (const { direction, channelId, heads } of db.heads.of(account, 1)) {
    const at = heads[0]?.runAt ?? NEVER;
    if (direction !== "outbound") toGateway = Math.min(toGateway, at);
    else if (!kindOf || !exceptKinds.includes(kindOf.get(channelId) ?? "")) toMessenger = Math.min(toMessenger, at);
  }
  return {
    gateway: toGateway === NEVER ? undefined : Math.max(toGateway, state.restUntil),
    messenger: toMessenger === NEVER ? undefined : toMessenger,
  };
}

/** What of the account decides on its claims; undefined when it is inactive. */
function accountOf(
  db: Database,
  account: AccountId,
): (Pick<Account, "active" | "frozen"> & { restUntil: number }) | undefined {
  const row = db.rows.find(`state of ${account}`, () => db.statements(statements).account.get({ account }));
  return row && works(row) ? row : undefined;
}

/** The account's kinds of messengers by channel. */
function kindsOf(db: Database, account: AccountId): Map<string, string> {
  const kinds = db.rows.find(
    `kinds of ${account}`,
    () =>
      new Map(
        db
          .statements(statements)
          .channels.all({ account })
          .map(({ id, kind }) => [id, kind]),
      ),
  );
  return kinds ?? new Map();
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
