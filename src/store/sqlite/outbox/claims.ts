import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { type Account, type Lease, works } from "../../../domain/account.ts";
import type { Job } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { dueIn, pickHeads } from "../../outbox/dealing.ts";
import type { Head, Queue } from "../../outbox/heads.ts";
import { ACK_JOB, type AckJobRow, MESSAGE_JOB, type MessageJobRow } from "../../outbox/jobs.ts";
import type { Hosts, NextDue, RecentCalls, Room } from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import { accounts, BEEN_IN_OWN_CODE, channels, IN_OWN_CODE, type MessageRow, messages } from "../../tables/schema.ts";
import { type CallsRow, withUnanswered } from "../../tables/unanswered.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { dropsErased } from "../tables/dropping.ts";
import { HOLDS_LEASE, liveOfAccount } from "../tables/lanes.ts";

const at = sql.placeholder;
/** Memory may be wrong, and the lease another's: only this decides. `head`: no older message of its lane is live. */
const TAKE = `UPDATE message SET state = 'sending', attempts = attempts + 1, begun = 0, in_own_code = 0, fence = @fence,
  updated_at = @now WHERE id = @id AND head = 1 AND state = 'ready' AND run_at <= @now AND ${HOLDS_LEASE}
  RETURNING ${MESSAGE_JOB}`;
/** A live message's times are those of its own delivery. */
const TAKE_ACK = `UPDATE message SET ack = 'sending', ack_attempts = ack_attempts + 1, ack_fence = @fence, in_own_code = 0,
  updated_at = CASE WHEN state IN ('ready','sending','waiting') THEN updated_at ELSE @now END WHERE id = @id AND ack = 'due' AND ack_at <= @now AND ${HOLDS_LEASE} RETURNING ${ACK_JOB}`;
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

/** Marks due heads as sending. */
export function claimHeads(db: Database, lease: Lease, room: Room, now: number): Claimed {
  const { accountId: account, fence } = lease;
  const state = accountOf(db, account);
  if (room.most <= 0 || !state) return { acks: [], heads: [] };
  const { restUntil } = state;
  let acks: AckJobRow[] = [];
  const claiming = { account, queues: queuesOf(db, account, room.most), restUntil, room, now };
  const picked = pickHeads(db, claiming, (heads) => {
    const take = (id: number) => db.prepared(TAKE_ACK).get({ id, account, fence, now }) as AckJobRow | undefined;
    acks = taken(db, lease, heads, take);
    return acks.length;
  });
  const take = (id: number) => db.prepared(TAKE).get({ id, account, fence, now }) as MessageJobRow | undefined;
  return { acks, heads: taken(db, lease, picked, take) };
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

/** Empty for an inactive account. */
export function nextDue(db: Database, account: AccountId, now: number): NextDue {
  const queues = queuesOf(db, account, 1);
  const state = queues.length > 0 && accountOf(db, account);
  return state ? dueIn(queues, hostsOf(db, account), state.restUntil, now) : { due: [] };
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
    .prepare<{ since: number }, CallsRow>(
      `SELECT account.id AS accountId, coalesce(sum(call.recent), 0) AS recent, coalesce(sum(call.sending), 0) AS sending,
          unanswered, unanswered_at AS unansweredAt, unanswered_calls AS unansweredCalls
        FROM account LEFT JOIN (
          SELECT account_id, 1 AS recent, 0 AS sending FROM message INDEXED BY message_age
            WHERE state IN ('done','dead') AND payload IS NOT NULL AND updated_at > @since
          UNION ALL
          SELECT account_id, updated_at > @since AS recent, state = 'sending' AS sending FROM message INDEXED BY message_lane
            WHERE state IN ('ready','sending','waiting') AND (attempts > 0 OR work IS NOT NULL)
              AND (updated_at > @since OR state = 'sending')
          UNION ALL
          SELECT account_id, 0 AS recent, 1 AS sending FROM message INDEXED BY message_ack
            WHERE ack = 'sending' AND ack IN ('due','sending')
        ) AS call ON call.account_id = account.id
        GROUP BY account.id HAVING count(call.recent) + unanswered > 0`,
    )
    .all({ since })
    .map(withUnanswered);
}
