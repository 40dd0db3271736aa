import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { type Account, works } from "../../../domain/account.ts";
import type { Job } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { countBefore } from "../../../domain/sorted.ts";
import {
  type DueJobs,
  GATEWAY,
  type Hosts,
  type Lease,
  type NextDue,
  type RecentCalls,
  type Room,
  type Side,
  type Target,
} from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import { accounts, BEEN_IN_OWN_CODE, channels, IN_OWN_CODE, type MessageRow, messages } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Head, Queue } from "../database/heads.ts";
import type { Orm } from "../database/statements.ts";
import type { Due } from "../database/turns.ts";
import { takeAck } from "../tables/acks.ts";
import { dropsErased } from "../tables/dropping.ts";
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
    .where(and(eq(channels.accountId, at("account")), ne(channels.state, "removed")))
    .prepare(),
  paused: orm
    .select({ id: channels.id })
    .from(channels)
    .where(and(eq(channels.accountId, at("account")), eq(channels.state, "paused")))
    .prepare(),
  gateway: orm
    .select({ gatewayUrl: accounts.gatewayUrl })
    .from(accounts)
    .where(eq(accounts.id, at("account")))
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
  const queues = queuesOf(db, account, room.most);
  const due = (direction: Queue["direction"], most: number) => dueOf(queues, direction, now, most);
  const toGateway = state.restUntil > now ? 0 : Math.min(room.most, room.free("gateway"));
  const inbound = due("inbound", toGateway);
  const owed = due("ack", toGateway).flatMap(({ fresh }) => fresh);
  const ackRoom = owed.length > 0 ? shareOf(db, `${account} acks`, toGateway, sizeOf(inbound)) : 0;
  const ackHeads = owed.slice(0, ackRoom).filter(({ channelId }) => room.take("gateway", channelId));
  const acks = taken(db, lease, ackHeads, (id) => takeAck(db, lease, id, now));
  const left = room.most - acks.length;
  const inboundRoom = Math.min(left, toGateway - acks.length);
  const outboundRoom = Math.min(left, room.free("messenger"));
  const outbound = due("outbound", outboundRoom);
  const half = outbound.length > 0 ? shareOf(db, account, left, Math.min(sizeOf(inbound), inboundRoom)) : 0;
  const heads = dealFairly(db, `${account} outbound`, outbound, Math.min(outboundRoom, half), "messenger", room);
  const restOfGateway = Math.min(inboundRoom, left - heads.length);
  heads.push(...dealFairly(db, `${account} inbound`, inbound, restOfGateway, "gateway", room));
  heads.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  const { fence } = lease;
  const take = (id: number) => db.prepared(TAKE).get({ id, account, fence, now }) as MessageJobRow | undefined;
  return { acks, heads: taken(db, lease, heads, take) };
}

/** Messages of paused channels wait; their acks do not. */
function queuesOf(db: Database, account: AccountId, most: number): Queue[] {
  const queues = db.heads.of(account, most);
  if (queues.length === 0) return queues;
  const paused = pausedOf(db, account);
  const waits = ({ direction, channelId }: Queue) => direction !== "ack" && paused.includes(channelId);
  return paused.length > 0 ? queues.filter((queue) => !waits(queue)) : queues;
}

const pausedOf = (db: Database, account: string): string[] =>
  db.rows.find("paused", account, () =>
    db
      .statements(statements)
      .paused.all({ account })
      .map(({ id }) => id),
  ) ?? [];

/** Whether a new job may leave at once, as far as its account and channel go. */
export function maySend(
  db: Database,
  { accountId, channelId, direction }: { accountId: string; channelId: string; direction: Job["direction"] },
  now: number,
): boolean {
  const state = accountOf(db, accountId);
  if (!state || (direction !== "outbound" && state.restUntil > now)) return false;
  return direction === "ack" || !pausedOf(db, accountId).includes(channelId);
}

interface Claimed {
  acks: AckJobRow[];
  heads: MessageJobRow[];
}

function taken<Row>(db: Database, lease: Lease, heads: Head[], take: (id: number) => Row | undefined): Row[] {
  const rows: Row[] = [];
  for (const { id } of heads) {
    if (dropsErased(db, id)) continue;
    const row = take(id);
    if (row) rows.push(row);
    else {
      assertLease(db, lease);
      db.heads.forget(lease.accountId);
    }
  }
  return rows;
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

/** Up to `most` due heads that get a slot; round robin over channels unless all fit. */
function dealFairly(db: Database, queue: string, due: Due[], most: number, side: Side, room: Room): Head[] {
  const [first] = due;
  if (!first || most <= 0) return [];
  const take = ({ channelId }: Head) => room.take(side, channelId);
  const all = due.length > 1 ? [] : [...first.known, ...first.fresh];
  const fits = all.length > 0 && all.length <= Math.min(most, room.free(side, first.channelId));
  return fits ? all.filter(take) : db.deal(queue, due, most, take);
}

const NEVER = Number.POSITIVE_INFINITY;

/** Empty for an inactive account. */
export function nextDue(db: Database, account: AccountId, now: number): NextDue {
  const next: NextDue = { due: [] };
  const queues = queuesOf(db, account, 1);
  const state = queues.length > 0 && accountOf(db, account);
  if (!state) return next;
  const { kindOf } = hostsOf(db, account);
  const rests = state.restUntil > now;
  for (const { direction, channelId, heads } of queues) {
    const target = direction === "outbound" ? (kindOf.get(channelId) ?? "") : GATEWAY;
    const waits = rests && target === GATEWAY;
    const jobs = waits ? 0 : countBefore(heads, ({ runAt }) => runAt <= now);
    if (jobs > 0) addDue(next.due, target, jobs, heads[0]?.runAt ?? now);
    const after = heads[jobs];
    if (after) next.later = Math.min(next.later ?? NEVER, Math.max(after.runAt, waits ? state.restUntil : 0));
  }
  return next;
}

function addDue(due: DueJobs[], target: Target, jobs: number, since: number): void {
  const known = due.find((each) => each.target === target);
  if (!known) return void due.push({ target, jobs, since });
  known.jobs += jobs;
  known.since = Math.min(known.since, since);
}

/** What of the account decides on its claims; undefined when it is inactive. */
function accountOf(
  db: Database,
  account: string,
): (Pick<Account, "active" | "frozen"> & { restUntil: number }) | undefined {
  const row = db.rows.find("state", account, () => db.statements(statements).account.get({ account }));
  return row && works(row) ? row : undefined;
}

export function hostsOf(db: Database, account: AccountId): Hosts {
  const found = db.rows.find("hosts", account, () => {
    const { gateway, channels: rows } = db.statements(statements);
    const url = gateway.get({ account })?.gatewayUrl ?? "";
    const kindOf = new Map(rows.all({ account }).map(({ id, kind }) => [id as ChannelId, kind]));
    const host = URL.canParse(url) ? new URL(url).host : undefined;
    return { gateway: host, kindOf };
  });
  return found as Hosts;
}

/** After a crash: moves messages in `sending` to this lease and counts the crash. */
export const takeOver = (db: Database, { accountId, fence }: Lease): MessageRow[] =>
  notErased(db, db.statements(statements).takeOver.all({ account: accountId, fence }));

export const takeOverAcks = (db: Database, { accountId, fence }: Lease): MessageRow[] =>
  notErased(db, db.statements(statements).takeOverAcks.all({ account: accountId, fence }));

const notErased = (db: Database, rows: MessageRow[]) => rows.filter(({ id }) => !db.erasing.covers(id));

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
