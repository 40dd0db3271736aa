import { SqliteError } from "better-sqlite3";
import { and, eq, lte, sql } from "drizzle-orm";
import type { Clock } from "../../../domain/clock.ts";
import type { Job, NextState } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, JobId } from "../../../domain/ids.ts";
import type { Act } from "../../audit.ts";
import type { Notices, Outbox, Outcome } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import { type Database, type Orm, upTo } from "../database/db.ts";
import { accounts, BEEN_IN_OWN_CODE, channels, IN_OWN_CODE, type JobRow, jobs } from "../database/schema.ts";
import { writeAudit } from "../tables/audit.ts";
import { writeJournal } from "../tables/journal.ts";
import { settleMessage } from "../tables/messages.ts";
import { writeNotes } from "../tables/notes.ts";
import { advance, contentOf } from "../tables/queue.ts";
import { keepRaw, type SealedWebhook } from "../tables/raw-webhooks.ts";
import { bookColumns, bookEnd } from "../tables/tally.ts";
import { acceptAct, acceptAndKeep, acceptEvent, admit, isKnown } from "./accepting.ts";
import { claimHeads, isDue, nextDue, recentCalls, takeOver } from "./claims.ts";
import { ended, sendAgain } from "./ended.ts";
import { arrived, dropped } from "./held.ts";
import { enqueueNotices, settleFailed } from "./notices.ts";
import { rebaseTimers } from "./timers.ts";

const keyOf = ({ origin, id }: Pick<JobRow, "origin" | "id">) => String(origin ?? id);
const toJob = (row: JobRow, content: Pick<Job, "task" | "work">): Job => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  direction: row.direction,
  lane: row.lane,
  key: keyOf(row),
  attempts: row.attempts,
  unsure: row.unsure,
  crashes: row.crashes,
  fatalCrashes: row.fatalCrashes,
  begun: row.begun === 1,
  deadlineAt: row.deadlineAt,
  fence: row.fence,
  // Claims and recorded steps update it; takeovers do not.
  triedAt: row.updatedAt,
  ...content,
});

/** An unreadable job ends here; retrying it would block its account. */
function parseOrEnd(db: Database, row: JobRow, now: number): Job[] {
  const content = contentOf(row);
  if (content) return [toJob(row, content)];
  const error = "its stored content cannot be read";
  db.orm
    .update(jobs)
    .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now })
    .where(eq(jobs.id, row.id))
    .run();
  bookEnd(db, row, "refused");
  advance(db, row, now);
  return [];
}

/** Overdue jobs ended per transaction. */
const MAX_EXPIRED = 200;
const at = sql.placeholder;
const statements = (orm: Orm) => ({
  clearTrouble: orm
    .update(accounts)
    .set({ trouble: null, restUntil: 0 })
    .where(and(eq(accounts.id, at("account")), sql`${accounts.trouble} IS NOT NULL`))
    .prepare(),
  done: orm
    .update(jobs)
    .set({ state: "done", head: 0, error: null, errorCode: null, updatedAt: at("now") as never })
    .where(and(eq(jobs.id, at("id")), sql`state = 'sending'`, eq(jobs.fence, at("fence"))))
    .returning(bookColumns)
    .prepare(),
  overdue: orm
    .select({ job: jobs, unsure: channels.unsure, channelState: channels.state, trouble: channels.trouble })
    .from(jobs)
    .leftJoin(channels, eq(channels.id, jobs.channelId))
    .where(and(lte(jobs.deadlineAt, at("now")), sql`job.state IN ('ready','waiting')`, eq(jobs.direction, "outbound")))
    .limit(upTo(MAX_EXPIRED))
    .prepare(),
});

