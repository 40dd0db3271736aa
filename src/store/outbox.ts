import { and, asc, count, desc, eq, inArray, lte, min, sql } from "drizzle-orm";
import { type Account, works } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import { type Ack, INBOUND_PATIENCE_MS, type Job, type NextState, type Task } from "../domain/delivery.ts";
import type { AccountId, ChannelId, GatewayMessageId, JobId, MessengerMessageId } from "../domain/ids.ts";
import type { ChannelEvent, OutboundAct } from "../domain/message.ts";
import type { Database } from "./db.ts";
import { type JournalLine, writeJournal } from "./journal.ts";
import { saveInbound, saveOutbound, settleMessage } from "./messages.ts";
import { accounts, inbox, jobs } from "./schema.ts";

type Row = typeof jobs.$inferSelect;
const LIVE = ["ready", "sending", "waiting"] as const;

/** What a finished job leaves behind. */
export interface Outcome {
  gatewayMessageId?: GatewayMessageId;
  messengerMessageIds?: MessengerMessageId[];
  ack?: Ack;
}
export interface EndedJob {
  id: JobId;
  channelId: ChannelId;
  direction: Job["direction"];
  state: "dead" | "held";
  code: string;
  error: string;
  at: number;
}
export type Counts = Record<"waiting" | "done" | "dead" | "held", number>;

/** The truth of what has to be carried where. Each function is one transaction. */
export interface Outbox {
  /** Resolves with the number of events that were new, once everything is on the disk. */
  acceptInbound(channel: Channel, events: ChannelEvent[], lines: JournalLine[]): Promise<number>;
  /** False when `key` was accepted before. `patienceMs`: how long the gateway waits for the outcome. */
  acceptOutbound(channel: Channel, key: string, act: OutboundAct, patienceMs: number): Promise<boolean>;
  /** Marks due heads of lanes as being sent, acks first, and counts the attempt. */
  claim(lease: { accountId: AccountId; fence: number }, most: number): Promise<Job[]>;
  /** False when the lease has passed on: then nothing was recorded. */
  done(job: Job, outcome: Outcome): Promise<boolean>;
  /** Records a failure as its next state; `ack` goes out with the last one. */
  failed(job: Job, next: NextState, error: string, ack?: Ack): Promise<boolean>;
  /** After a crash: hands what was being sent to the new holder of the lease, with the crash counted. */
  takeOver(lease: { accountId: AccountId; fence: number }): Promise<Job[]>;
  /** Ends outbound jobs whose time is over; resolves with how many. */
  expire(toAck: (act: OutboundAct) => Ack | undefined): Promise<number>;
  /** When the account has its next work, if it has any and may do it. */
  nextDue(accountId: AccountId): Promise<number | undefined>;
  counts(accountId: AccountId): Promise<Map<ChannelId, Counts>>;
  ended(accountId: AccountId, most: number): Promise<EndedJob[]>;
  /** Appends the work again at the end of its lane. False when the account has no such ended job. */
  sendAgain(accountId: AccountId, id: JobId, patienceMs: number): Promise<boolean>;
}

const toJob = (row: Row): Job => ({
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
  task: JSON.parse(row.payload) as Task,
});

export function outbox(db: Database, clock: Clock): Outbox {
  const { orm, write } = db;
  const claimHeads = claiming(db);
  return {
    acceptInbound: (channel, events, lines) =>
      write(() => {
        const now = clock.now();
        writeJournal(db, now, channel.id, lines);
        return events.filter((event) => acceptEvent(db, channel, event, now)).length;
      }),
    acceptOutbound: (channel, key, act, patienceMs) =>
      write(() => acceptAct(db, channel, key, act, clock.now(), patienceMs)),
    claim: (lease, most) => write(() => claimHeads(lease, most, clock.now())),
    done: (job, outcome) => write(() => recordDone(db, job, outcome, clock.now())),
    failed: (job, next, error, ack) => write(() => recordFailure(db, job, next, error, clock.now(), ack)),
    takeOver: (lease) =>
      write(() =>
        orm
          .update(jobs)
          .set({ fence: lease.fence, crashes: sql`${jobs.crashes} + 1` })
          .where(and(eq(jobs.accountId, lease.accountId), eq(jobs.state, "sending")))
          .returning()
          .all()
          .map(toJob),
      ),
    expire: (toAck) => write(() => expireOverdue(db, clock.now(), toAck)),
    nextDue: async (accountId) => nextDue(db, accountId),
    counts: async (accountId) => counts(db, accountId),
    ended: async (accountId, most) => ended(db, accountId, most),
    sendAgain: (accountId, id, patienceMs) => write(() => sendAgain(db, accountId, id, clock.now(), patienceMs)),
  };
}

