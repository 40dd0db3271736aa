import { and, eq, lte, min, type SQL, sql } from "drizzle-orm";
import { type Account, works } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import type { Ack, Job, NextState, Task } from "../domain/delivery.ts";
import type { AccountId, ChannelId, GatewayMessageId, JobId, MessengerMessageId } from "../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../domain/message.ts";
import type { SentPart, Work } from "../domain/plan.ts";
import type { RawWebhook } from "../domain/raw-webhook.ts";
import {
  type Acceptance,
  acceptAct,
  acceptEvent,
  admit,
  enqueueEvent,
  isKnown,
  keeping,
  type Source,
} from "./accepting.ts";
import { type Act, writeAudit } from "./audit.ts";
import type { Database } from "./db.ts";
import { type EndedJob, ended, sendAgain } from "./ended.ts";
import { type Arrived, arrived, dropped } from "./held.ts";
import { type JournalLine, writeJournal } from "./journal.ts";
import { settleMessage } from "./messages.ts";
import { type NoteLine, writeNotes } from "./notes.ts";
import { advance, enqueueAck, type JobRow, LIVE } from "./queue.ts";
import { accounts, jobs } from "./schema.ts";
import type { Sealer } from "./secrets.ts";
import { bookEnd, carried } from "./tally.ts";

/** What came from a messenger, to be kept in one transaction. */
export interface Arrival {
  events: ChannelEvent[];
  journal?: JournalLine[];
  notes?: NoteLine[];
  /** The request, kept sealed when something of it is new. */
  raw?: () => RawWebhook | undefined;
  /** Runs again what was counted when it came: it fills a hole of the ledger before it counts anew. */
  again?: boolean;
}
/** What a finished job leaves behind. */
export interface Outcome {
  gatewayMessageId?: GatewayMessageId;
  /** Parts of a message that was sent, or that an edit has added. */
  parts?: SentPart[];
  /** Parts that are there no more. */
  removed?: MessengerMessageId[];
  ack?: Ack;
  /** A line for the agent. */
  note?: Extract<ChannelEvent, { type: "note" }>;
}
/** Where a job's call goes: inbound jobs and acks to the gateway, outbound ones to the messenger. */
export type Side = "gateway" | "messenger";
/** How many jobs may be claimed, and at most how many of them on each side. */
export type Room = Record<Side | "most", number>;
/** The truth of what has to be carried where. Each function is one transaction. */
export interface Outbox {
  /** Resolves with the number of events that were new, once everything is on the disk. Throws Overload. */
  acceptInbound(channel: Channel, arrival: Arrival): Promise<number>;
  /** False when its key was accepted before. Throws Overload. */
  acceptOutbound(channel: Channel, acceptance: Acceptance): Promise<boolean>;
  /** Which of these events have never been accepted. */
  unknown(channelId: ChannelId, source: Source, keys: string[]): Promise<string[]>;
  /** Marks due heads of lanes as being sent, acks first, and counts the attempt. */
  claim(lease: { accountId: AccountId; fence: number }, most: number, sides?: Record<Side, number>): Promise<Job[]>;
  /** False when the lease has passed on: then nothing was recorded. */
  done(job: Job, outcome: Outcome): Promise<boolean>;
  /** Records how far outbound work has come; what went before is certain from here on. False as for `done`. */
  advanced(job: Job, work: Work): Promise<boolean>;
  /** Gives a job back until `runAt`, as if it had not been claimed. */
  postponed(job: Job, runAt: number): Promise<boolean>;
  /** Records a failure as its next state; `ack` goes out with the last one. */
  failed(job: Job, next: NextState, error: string, ack?: Ack): Promise<boolean>;
  /** After a crash: hands what was being sent to the new holder of the lease, with the crash counted. */
  takeOver(lease: { accountId: AccountId; fence: number }): Promise<Job[]>;
  /** Ends outbound jobs whose time is over; resolves with how many. */
  expire(toAck: (act: OutboundAct) => Ack | undefined): Promise<number>;
  /** Whether another process has written since this was last asked: it may have added work. */
  touched(): Promise<boolean>;
  /** When the account has its next work on this side, if it has any and may do it. */
  nextDue(accountId: AccountId, side: Side): Promise<number | undefined>;
  ended(accountId: AccountId, most: number): Promise<EndedJob[]>;
  /** Appends the work again at the end of its lane. False when the account has no such ended job. */
  sendAgain(accountId: AccountId, id: JobId, patienceMs: number, by?: Act): Promise<boolean>;
  /** A person has seen that a held message arrived. False when the account holds no such job; so for `dropped`. */
  arrived(accountId: AccountId, id: JobId, how: Arrived, by?: Act): Promise<boolean>;
  /** A person has given a held message up. */
  dropped(accountId: AccountId, id: JobId, by?: Act): Promise<boolean>;
}