export function outbox(db: Database, sealer: Sealer, clock: Clock): Outbox {
  const { write } = db;
  const keep = (requests: SealedWebhook[]) => keepRaw(db, sealer, requests);
  /** Runs a person's decision and its audit entry in one transaction. */
  const decide = (accountId: AccountId, id: JobId, by: Act | undefined, act: () => boolean) =>
    write(() => {
      const done = act();
      if (done) writeAudit(db, clock.now(), accountId, by, { job: id });
      return done;
    });
  return {
    acceptInbound: (channel, arrival) =>
      write(() => {
        const now = clock.now();
        const { events, journal = [], notes = [] } = arrival;
        admit(db, channel, "inbound", events);
        writeJournal(db, now, channel.id, journal);
        writeNotes(db, now, channel.id, notes);
        const accept = () => events.filter((event) => acceptEvent(db, channel, event, now)).length;
        return acceptAndKeep(db, { channel, source: "messenger", keep, ...arrival }, now, accept);
      }),
    acceptOutbound: (channel, acceptance) =>
      write(() => {
        const now = clock.now();
        admit(db, channel, "outbound", [acceptance.act]);
        const accept = () => (acceptAct(db, channel, acceptance, now) ? 1 : 0);
        return acceptAndKeep(db, { channel, source: "gateway", keep, ...acceptance }, now, accept) === 1;
      }),
    unknown: async (channelId, source, keys) => keys.filter((key) => !isKnown(db, channelId, source, key)),
    claim: async (lease, most, sides = { gateway: most, messenger: most }) => {
      const room = { ...sides, most };
      // Usually nothing is due, and no transaction is needed to see that. If one is about to run anyway, claim in it: messages
      // it stores can be claimed at once, which saves a commit before they leave.
      if (!db.hasPending() && !isDue(db, lease.accountId, room, clock.now())) return [];
      const take = () => {
        const now = clock.now();
        return claimHeads(db, lease, room, now).flatMap((row) => parseOrEnd(db, row, now));
      };
      return write(take, { urgent: true });
    },
    done: (job, outcome) =>
      write(() => recordDone(db, job, outcome, clock.now())).catch((error) => {
        if (!(error instanceof SqliteError) || !error.code.startsWith("SQLITE_CONSTRAINT")) throw error;
        // Conflicting ids never resolve, and the message did arrive: record it without them.
        const { ack, note } = outcome;
        return write(() => recordDone(db, job, { ack, note }, clock.now()));
      }),
    advanced: (job, work) =>
      write(() => {
        // Doubt about the previous step says nothing about the next one.
        job.work = work;
        job.unsure = 0;
        job.triedAt = clock.now();
        return settle(db, job, { work: JSON.stringify(work), unsure: 0, updatedAt: job.triedAt });
      }),
    callStarted: (job) => write(() => settle(db, job, { begun: 1 })),
    inOwnCode: (job, runs) => write(() => settle(db, job, { inOwnCode: runs ? IN_OWN_CODE : BEEN_IN_OWN_CODE })),
    postponed: (job, runAt) => write(() => settle(db, job, { state: "ready", runAt, attempts: job.attempts - 1 })),
    failed: (job, next, error, notices) => write(() => recordFailure(db, job, next, error, clock.now(), notices)),
    takeOver: (lease) => write(() => takeOver(db, lease).flatMap((row) => parseOrEnd(db, row, clock.now()))),
    expire: (toTold) => write(() => expireOverdue(db, clock.now(), toTold)),
    recentCalls: async (since) => recentCalls(db, since),
    rebaseTimers: (restMs) => write(() => rebaseTimers(db, clock.now(), restMs)),
    touched: touching(db),
    nextDue: async (accountId, but) => nextDue(db, accountId, but),
    ended: async (accountId, limit) => ended(db, accountId, limit),
    sendAgain: (accountId, id, patienceMs, by) =>
      decide(accountId, id, by, () => sendAgain(db, accountId, id, clock.now(), patienceMs)),
    arrived: (accountId, id, how, by) => decide(accountId, id, by, () => arrived(db, accountId, id, how, clock.now())),
    dropped: (accountId, id, by) => decide(accountId, id, by, () => dropped(db, accountId, id, clock.now())),
  };
}

function touching({ orm, pressure }: Database): Outbox["touched"] {
  // `data_version` changes only with other connections' commits.
  const version = () => orm.get<{ data_version: number }>(sql`PRAGMA data_version`).data_version;
  let last = version();
  return async () => {
    const before = last;
    last = version();
    if (last !== before) pressure.recount();
    return last !== before;
  };
}

