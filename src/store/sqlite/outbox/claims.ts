import { and, eq, ne, sql } from "drizzle-orm";
import { type Account, type Lease, works } from "../../../domain/account/account.ts";
import type { Job } from "../../../domain/delivery/delivery.ts";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { dueIn, type Head, hintsOfRest, pickHeads } from "../../outbox/dealing.ts";
import { hint, LOOKS_AHEAD, type Paused, takeDue } from "../../outbox/hints.ts";
import { ACK_JOB, type AckJobRow, type JobRows, MESSAGE_JOB, type MessageJobRow } from "../../outbox/jobs.ts";
import { CLAIMABLE, claimSets } from "../../outbox/updates.ts";
import type { Hosts, NextDue, Room } from "../../outbox.ts";
import { StoreError } from "../../store.ts";
import { accounts, channels } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { HOLDS_LEASE } from "../tables/lanes.ts";

const at = sql.placeholder;
const SETS = claimSets("@fence");
const TAKE = `UPDATE message SET ${SETS.message} WHERE id = @id AND ${CLAIMABLE.message} AND ${HOLDS_LEASE}
  RETURNING ${MESSAGE_JOB}`;
const TAKE_ACK = `UPDATE message SET ${SETS.ack} WHERE id = @id AND ${CLAIMABLE.ack} AND ${HOLDS_LEASE} RETURNING ${ACK_JOB}`;
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
});

/** Marks due heads as sending. */
export function claimHeads(db: Database, lease: Lease, room: Room, now: number): JobRows {
  const { accountId: account, fence } = lease;
  const state = accountOf(db, account);
  if (room.most <= 0 || !state) return { acks: [], messages: [] };
  const { restUntil } = state;
  const hints = db.due.hints(account);
  const due = takeDue(hints, pausedOf(db, account), now);
  // More than it can take: what is left gives the next hint.
  const most = Math.max(room.most + 1, LOOKS_AHEAD);
  const queues = due.flatMap((queue) => db.due.read(account, queue, most));
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

const pausedOf = (db: Database, account: string): Paused =>
  db.rows.find("paused", account, () => {
    const rows = db.statements(statements).paused.all({ account });
    return new Set(rows.map(({ id }) => id));
  }) as Paused;

/** Whether a new job may leave at once, as far as its account and channel go. */
export function maySend(
  db: Database,
  { accountId, channelId, direction }: { accountId: string; channelId: string; direction: Job["direction"] },
  now: number,
): boolean {
  const state = accountOf(db, accountId);
  if (!state || (direction !== "outbound" && state.restUntil > now)) return false;
  return direction === "ack" || !pausedOf(db, accountId).has(channelId);
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
  const held = sqlite.prepare(`SELECT 1 WHERE ${HOLDS_LEASE}`).get({ account, fence });
  if (!held) throw new StoreError("another process has the account");
}

/** Empty for an inactive account. */
export function nextDue(db: Database, account: AccountId, now: number): NextDue {
  const hints = db.due.hints(account);
  const state = hints.size > 0 && accountOf(db, account);
  if (!state) return { due: [] };
  return dueIn(hints, { hosts: hostsOf(db, account), paused: pausedOf(db, account), restUntil: state.restUntil }, now);
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
