import type { Pool } from "pg";
import type { Lease } from "../../../domain/account.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { Job } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, ChatId } from "../../../domain/ids.ts";
import { createLoop } from "../../../domain/loop.ts";
import type { LateFailure } from "../../../domain/message.ts";
import type { Bounds } from "../../../domain/overload.ts";
import type { Decide } from "../../ended/effects.ts";
import { endedVerbs } from "../../ended/verbs.ts";
import { dueIn } from "../../lanes/dealing.ts";
import { directionOf } from "../../lanes/rows.ts";
import type { Outbox, Source } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import { BEEN_IN_OWN_CODE, IN_OWN_CODE } from "../../tables/schema.ts";
import { extendDeadlines, rebaseTimers } from "../../tables/timers.ts";
import { type CallsRow, withUnanswered } from "../../tables/unanswered.ts";
import type { PostgresEngine } from "../engine.ts";
import type { HeldAccounts } from "../leases.ts";
import { sessions as openSessions } from "../sessions.ts";
import type { Telling } from "../telling.ts";
import { accepting, actCandidate, candidateOf } from "./accepting.ts";
import { createAdmission } from "./admission.ts";
import { claiming, jobsOf, queuesOf, type Rows, TAKE_OVER, TAKE_OVER_ACKS } from "./claims.ts";
import { deciding } from "./effects.ts";
import { CLOSING, doneResult, failedResult, OVERDUE, type OverdueRow, overdueResult, postponedResult } from "./ends.ts";
import { withoutBuried } from "./erased.ts";
import { endFree, HASTE, lockedRows } from "./locked.ts";
import type { Candidate } from "./looking.ts";
import { createMemory } from "./memory.ts";
import { outcomes, type Result, store } from "./outcomes.ts";
import type { Parts } from "./parts.ts";
import { movesTold } from "./told.ts";

export type PostgresOutbox = Outbox & {
  held: HeldAccounts;
  decide: Decide;
  close(): Promise<void>;
};

/** How often memory is compared with the database, ms, and with how many accounts: what nobody told of waits as long. */
const [SWEEP_MS, SWEPT_ACCOUNTS] = [250, 500];

interface Given {
  pool: Pool;
  engine: PostgresEngine;
  sealer: Sealer;
  clock: Clock;
  bounds: Bounds;
  telling: Telling;
  /** The account may have new work. */
  onWork(accountId: AccountId): void;
}

const CHAT = "SELECT chat FROM chat WHERE channel_id = @channelId AND gateway_chat = @gatewayChat";
const UNKNOWN = `SELECT key FROM json_array_elements_text(CAST(@keys AS json)) AS key WHERE NOT EXISTS (SELECT FROM message
  WHERE channel_id = @channelId AND direction = @direction AND dedupe_key IS NOT NULL AND dedupe_key = key)`;
/** Conditions as in the partial indexes. */
const RECENT = `SELECT account.id AS "accountId", coalesce(sum(call.recent), 0) AS recent,
    coalesce(sum(call.sending), 0) AS sending, unanswered, unanswered_at AS "unansweredAt",
    unanswered_calls AS "unansweredCalls"
  FROM account LEFT JOIN (
    SELECT account_id, 1 AS recent, 0 AS sending FROM message
      WHERE state IN ('done','dead') AND payload IS NOT NULL AND updated_at > @since
    UNION ALL
    SELECT account_id, CASE WHEN updated_at > @since THEN 1 ELSE 0 END, CASE WHEN state = 'sending' THEN 1 ELSE 0 END
      FROM message WHERE state IN ('ready','sending','waiting') AND (attempts > 0 OR work IS NOT NULL)
        AND (updated_at > @since OR state = 'sending')
    UNION ALL
    SELECT account_id, 0, 1 FROM message WHERE ack = 'sending' AND ack IN ('due','sending')
  ) AS call ON call.account_id = account.id
  GROUP BY account.id HAVING count(call.recent) + unanswered > 0`;

const GONE = `SELECT n FROM json_to_recordset(CAST(@jobs AS json)) AS job (n bigint, id bigint, fence bigint, ack boolean)
  WHERE NOT EXISTS (SELECT FROM message WHERE message.id = job.id AND CASE WHEN job.ack
    THEN message.ack = 'sending' AND ack_fence = job.fence ELSE state = 'sending' AND message.fence = job.fence END)`;