const toJob = (row: JobRow): Job => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  direction: row.direction,
  lane: row.lane,
  key: String(row.origin ?? row.id),
  attempts: row.attempts,
  unsure: row.unsure,
  crashes: row.crashes,
  deadlineAt: row.deadlineAt,
  fence: row.fence,
  // Claiming and every step that is recorded write it; taking over does not.
  triedAt: row.updatedAt,
  task: JSON.parse(row.payload) as Task,
  work: row.work === null ? undefined : (JSON.parse(row.work) as Work),
});

export function outbox(db: Database, sealer: Sealer, clock: Clock): Outbox {
  const { orm, write } = db;
  const claimHeads = claiming(db);
  /** What a person has decided, and that they did, in one transaction. */
  const decided = (accountId: AccountId, id: JobId, by: Act | undefined, act: () => boolean) =>
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
        return keeping(db, sealer, { channel, source: "messenger", ...arrival }, now, accept);
      }),
    acceptOutbound: (channel, acceptance) =>
      write(() => {
        const now = clock.now();
        admit(db, channel, "outbound", [acceptance.act]);
        const accept = () => (acceptAct(db, channel, acceptance, now) ? 1 : 0);
        return keeping(db, sealer, { channel, source: "gateway", ...acceptance }, now, accept) === 1;
      }),
    unknown: async (channelId, source, keys) => keys.filter((key) => !isKnown(db, channelId, source, key)),
    claim: (lease, most, sides = { gateway: most, messenger: most }) =>
      write(() => claimHeads(lease, { most, ...sides }, clock.now())),
    done: (job, outcome) => write(() => recordDone(db, job, outcome, clock.now())),
    advanced: (job, work) =>
      write(() => {
        // Another step means another outcome: that the last one was unsure says nothing of it.
        job.work = work;
        job.unsure = 0;
        job.triedAt = clock.now();
        return settle(db, job, { work: JSON.stringify(work), unsure: 0, updatedAt: job.triedAt });
      }),
    postponed: (job, runAt) => write(() => settle(db, job, { state: "ready", runAt, attempts: job.attempts - 1 })),
    failed: (job, next, error, ack) => write(() => recordFailure(db, job, next, error, clock.now(), ack)),
    takeOver: (lease) =>
      write(() =>
        orm
          .update(jobs)
          .set({ fence: lease.fence, crashes: sql`${jobs.crashes} + 1` })
          .where(and(eq(jobs.accountId, lease.accountId), LIVE, eq(jobs.state, "sending")))
          .returning()
          .all()
          .map(toJob),
      ),
    expire: (toAck) => write(() => expireOverdue(db, clock.now(), toAck)),
    touched: touching(db),
    nextDue: async (accountId, side) => nextDue(db, accountId, side),
    ended: async (accountId, most) => ended(db, accountId, most),
    sendAgain: (accountId, id, patienceMs, by) =>
      decided(accountId, id, by, () => sendAgain(db, accountId, id, clock.now(), patienceMs)),
    arrived: (accountId, id, how, by) => decided(accountId, id, by, () => arrived(db, accountId, id, how, clock.now())),
    dropped: (accountId, id, by) => decided(accountId, id, by, () => dropped(db, accountId, id, clock.now())),
  };
}