type NewJob = Pick<Row, "accountId" | "channelId" | "lane" | "deadlineAt"> & { origin?: number | null; payload: Task };

function enqueue(db: Database, now: number, job: NewJob): void {
  const older = db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, job.lane), inArray(jobs.state, LIVE)))
    .limit(1)
    .get();
  const row = { ...job, direction: job.payload.direction, payload: JSON.stringify(job.payload) };
  db.orm
    .insert(jobs)
    .values({ ...row, head: older ? 0 : 1, state: "ready", runAt: now, createdAt: now, updatedAt: now })
    .run();
}

/** Lets the next job of a lane come to its head, after the one before it has ended. */
function advance(db: Database, lane: string): void {
  const next = db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, lane), inArray(jobs.state, LIVE)))
    .orderBy(asc(jobs.id))
    .limit(1)
    .get();
  if (next) db.orm.update(jobs).set({ head: 1 }).where(eq(jobs.id, next.id)).run();
}

const lane = (channelId: string, direction: Job["direction"], chat: string) => `${channelId}/${direction}/${chat}`;

function isNew(
  db: Database,
  channelId: string,
  source: "messenger" | "gateway",
  dedupeKey: string,
  now: number,
): boolean {
  const row = { channelId, source, dedupeKey, receivedAt: now };
  return db.orm.insert(inbox).values(row).onConflictDoNothing().run().changes === 1;
}

function acceptEvent(db: Database, channel: Channel, event: ChannelEvent, now: number): boolean {
  if (!isNew(db, channel.id, "messenger", event.key, now)) return false;
  if (event.type === "message") saveInbound(db, channel.id, event, now);
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "inbound", event.chat),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "inbound", event },
  });
  return true;
}

function acceptAct(
  db: Database,
  channel: Channel,
  key: string,
  act: OutboundAct,
  now: number,
  patienceMs: number,
): boolean {
  if (!isNew(db, channel.id, "gateway", key, now)) return false;
  const known = saveOutbound(db, channel.id, act, now);
  enqueue(db, now, {
    accountId: channel.accountId,
    channelId: channel.id,
    lane: lane(channel.id, "outbound", known.chat),
    deadlineAt: now + patienceMs,
    payload: { direction: "outbound", act: known },
  });
  return true;
}

const mayWork = (db: Database, accountId: AccountId): { restUntil: number } | undefined => {
  const row = db.orm
    .select({ active: accounts.active, frozen: accounts.frozen, restUntil: accounts.restUntil })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .get();
  return row && works(row as Pick<Account, "active" | "frozen">) ? row : undefined;
};

function claiming(db: Database) {
  const due = (direction: ReturnType<typeof sql>) =>
    db.orm
      .update(jobs)
      .set({ state: "sending", attempts: sql`${jobs.attempts} + 1`, fence: sql.placeholder("fence") as never })
      .where(
        sql`${jobs.id} IN (SELECT id FROM job WHERE account_id = ${sql.placeholder("account")} AND ${direction}
          AND head = 1 AND state = 'ready' AND run_at <= ${sql.placeholder("now")}
          ORDER BY run_at, id LIMIT ${sql.placeholder("most")})`,
      )
      .returning()
      .prepare();
  const acks = due(sql`direction = 'ack'`);
  const rest = due(sql`direction IN ('inbound', 'outbound')`);
  return (lease: { accountId: AccountId; fence: number }, most: number, now: number): Job[] => {
    const account = mayWork(db, lease.accountId);
    if (!account || account.restUntil > now || most <= 0) return [];
    const named = { account: lease.accountId, fence: lease.fence, now };
    const first = acks.all({ ...named, most });
    const then = first.length < most ? rest.all({ ...named, most: most - first.length }) : [];
    return [...first, ...then].map(toJob);
  };
}

/** Ends or returns a job; no row changes when the lease has passed on. */
function settle(db: Database, job: Job, set: Partial<Row>): boolean {
  return (
    db.orm
      .update(jobs)
      .set(set)
      .where(and(eq(jobs.id, job.id), eq(jobs.state, "sending"), eq(jobs.fence, job.fence)))
      .run().changes === 1
  );
}

function enqueueAck(db: Database, now: number, job: Pick<Job, "accountId" | "channelId">, ack: Ack): void {
  enqueue(db, now, {
    accountId: job.accountId,
    channelId: job.channelId,
    lane: lane(job.channelId, "ack", ack.gatewayMessageId),
    deadlineAt: now + INBOUND_PATIENCE_MS,
    payload: { direction: "ack", ack },
  });
}