export function outbox({ pool, engine, sealer, clock, bounds, telling, onWork }: Given): PostgresOutbox {
  const sessions = openSessions(pool, engine);
  const locked = lockedRows(sessions);
  const memory = createMemory({ ...sessions, locked: locked.ids }, onWork);
  telling.onHeads((told = []) => {
    const moves = told.flatMap(movesTold);
    memory.moved(moves);
    for (const id of new Set(moves.map(({ accountId }) => accountId as AccountId))) if (memory.of(id)) onWork(id);
  });
  telling.onWork((accountIds) => memory.outdate(accountIds as AccountId[] | undefined));
  const closing = new AbortController();
  const parts: Parts = { sessions, memory, locked, sealer, clock, telling, closing: closing.signal };
  // If one fails, the next may not; a lost connection is reported elsewhere.
  const failed = () => undefined;
  const round = async () => {
    memory.outdate(await locked.freed());
    await memory.sweep(SWEPT_ACCOUNTS);
  };
  const sweeps = createLoop({ clock, everyMs: SWEEP_MS, waitsFirst: true, round, failed });
  void sweeps.start();
  const admission = createAdmission(sessions, bounds, clock);
  const accept = accepting(parts);
  const record = outcomes(parts);
  const claim = claiming(parts);
  const decide = deciding(parts, engine);
  const change = (job: Job, set: Result["set"]) =>
    record({ kind: job.direction === "ack" ? "ack" : "message", job, set });

  /** Jobs of rows; ends those whose content cannot be read. */
  const jobs = async (rows: Rows): Promise<Job[]> => {
    const { jobs, unreadable } = jobsOf(rows);
    // One that is not recorded stays as it is until the lease passes on; the others are claimed.
    await endUnreadable(record, unreadable, clock.now()).catch(() => undefined);
    return jobs;
  };
  const messengerChat = async (channelId: ChannelId, chat: ChatId): Promise<ChatId> => {
    if (!chat.startsWith("h:")) return chat;
    const [known] = await sessions.rows<{ chat: ChatId }>(CHAT, { channelId, gatewayChat: chat });
    return known?.chat ?? chat;
  };
  return {
    async acceptInbound(channel, arrival, held) {
      const candidates: Candidate[] = [];
      const failures: LateFailure[] = [];
      for (const event of arrival.events)
        if (event.type === "failed") failures.push(event);
        else candidates.push(candidateOf(channel, event, clock.now()));
      const { raw, again } = arrival;
      const what = { channel, source: "messenger" as const, candidates, failures, arrival, raw, again, held };
      const { id: channelId, accountId } = channel;
      const of = { accountId, channelId, direction: "inbound" as const, chats: candidates.map(({ chat }) => chat) };
      const { added, unmatched } = await admission.admitted(of, () => accept(what));
      if (unmatched > 0) arrival.unmatched?.(unmatched);
      return added;
    },
    async acceptOutbound(channel, acceptance, held) {
      const chat = await messengerChat(channel.id, acceptance.act.chat);
      const candidates = [actCandidate(channel, acceptance, chat, clock.now())];
      const { raw, again } = acceptance;
      const of = { accountId: channel.accountId, channelId: channel.id, direction: "outbound" as const, chats: [chat] };
      const what = { channel, source: "gateway" as const, candidates, raw, again, held };
      return (await admission.admitted(of, () => accept(what))).added === 1;
    },
    unknown: async (channelId: ChannelId, source: Source, keys: string[]) => {
      const values = { channelId, direction: directionOf(source), keys: JSON.stringify(keys) };
      const unknown = (await sessions.rows<{ key: string }>(UNKNOWN, values)).map(({ key }) => key);
      return engine.read(() => withoutBuried(sealer, { channelId, direction: directionOf(source) }, unknown));
    },
    claim: async (lease, room) => (room.most === 0 ? [] : jobs(await claim({ lease, room }))),
    done: (job, outcome, held) => record(doneResult(job, outcome, clock.now(), held)),
    async advanced(job, work) {
      // Doubt about the previous step says nothing about the next one.
      Object.assign(job, { work, unsure: 0, doubtAt: undefined, triedAt: clock.now() });
      return change(job, { work: JSON.stringify(work), unsure: 0, doubtAt: null, updatedAt: job.triedAt });
    },
    callStarted: (job) => change(job, { begun: 1 }),
    inOwnCode: (job, runs) => change(job, { inOwnCode: runs ? IN_OWN_CODE : BEEN_IN_OWN_CODE }),
    postponed: (job, runAt) => record(postponedResult(job, runAt, clock.now())),
    failed: (job, next, error, notices) => record(failedResult(job, next, error, clock.now(), notices)),
    async takeOver(lease: Lease) {
      const rows = await sessions.inLanes([], async (session) => {
        session.sent(HASTE);
        const acks = session.rows<Rows["acks"][number]>(TAKE_OVER_ACKS, { ...lease });
        const messages = session.rows<Rows["messages"][number]>(TAKE_OVER, { ...lease });
        return { acks: await acks, messages: await messages };
      });
      await memory.load([lease.accountId]);
      return jobs(rows);
    },
    async expire(noticesFor, closing) {
      const now = clock.now();
      const values = closing ? { channelId: closing.channelId } : { now };
      const text = closing ? CLOSING : OVERDUE;
      const overdue = await sessions.rows<OverdueRow>(text, { ...values, locked: JSON.stringify(locked.ids()) });
      const resultOf = (row: OverdueRow) => overdueResult(row, now, noticesFor, closing);
      const idOf = ({ id }: OverdueRow) => id;
      const { free, stored } = await endFree(locked, overdue, idOf, (rows) => store(parts, rows.map(resultOf)));
      if (stored) memory.moved(stored.moves);
      for (const { accountId } of free) telling.changed(accountId);
      return free.length;
    },
    recentCalls: async (since) => (await sessions.rows<CallsRow>(RECENT, { since })).map(withUnanswered),
    touched: () => memory.sweep(),
    nextDue(accountId) {
      const known = memory.of(accountId);
      return known?.works ? dueIn(queuesOf(known), known.hosts, known.restUntil, clock.now()) : { due: [] };
    },
    hosts: (accountId) => memory.of(accountId)?.hosts ?? { kindOf: new Map() },
    ...endedVerbs(engine, decide, clock),
    extendDeadlines: (by) => engine.write(() => extendDeadlines(by), "lanes"),
    rebaseTimers: (restMs) => engine.write(() => rebaseTimers(clock.now(), restMs), "lanes"),
    async revoked(given) {
      const jobs = [...given];
      const asked = jobs.map(({ id, fence, direction }, n) => ({ n, id, fence, ack: direction === "ack" }));
      const gone = await sessions.rows<{ n: number }>(GONE, { jobs: JSON.stringify(asked) });
      return gone.flatMap(({ n }) => jobs[n] ?? []);
    },
    held: { add: memory.load, remove: memory.forget },
    decide,
    close() {
      closing.abort();
      return sweeps.stop();
    },
  };
}

/** Retrying it would block its account. */
async function endUnreadable(
  record: (result: Result) => Promise<boolean>,
  { acks, messages }: Rows,
  now: number,
): Promise<void> {
  const error = "its stored content cannot be read";
  const of = ({ id, accountId, channelId, ackVersion }: Rows["acks"][number] | Rows["messages"][number]) => ({
    ...{ id: id as Job["id"], accountId: accountId as AccountId, channelId: channelId as ChannelId, ackVersion },
  });
  const dead = { state: "dead", head: 0, errorCode: "general", error, updatedAt: now, endedAt: now } as const;
  const refused = { ack: "refused", ackError: error, ackTries: error, ackAt: now, updatedAt: now } as const;
  await Promise.all([
    ...acks.map((row) => record({ kind: "ack", job: { ...of(row), fence: row.ackFence ?? 0 }, set: refused })),
    ...messages.map((row) =>
      record({ kind: "message", job: { ...of(row), fence: row.fence }, chat: row.chat ?? "", set: dead }),
    ),
  ]);
}