function touching({ orm, pressure }: Database): Outbox["touched"] {
  // Changes with the commits of other connections only.
  const version = () => orm.get<{ data_version: number }>(sql`PRAGMA data_version`).data_version;
  let last = version();
  return async () => {
    const before = last;
    last = version();
    if (last !== before) pressure.recount();
    return last !== before;
  };
}

const mayWork = (db: Database, accountId: AccountId): { restUntil: number } | undefined => {
  const row = db.orm
    .select({ active: accounts.active, frozen: accounts.frozen, restUntil: accounts.restUntil })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .get();
  return row && works(row as Pick<Account, "active" | "frozen">) ? row : undefined;
};

/** The oldest due heads of one direction, straight from their index. */
const dueHeads = (direction: Job["direction"]) => sql`SELECT id, run_at FROM job
  WHERE account_id = ${sql.placeholder("account")} AND direction = ${sql.raw(`'${direction}'`)}
    AND head = 1 AND state = 'ready' AND run_at <= ${sql.placeholder("now")}
  ORDER BY run_at, id LIMIT ${sql.placeholder("most")}`;

function claiming(db: Database) {
  const due = (heads: SQL) =>
    db.orm
      .update(jobs)
      .set({
        state: "sending",
        attempts: sql`${jobs.attempts} + 1`,
        fence: sql.placeholder("fence") as never,
        updatedAt: sql.placeholder("now") as never,
      })
      .where(sql`${jobs.id} IN (SELECT id FROM (${heads}))`)
      .returning()
      .prepare();
  const acks = due(dueHeads("ack"));
  const only = { gateway: due(dueHeads("inbound")), messenger: due(dueHeads("outbound")) };
  // Some of each and then the oldest of them: sorted together, all waiting heads would be read.
  const both =
    due(sql`SELECT id FROM (SELECT * FROM (${dueHeads("inbound")}) UNION ALL SELECT * FROM (${dueHeads("outbound")}))
    ORDER BY run_at, id LIMIT ${sql.placeholder("most")}`);
  return (lease: { accountId: AccountId; fence: number }, room: Room, now: number): Job[] => {
    const account = mayWork(db, lease.accountId);
    if (!account || account.restUntil > now) return [];
    const take = (from: typeof acks, most: number) =>
      most > 0 ? from.all({ account: lease.accountId, fence: lease.fence, now, most }) : [];
    const first = take(acks, Math.min(room.most, room.gateway));
    const [most, gateway] = [room.most - first.length, room.gateway - first.length];
    // By age, whichever side it is on, as long as both have room.
    if (gateway > 0 && room.messenger > 0) first.push(...take(both, Math.min(most, gateway, room.messenger)));
    else if (gateway > 0) first.push(...take(only.gateway, Math.min(most, gateway)));
    else first.push(...take(only.messenger, Math.min(most, room.messenger)));
    return first.map(toJob);
  };
}

/** Returns or changes a job; no row changes when the lease has passed on. */
function settle(db: Database, job: Job, set: Partial<JobRow>): boolean {
  return (
    db.orm
      .update(jobs)
      .set(set)
      .where(and(eq(jobs.id, job.id), eq(jobs.state, "sending"), eq(jobs.fence, job.fence)))
      .run().changes === 1
  );
}

