import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import type { ChannelId } from "gangway-messenger/ids";
import type { Pool } from "pg";
import type { Lease } from "../../../domain/account.ts";
import type { Bounds, Job } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { createLoop } from "../../../domain/loop.ts";
import { actCandidate, createBackpressure, splitArrival } from "../../outbox/accepting.ts";
import { dueIn, takeOver } from "../../outbox/dealing.ts";
import { sharedVerbs } from "../../outbox/decisions.ts";
import type { Decide } from "../../outbox/effects.ts";
import { type OverdueRow, overdueBy, overdueResult, resultVerbs, unreadableResults } from "../../outbox/results.ts";
import { type JobRows, jobsOf, messengerChat } from "../../outbox/rows.ts";
import type { NoticesFor, Outbox } from "../../outbox.ts";
import type { Sealer } from "../../secrets.ts";
import { findGone } from "../../tables/erasing/erasures.ts";
import type { PostgresEngine } from "../database/engine.ts";
import { laneTransactions } from "../database/lane-transactions.ts";
import type { Notifier } from "../database/notifier.ts";
import type { OwnAccounts } from "../tables/leases.ts";
import { type Accepted, type Accepting, accepting, deciding } from "./accepting.ts";
import { claiming } from "./claims.ts";
import { knownAccounts } from "./known-accounts.ts";
import { outcomes, store } from "./outcomes.ts";
import { endUnlocked, LOCK_TIMEOUT, lockedRows, type Parts } from "./storing.ts";

type PostgresOutbox = Outbox & {
  own: OwnAccounts;
  decide: Decide;
  close(): Promise<void>;
};

/** The sweep that compares memory with the database: interval, ms, and accounts. Unannounced changes wait as long. */
const [SWEEP_MS, SWEPT_ACCOUNTS] = [250, 500];

interface Given {
  pool: Pool;
  engine: PostgresEngine;
  sealer: Sealer;
  clock: Clock;
  bounds: Bounds;
  notifier: Notifier;
  /** The account may have new work. */
  onWork(accountId: AccountId): void;
}

/** Rows that another program locks are left to a later sweep. */
const UNLOCKED = {
  most: 100,
  more: "AND message.id NOT IN (SELECT CAST(json_array_elements_text(CAST(@locked AS json)) AS bigint))",
  lock: "FOR NO KEY UPDATE OF message SKIP LOCKED",
};
const [OVERDUE, CLOSING] = [overdueBy("deadline", UNLOCKED), overdueBy("channel", UNLOCKED)];
const UNKNOWN = `SELECT key FROM json_array_elements_text(CAST(@keys AS json)) AS key WHERE NOT EXISTS (SELECT FROM message
  WHERE channel_id = @channelId AND direction = @direction AND dedupe_key IS NOT NULL AND dedupe_key = key)`;
const GONE = `SELECT n FROM json_to_recordset(CAST(@jobs AS json)) AS job (n bigint, id bigint, fence bigint, ack boolean)
  WHERE NOT EXISTS (SELECT FROM message WHERE message.id = job.id AND CASE WHEN job.ack
    THEN message.ack = 'sending' AND ack_fence = job.fence ELSE state = 'sending' AND message.fence = job.fence END)`;

