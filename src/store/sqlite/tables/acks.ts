import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Ack, Job, NextState } from "../../../domain/delivery.ts";
import { ACK_JOB, type AckJobRow, type DebtColumns, debtOf } from "../../lanes/jobs.ts";
import type { Lease } from "../../outbox.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { isOwed, LIVE } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { HOLDS_LEASE, keptTries } from "./lanes.ts";
import { book } from "./tally.ts";

// The ack that a message owes the gateway: columns of its row. It leaves whatever the message itself does meanwhile.

const at = sql.placeholder;
/** A live message's times are those of its own delivery. */
const updatedAt = sql`CASE WHEN ${LIVE} THEN updated_at ELSE ${at("now")} END` as never;
const ackTries =
  sql`json_insert(${sql.raw(keptTries("ack_tries"))}, '$[#]', json_array(${at("now")}, ${at("error")}))` as never;
const mine = and(
  eq(messages.id, at("id")),
  sql`ack = 'sending'`,
  eq(messages.ackFence, at("fence")),
  eq(messages.ackVersion, at("ackVersion")),
);
const statements = (orm: Orm) => ({
  state: orm
    .select({ ack: messages.ack, ackVersion: messages.ackVersion })
    .from(messages)
    .where(eq(messages.id, at("id")))
    .prepare(),
  given: orm
    .update(messages)
    .set({ ack: "given", ackBody: null, ackError: null, ackAt: at("now") as never, updatedAt })
    .where(mine)
    .prepare(),
  refused: orm
    .update(messages)
    .set({ ack: "refused", ackError: at("error") as never, ackTries, ackAt: at("now") as never, updatedAt })
    .where(mine)
    .prepare(),
  mark: orm
    .update(messages)
    .set({ inOwnCode: at("inOwnCode") as never })
    .where(mine)
    .prepare(),
  later: orm
    .update(messages)
    .set({
      ...{ ack: "due", ackAt: at("runAt") as never, ackAttempts: at("attempts") as never },
      ...{ crashes: sql`coalesce(${at("crashes")}, crashes)` as never },
      ...{ fatalCrashes: sql`coalesce(${at("fatalCrashes")}, fatal_crashes)` as never },
      ...{ ackError: sql`coalesce(${at("error")}, ack_error)` as never, updatedAt },
      ackTries: sql`iif(${at("error")} IS NULL, ack_tries, ${ackTries})` as never,
    })
    .where(mine)
    .prepare(),
});

const TAKE = `UPDATE message SET ack = 'sending', ack_attempts = ack_attempts + 1, ack_fence = @fence, in_own_code = 0,
  updated_at = CASE WHEN state IN ('ready','sending','waiting') THEN updated_at ELSE @now END
  WHERE id = @id AND ack = 'due' AND ack_at <= @now AND ${HOLDS_LEASE} RETURNING ${ACK_JOB}`;

const channelOf = ({ channelId, accountId }: { channelId: string; accountId: string }) => ({
  id: channelId,
  accountId,
});
const countedAs = (of: { channelId: string; accountId: string }) => ({
  accountId: of.accountId,
  channelId: of.channelId,
  direction: "ack",
});

/**
 * A new debt replaces an older one: an answer to that clears nothing any more. Write the columns, then book it. `fence`: of
 * the ack that leaves with this commit.
 */
export function newDebt(
  db: Database,
  row: Pick<MessageRow, "id" | "channelId" | "accountId"> & { ack?: MessageRow["ack"]; ackVersion: number },
  ack: Ack,
  now: number,
  fence?: number,
): { columns: DebtColumns; book(): void } {
  // Not the version at the claim: a refused ack may have been owed again since.
  const { ack: before, ackVersion } =
    (row.ackVersion > 0 && db.statements(statements).state.get({ id: row.id })) || row;
  return {
    columns: debtOf(ack, ackVersion, now, fence),
    book() {
      if (isOwed(before)) return;
      book(db, channelOf(row), { acksOwed: 1 });
      db.pressure.added(countedAs(row));
    },
  };
}

/** See `Outbox.inOwnCode`. */
export const markAck = (db: Database, job: Job, inOwnCode: number): boolean =>
  settleAck(db, "mark", job, 0, { inOwnCode });

/** Undefined when it is no longer due, or the lease is stale. */
export const takeAck = (db: Database, { accountId: account, fence }: Lease, id: number, now: number) =>
  db.prepared(TAKE).get({ id, account, fence, now }) as AckJobRow | undefined;

/** An ack under way. */
interface AckRef {
  id: number;
  accountId: string;
  channelId: string;
  fence: number;
  ackVersion?: number;
}

/** False when the lease is stale, a newer outcome has replaced the debt, or its message is being erased. */
function settleAck(
  db: Database,
  how: "given" | "refused" | "mark" | "later",
  { id, fence, ackVersion = 0 }: AckRef,
  now: number,
  set: object = {},
): boolean {
  if (db.erasing.covers(id)) return false;
  return db.statements(statements)[how].run({ id, fence, ackVersion, now, ...set }).changes === 1;
}

export function ackGiven(db: Database, job: AckRef, now: number): boolean {
  if (!settleAck(db, "given", job, now)) return false;
  book(db, channelOf(job), { acksGiven: 1 });
  db.pressure.ended(countedAs(job));
  return true;
}

export function ackRefused(db: Database, job: AckRef, error: string, now: number): boolean {
  if (!settleAck(db, "refused", job, now, { error })) return false;
  book(db, channelOf(job), { acksRefused: 1 });
  db.pressure.ended(countedAs(job));
  return true;
}

/** Ends all debts of a removed channel, but those under way. */
export function refuseAcks(db: Database, channel: SQL | undefined, error: string, now: number): void {
  const rows = db.orm
    .update(messages)
    .set({ ack: "refused", ackError: error, ackAt: now })
    .where(and(channel, sql`ack = 'due' AND ack IN ('due','sending')`))
    .returning({ channelId: messages.channelId, accountId: messages.accountId })
    .all();
  for (const row of rows) {
    book(db, channelOf(row), { acksRefused: 1 });
    db.pressure.ended(countedAs(row));
  }
}

export const ackLater = (
  db: Database,
  job: Job,
  set: { runAt: number; attempts: number; error?: string; crashes?: number; fatalCrashes?: number },
  now: number,
): boolean => {
  const kept = { error: null, crashes: null, fatalCrashes: null };
  return settleAck(db, "later", job, now, { ...kept, ...set });
};

export function recordAckFailure(db: Database, job: Job, next: NextState, error: string, now: number): boolean {
  if (next.state !== "ready") return ackRefused(db, job, error, now);
  const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
  const { crashes, fatalCrashes } = job;
  return ackLater(db, job, { runAt: next.runAt, attempts, error, crashes, fatalCrashes }, now);
}