/** Updates a job in `sending`; false when the lease is stale. */
function settle(db: Database, job: Job, set: Partial<JobRow>): boolean {
  return (
    db.orm
      .update(jobs)
      .set(set)
      .where(and(eq(jobs.id, job.id), eq(jobs.state, "sending"), eq(jobs.fence, job.fence)))
      .run().changes === 1
  );
}

/** Ends a job; false when the lease is stale. Only dead jobs are booked: the ledger counts held ones as waiting. */
function end(db: Database, job: Job, state: "dead" | "held", set: Partial<JobRow> & { updatedAt: number }): boolean {
  const ended = db.orm
    .update(jobs)
    .set({ ...set, state, head: 0 })
    .where(and(eq(jobs.id, job.id), eq(jobs.state, "sending"), eq(jobs.fence, job.fence)))
    .returning(bookColumns)
    .get();
  if (!ended) return false;
  if (state === "dead") bookEnd(db, ended, "refused");
  advance(db, job, set.updatedAt);
  return true;
}

function recordDone(db: Database, job: Job, outcome: Outcome, now: number): boolean {
  const ended = db.statements(statements).done.get({ id: job.id, fence: job.fence, now });
  if (!ended) return false;
  bookEnd(db, ended, "delivered");
  advance(db, job, now);
  settleMessage(db, job, outcome, now);
  enqueueNotices(db, job, outcome, now);
  if (job.direction !== "outbound") db.statements(statements).clearTrouble.run({ account: job.accountId });
  return true;
}

const isStopped = ({ orm }: Database, { direction, channelId }: Job): boolean =>
  direction === "outbound" &&
  orm.select({ state: channels.state }).from(channels).where(eq(channels.id, channelId)).get()?.state === "stopped";

function recordFailure(
  db: Database,
  job: Job,
  next: NextState,
  error: string,
  now: number,
  notices: Notices = {},
): boolean {
  const doubt = job.work?.progress.since === undefined ? {} : { work: JSON.stringify(job.work) };
  if (next.state === "ready") {
    const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
    // Outbound jobs of a stopped channel wait for a person. If it was resumed or removed meanwhile, the job runs again.
    const state = "stopLanes" in next && isStopped(db, job) ? "waiting" : "ready";
    return settle(db, job, {
      state,
      runAt: next.runAt,
      attempts,
      unsure: next.unsure,
      crashes: job.crashes,
      fatalCrashes: job.fatalCrashes,
      error,
      updatedAt: now,
      ...doubt,
    });
  }
  const code = next.state === "dead" ? next.code : "general";
  const unsure = next.state === "held" ? next.unsure : job.unsure;
  if (!end(db, job, next.state, { errorCode: code, error, unsure, updatedAt: now, ...doubt })) return false;
  settleFailed(db, job, now);
  enqueueNotices(db, job, notices, now);
  return true;
}

function expireOverdue(db: Database, now: number, noticesFor: Parameters<Outbox["expire"]>[0]): number {
  const rows = db.statements(statements).overdue.all({ now });
  for (const { job: row, unsure, channelState, trouble } of rows) {
    const stopped = channelState === "stopped" ? (trouble ?? undefined) : undefined;
    const error = stopped ?? row.error ?? "its deadline passed before it could be sent";
    // A message that may have arrived is a person's decision, even when overdue.
    const state = row.unsure > 0 && unsure === "hold" ? "held" : "dead";
    const errorCode = stopped === undefined ? "general" : "access_restricted";
    db.orm.update(jobs).set({ state, head: 0, errorCode, error, updatedAt: now }).where(eq(jobs.id, row.id)).run();
    if (state === "dead") bookEnd(db, row, "refused");
    advance(db, row, now);
    const { task, work } = contentOf(row) ?? {};
    if (task?.direction !== "outbound") continue;
    const job = { channelId: row.channelId as ChannelId, accountId: row.accountId as AccountId, task, work };
    const why = { unsure: row.unsure > 0, error: row.error ?? undefined, stopped, work, key: keyOf(row) };
    const notices = noticesFor(task.act, why);
    settleFailed(db, job, now);
    enqueueNotices(db, job, channelState === "removed" ? { ack: notices.ack } : notices, now);
  }
  return rows.length;
}