/** Ends a job and books it; false when the lease has passed on. A held one has not ended for the ledger. */
function end(db: Database, job: Job, state: "done" | "dead" | "held", set: Partial<JobRow>): boolean {
  const ended = db.orm
    .update(jobs)
    .set({ ...set, state, head: 0 })
    .where(and(eq(jobs.id, job.id), eq(jobs.state, "sending"), eq(jobs.fence, job.fence)))
    .returning(carried)
    .get();
  if (!ended) return false;
  if (state !== "held") bookEnd(db, ended, state === "done" ? "delivered" : "refused");
  advance(db, job);
  return true;
}

function recordDone(db: Database, job: Job, outcome: Outcome, now: number): boolean {
  if (!end(db, job, "done", { error: null, errorCode: null, updatedAt: now })) return false;
  settleMessage(db, job, outcome, now);
  if (outcome.ack) enqueueAck(db, now, job, outcome.ack);
  if (outcome.note) enqueueEvent(db, { id: job.channelId, accountId: job.accountId }, outcome.note, now, 0);
  if (job.direction !== "outbound")
    db.orm
      .update(accounts)
      .set({ trouble: null, restUntil: 0 })
      .where(and(eq(accounts.id, job.accountId), sql`${accounts.trouble} IS NOT NULL`))
      .run();
  return true;
}

function recordFailure(db: Database, job: Job, next: NextState, error: string, now: number, ack?: Ack): boolean {
  const doubt = job.work?.progress.since === undefined ? {} : { work: JSON.stringify(job.work) };
  if (next.state === "ready") {
    const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
    // A stopped channel's outbound jobs wait for a person, not for the clock.
    const state = "stopLanes" in next && job.direction === "outbound" ? "waiting" : "ready";
    return settle(db, job, {
      state,
      runAt: next.runAt,
      attempts,
      unsure: next.unsure,
      error,
      updatedAt: now,
      ...doubt,
    });
  }
  const code = next.state === "dead" ? next.code : "general";
  const unsure = next.state === "held" ? next.unsure : job.unsure;
  if (!end(db, job, next.state, { errorCode: code, error, unsure, updatedAt: now, ...doubt })) return false;
  if (ack) enqueueAck(db, now, job, ack);
  return true;
}

/** Most jobs one transaction ends. */
const EXPIRE_AT_ONCE = 200;
/** Written out for the partial index. */
const mayExpire = sql`${jobs.state} IN ('ready','waiting')`;

function expireOverdue(db: Database, now: number, toAck: (act: OutboundAct) => Ack | undefined): number {
  const rows = db.orm
    .select()
    .from(jobs)
    .where(and(lte(jobs.deadlineAt, now), mayExpire, eq(jobs.direction, "outbound")))
    .limit(EXPIRE_AT_ONCE)
    .all();
  for (const row of rows) {
    const error = row.error ?? "its time was over before it could be sent";
    db.orm
      .update(jobs)
      .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now })
      .where(eq(jobs.id, row.id))
      .run();
    bookEnd(db, row, "refused");
    advance(db, row);
    const job = toJob(row);
    const ack = job.task.direction === "outbound" ? toAck(job.task.act) : undefined;
    if (ack) enqueueAck(db, now, job, ack);
  }
  return rows.length;
}

const DIRECTIONS: Record<Side, Job["direction"][]> = { gateway: ["ack", "inbound"], messenger: ["outbound"] };

function nextDue(db: Database, accountId: AccountId, side: Side): number | undefined {
  const account = mayWork(db, accountId);
  if (!account) return undefined;
  // One look a direction: the index gives the first of each, whereas the least of all would read every waiting head.
  const times = DIRECTIONS[side].flatMap((direction) => {
    const row = db.orm
      .select({ at: min(jobs.runAt) })
      .from(jobs)
      .where(
        and(
          eq(jobs.accountId, accountId),
          eq(jobs.direction, direction),
          sql`${jobs.head} = 1 AND ${jobs.state} = 'ready'`,
        ),
      )
      .get();
    return row?.at ?? [];
  });
  return times.length > 0 ? Math.max(Math.min(...times), account.restUntil) : undefined;
}