function recordDone(db: Database, job: Job, outcome: Outcome, now: number): boolean {
  if (!settle(db, job, { state: "done", head: 0, error: null, errorCode: null, updatedAt: now })) return false;
  advance(db, job.lane);
  settleMessage(db, job, outcome, now);
  if (outcome.ack) enqueueAck(db, now, job, outcome.ack);
  if (job.direction !== "outbound")
    db.orm
      .update(accounts)
      .set({ trouble: null, restUntil: 0 })
      .where(and(eq(accounts.id, job.accountId), sql`${accounts.trouble} IS NOT NULL`))
      .run();
  return true;
}

function recordFailure(db: Database, job: Job, next: NextState, error: string, now: number, ack?: Ack): boolean {
  if (next.state === "ready") {
    const attempts = next.countAttempt ? job.attempts : job.attempts - 1;
    // A stopped channel's outbound jobs wait for a person, not for the clock.
    const state = "stopLanes" in next && job.direction === "outbound" ? "waiting" : "ready";
    return settle(db, job, { state, runAt: next.runAt, attempts, unsure: next.unsure, error, updatedAt: now });
  }
  const code = next.state === "dead" ? next.code : "general";
  const unsure = next.state === "held" ? next.unsure : job.unsure;
  if (!settle(db, job, { state: next.state, head: 0, errorCode: code, error, unsure, updatedAt: now })) return false;
  advance(db, job.lane);
  if (ack) enqueueAck(db, now, job, ack);
  return true;
}

/** Most jobs one transaction ends. */
const EXPIRE_AT_ONCE = 200;

function expireOverdue(db: Database, now: number, toAck: (act: OutboundAct) => Ack | undefined): number {
  const rows = db.orm
    .select()
    .from(jobs)
    .where(and(lte(jobs.deadlineAt, now), inArray(jobs.state, ["ready", "waiting"]), eq(jobs.direction, "outbound")))
    .limit(EXPIRE_AT_ONCE)
    .all();
  for (const row of rows) {
    const error = row.error ?? "its time was over before it could be sent";
    db.orm
      .update(jobs)
      .set({ state: "dead", head: 0, errorCode: "general", error, updatedAt: now })
      .where(eq(jobs.id, row.id))
      .run();
    advance(db, row.lane);
    const job = toJob(row);
    const ack = job.task.direction === "outbound" ? toAck(job.task.act) : undefined;
    if (ack) enqueueAck(db, now, job, ack);
  }
  return rows.length;
}

function nextDue(db: Database, accountId: AccountId): number | undefined {
  const account = mayWork(db, accountId);
  if (!account) return undefined;
  const row = db.orm
    .select({ at: min(jobs.runAt) })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), eq(jobs.head, 1), eq(jobs.state, "ready")))
    .get();
  return row?.at == null ? undefined : Math.max(row.at, account.restUntil);
}

function counts(db: Database, accountId: AccountId): Map<ChannelId, Counts> {
  const rows = db.orm
    .select({ channelId: jobs.channelId, state: jobs.state, number: count() })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), sql`${jobs.direction} <> 'ack'`))
    .groupBy(jobs.channelId, jobs.state)
    .all();
  const byChannel = new Map<ChannelId, Counts>();
  for (const { channelId, state, number } of rows) {
    const sums = byChannel.get(channelId as ChannelId) ?? { waiting: 0, done: 0, dead: 0, held: 0 };
    byChannel.set(channelId as ChannelId, sums);
    if (state === "replayed") continue;
    sums[state === "ready" || state === "sending" ? "waiting" : state] += number;
  }
  return byChannel;
}

function ended(db: Database, accountId: AccountId, most: number): EndedJob[] {
  return db.orm
    .select()
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), inArray(jobs.state, ["dead", "held"])))
    .orderBy(desc(jobs.id))
    .limit(most)
    .all()
    .map((row) => ({
      id: row.id as JobId,
      channelId: row.channelId as ChannelId,
      direction: row.direction,
      state: row.state as "dead" | "held",
      code: row.errorCode ?? "general",
      error: row.error ?? "",
      at: row.updatedAt,
    }));
}

function sendAgain(db: Database, accountId: AccountId, id: JobId, now: number, patienceMs: number): boolean {
  const old = db.orm
    .update(jobs)
    .set({ state: "replayed", updatedAt: now })
    .where(and(eq(jobs.id, id), eq(jobs.accountId, accountId), inArray(jobs.state, ["dead", "held"])))
    .returning()
    .get();
  if (!old) return false;
  enqueue(db, now, {
    accountId: old.accountId,
    channelId: old.channelId,
    lane: old.lane,
    deadlineAt: now + (old.direction === "outbound" ? patienceMs : INBOUND_PATIENCE_MS),
    origin: old.origin ?? old.id,
    payload: JSON.parse(old.payload) as Task,
  });
  return true;
}
