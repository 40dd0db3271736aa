import { eq, isNotNull, sql } from "drizzle-orm";
import type { AccountId } from "../../../domain/ids.ts";
import { eventCandidate } from "../../outbox/accepting.ts";
import { jobOfAck } from "../../outbox/jobs.ts";
import {
  asOvertaken,
  noteOf,
  type OverdueRow,
  overdueBy,
  overdueResult,
  type Result,
  sumsOf,
} from "../../outbox/results.ts";
import {
  assignmentsOf,
  currentOf,
  type Dialect,
  RETURNED,
  type Recorded,
  textsBy,
  type Update,
} from "../../outbox/updates.ts";
import type { Outbox } from "../../outbox.ts";
import { accounts, type MessageRow } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";
import { runNow, transactionOf } from "../tables/engine.ts";
import { keptTries } from "../tables/lanes.ts";
import { book } from "../tables/tally.ts";
import { acceptNew } from "./accepting.ts";
import { maySend } from "./claims.ts";
import { hasSlot, type Leaving } from "./leaving.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  clearTrouble: orm
    .update(accounts)
    .set({ trouble: null, restUntil: 0 })
    .where(eq(accounts.id, at("account")))
    .prepare(),
  troubled: orm.select({ id: accounts.id }).from(accounts).where(isNotNull(accounts.trouble)).prepare(),
});

const DIALECT: Dialect = {
  value: (name) => `@${name}`,
  tried: (name) =>
    `json_insert(${keptTries(name === "tries" ? "tries" : "ack_tries")}, '$[#]', json_array(@updatedAt, @${name}))`,
};
const textOf = textsBy(
  (kind, names) => `UPDATE message SET ${assignmentsOf(kind, names, DIALECT)}
    WHERE id = @id AND ${currentOf(kind, DIALECT)} RETURNING ${RETURNED}`,
);
const ACK = "SELECT ack FROM message WHERE id = @id";

/** Undefined when the lease is stale, or a newer outcome has replaced the ack. */
function update(db: Database, given: Update): Recorded | undefined {
  const { job, set } = given;
  const { id, fence, ackVersion = 0 } = job;
  // Not the state at the claim: a refused ack may have been owed again since.
  const isOwedAgain = set.ackBody !== undefined && set.ackBody !== null && ackVersion > 0;
  const before = isOwedAgain ? (db.prepared(ACK).get({ id }) as Pick<MessageRow, "ack"> | undefined) : undefined;
  const values = { ...set, id, was: fence, version: ackVersion };
  const row = db.prepared(textOf(given)).get(values) as Recorded | undefined;
  if (row) row.ackBefore = before?.ack;
  return row;
}

const leavingUnder = (ackFence: number) => ({ ack: "sending" as const, ackAttempts: 1, ackFence, inOwnCode: 0 });

/** Records a result with what follows from it. False, and nothing is recorded, when its job no longer runs. */
export function finish(db: Database, given: Result, now: number, leaving?: Leaving): boolean {
  const result = given.sent ? runNow(db, asOvertaken(transactionOf(db), given, now)) : given;
  const { kind, job, ack, after, passed, note } = result;
  const { accountId, channelId } = job;
  const leaves = ack && leaving && hasSlot(leaving) && maySend(db, { accountId, channelId, direction: "ack" }, now);
  const set = leaves ? { ...result.set, ...leavingUnder(leaving.held.lease.fence) } : result.set;
  const row = update(db, { kind, job, set });
  if (!row) return false;
  const sums = sumsOf(result, row);
  if (Object.keys(sums).length > 0) book(db, { id: channelId, accountId }, sums);
  // The ledger counts held messages as waiting.
  else if (kind !== "ack" && row.state === "held") db.versions.bump(accountId);
  if (leaves) leaving.jobs.push(jobOfAck(row, ack));
  if (after) runNow(db, after());
  if (passed) clearTrouble(db, accountId);
  const told = note && runNow(db, noteOf(result));
  if (told) acceptNew(db, [eventCandidate({ id: channelId, accountId }, told, now, 0)], now);
  return true;
}

/** A call with the account's token has passed. */
function clearTrouble(db: Database, account: AccountId): void {
  const { troubled, clearTrouble: clear } = db.statements(statements);
  const known = db.rows.find("accounts", "troubled", () => new Set(troubled.all().map(({ id }) => id)));
  if (known?.has(account)) clear.run({ account });
}

const [OVERDUE, CLOSING] = [overdueBy("deadline"), overdueBy("channel")];

export function expireOverdue(db: Database, now: number, ...how: Parameters<Outbox["expire"]>): number {
  const [, closing] = how;
  const find = db.prepared(closing ? CLOSING : OVERDUE);
  const overdue = find.all(closing ? { channelId: closing.channelId } : { now }) as OverdueRow[];
  for (const row of overdue) finish(db, overdueResult(row, now, ...how), now);
  return overdue.length;
}
