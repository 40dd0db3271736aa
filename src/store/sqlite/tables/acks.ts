import type { Lease } from "../../../domain/account.ts";
import type { Ack, Job, NextState } from "../../../domain/delivery.ts";
import { ACK_JOB, type AckJobRow, type DebtColumns, debtOf } from "../../lanes/jobs.ts";
import type { MessageRow } from "../../tables/schema.ts";
import { isOwed } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { HOLDS_LEASE, keptTries } from "./lanes.ts";
import { book } from "./tally.ts";

// The ack that a message owes the gateway: columns of its row. It leaves whatever the message itself does meanwhile.

/** A live message's times are those of its own delivery. */
const TOUCH = "updated_at = CASE WHEN state IN ('ready','sending','waiting') THEN updated_at ELSE @now END";
const MINE = "id = @id AND ack = 'sending' AND ack_fence = @fence AND ack_version = @ackVersion";
const TRIES = `json_insert(${keptTries("ack_tries")}, '$[#]', json_array(@now, @error))`;
const STATE = "SELECT ack, ack_version AS ackVersion FROM message WHERE id = @id";
const GIVEN = `UPDATE message SET ack = 'given', ack_body = NULL, ack_error = NULL, ack_at = @now, ${TOUCH} WHERE ${MINE}`;
const REFUSED = `UPDATE message SET ack = 'refused', ack_error = @error, ack_tries = ${TRIES}, ack_at = @now, ${TOUCH}
  WHERE ${MINE}`;
const MARK = `UPDATE message SET in_own_code = @inOwnCode WHERE ${MINE}`;
const LATER = `UPDATE message SET ack = 'due', ack_at = @runAt, ack_attempts = @attempts, ${TOUCH},
  crashes = coalesce(@crashes, crashes), fatal_crashes = coalesce(@fatalCrashes, fatal_crashes),
  ack_error = coalesce(@error, ack_error), ack_tries = iif(@error IS NULL, ack_tries, ${TRIES}) WHERE ${MINE}`;

const TAKE = `UPDATE message SET ack = 'sending', ack_attempts = ack_attempts + 1, ack_fence = @fence, in_own_code = 0,
  ${TOUCH} WHERE id = @id AND ack = 'due' AND ack_at <= @now AND ${HOLDS_LEASE} RETURNING ${ACK_JOB}`;

const channelOf = ({ channelId, accountId }: { channelId: string; accountId: string }) => ({
  id: channelId,
  accountId,
});
const countedAs = (of: { channelId: string; accountId: string }) => ({
  accountId: of.accountId,
  channelId: of.channelId,
  direction: "ack" as const,
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
    (row.ackVersion > 0 && (db.prepared(STATE).get({ id: row.id }) as typeof row | undefined)) || row;
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
export const markAck = (db: Database, job: Job, inOwnCode: number): boolean => settleAck(db, MARK, job, { inOwnCode });

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
function settleAck(db: Database, how: string, { id, fence, ackVersion = 0 }: AckRef, set: object): boolean {
  if (db.erasing.covers(id)) return false;
  return db.prepared(how).run(Object.assign({ id, fence, ackVersion }, set)).changes === 1;
}

export function ackGiven(db: Database, job: AckRef, now: number): boolean {
  if (!settleAck(db, GIVEN, job, { now })) return false;
  book(db, channelOf(job), { acksGiven: 1 });
  db.pressure.ended(countedAs(job));
  return true;
}

export function ackRefused(db: Database, job: AckRef, error: string, now: number): boolean {
  if (!settleAck(db, REFUSED, job, { now, error })) return false;
  book(db, channelOf(job), { acksRefused: 1 });
  db.pressure.ended(countedAs(job));
  return true;
}

export const ackLater = (
  db: Database,
  job: Job,
  set: { runAt: number; attempts: number; error?: string; crashes?: number; fatalCrashes?: number },
  now: number,
): boolean => {
  const kept = { error: null, crashes: null, fatalCrashes: null };
  return settleAck(db, LATER, job, { ...kept, ...set, now });
};

export function recordAckFailure(db: Database, job: Job, next: NextState, error: string, now: number): boolean {
  if (next.state !== "ready") return ackRefused(db, job, error, now);
  const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
  const { crashes, fatalCrashes } = job;
  return ackLater(db, job, { runAt: next.runAt, attempts, error, crashes, fatalCrashes }, now);
}