export function outbox({ pool, engine, sealer, clock, bounds, notifier, onWork }: Given): PostgresOutbox {
  const transactions = laneTransactions(pool, engine);
  const locked = lockedRows(transactions);
  const recording = new Set<number>();
  const unclaimable = () => [...locked.ids(), ...recording];
  const known = knownAccounts({ ...transactions, unclaimable }, onWork);
  notifier.onWork((accountIds = []) => known.dueNow(accountIds as AccountId[]));
  notifier.onRows((accountIds) => known.outdate(accountIds as AccountId[] | undefined));
  const closing = new AbortController();
  const parts: Parts = {
    transactions,
    known,
    recording,
    unclaimable,
    locked,
    sealer,
    clock,
    notifier,
    closing: closing.signal,
  };
  // If one fails, the next may not; a lost connection is reported elsewhere.
  const failed = () => undefined;
  const round = async () => {
    known.outdate(await locked.findFreed());
    await known.sweep(SWEPT_ACCOUNTS);
  };
  const sweeps = createLoop({ clock, everyMs: SWEEP_MS, waitsFirst: true, round, failed });
  void sweeps.start();
  const backpressure = createBackpressure(bounds, clock);
  const inOrder = serialByKey();
  /** Throws Overload. A request that waits for a count keeps its place before later ones. */
  const admitted = async (what: Accepting): Promise<Accepted> => {
    const { channel, direction, candidates } = what;
    const { id: channelId, accountId } = channel;
    const of = { accountId, channelId, direction, chats: candidates.map(({ chat }) => chat) };
    const stored = await inOrder(accountId, () => engine.read((tx) => backpressure.admit(tx, of)));
    let added = 0;
    try {
      const accepted = await accept(what);
      added = Math.min(candidates.length, accepted.added);
      return accepted;
    } finally {
      stored(added);
    }
  };
  const accept = accepting(parts);
  const record = outcomes(parts);
  const claim = claiming(parts);
  const decide = deciding(parts, engine);

  /** Builds jobs from rows, and ends those whose content cannot be read. */
  const jobs = async (rows: JobRows): Promise<Job[]> => {
    const { jobs, unreadable } = jobsOf(rows);
    // A job that cannot be recorded stays until the lease passes on, and does not block the others.
    const now = clock.now();
    await Promise.allSettled(unreadableResults(unreadable, now).map(record));
    return jobs;
  };
  /** Ends overdue messages, or with `channelId` all waiting outbound ones of the channel. */
  const endWaiting = async (noticesFor: NoticesFor, channelId?: ChannelId): Promise<number> => {
    const now = clock.now();
    const isClosing = channelId !== undefined;
    const values = { ...(isClosing ? { channelId } : { now }), locked: JSON.stringify(locked.ids()) };
    const found = await transactions.rows<OverdueRow>(isClosing ? CLOSING : OVERDUE, values);
    const resultOf = (row: OverdueRow) => overdueResult(row, now, noticesFor, isClosing);
    const idOf = ({ id }: OverdueRow) => id;
    const { free, stored } = await endUnlocked(locked, found, idOf, (rows) => store(parts, rows.map(resultOf)));
    if (stored) known.hint(stored.hints);
    for (const { accountId } of free) notifier.changed(accountId);
    return free.length;
  };
  return {
    async acceptInbound(channel, arrival, slots) {
      const { candidates, failures } = splitArrival(arrival, channel, clock.now());
      const { raw, again } = arrival;
      const what = { channel, direction: "inbound" as const, candidates, failures, arrival, raw, again, slots };
      const { added, unmatched } = await admitted(what);
      if (unmatched > 0) arrival.unmatched?.(unmatched);
      return added;
    },
    async acceptOutbound(channel, acceptance, slots) {
      const chat = await engine.read((tx) => messengerChat(tx, channel.id, acceptance.act.chat));
      const candidates = [actCandidate(channel, acceptance, chat, clock.now())];
      const { raw, again } = acceptance;
      const what = { channel, direction: "outbound" as const, candidates, raw, again, slots };
      return (await admitted(what)).added === 1;
    },
    unknown: async (channelId, direction, keys) => {
      const values = { channelId, direction, keys: JSON.stringify(keys) };
      const unknown = (await transactions.rows<{ key: string }>(UNKNOWN, values)).map(({ key }) => key);
      const asked = unknown.map((dedupeKey) => ({ channelId, direction, dedupeKey }));
      const erased = await engine.read((tx) => findGone(tx, sealer, [channelId], { messages: asked }));
      return asked.filter((of) => !erased.has(of)).map(({ dedupeKey }) => dedupeKey);
    },
    claim: async (lease, room) => (room.most === 0 ? [] : jobs(await claim({ lease, room }))),
    ...resultVerbs(record, clock),
    async takeOver(lease: Lease) {
      const rows = await transactions.inLanes([], async (transaction) => {
        transaction.sent(LOCK_TIMEOUT);
        return transaction.run((tx) => takeOver(tx, lease));
      });
      await known.load([lease.accountId]);
      return jobs(rows);
    },
    endOverdue: (noticesFor) => endWaiting(noticesFor),
    endChannel: (channelId, noticesFor) => endWaiting(noticesFor, channelId),
    refresh: () => known.sweep(),
    nextDue(accountId) {
      const account = known.of(accountId);
      return account?.works ? dueIn(account.hints, account, clock.now()) : { due: [] };
    },
    hosts: (accountId) => known.of(accountId)?.hosts ?? { kindOf: new Map() },
    ...sharedVerbs(engine, decide, clock),
    async revoked(given) {
      const jobs = [...given];
      const asked = jobs.map(({ id, fence, direction }, n) => ({ n, id, fence, ack: direction === "ack" }));
      const gone = await transactions.rows<{ n: number }>(GONE, { jobs: JSON.stringify(asked) });
      return gone.flatMap(({ n }) => jobs[n] ?? []);
    },
    own: known,
    decide,
    close() {
      closing.abort();
      return sweeps.stop();
    },
  };
}
