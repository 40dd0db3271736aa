import type { ChannelId } from "gangway-messenger/ids";
import { type Job, laneOf } from "../../../domain/delivery.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { eventCandidate, hintsOf } from "../../outbox/accepting.ts";
import type { AccountHint } from "../../outbox/dealing.ts";
import {
  bookingOf,
  IS_KEPT_FAILURE,
  isEnd,
  noteOf,
  type RecordResult,
  type Result,
  withOvertakingFailure,
} from "../../outbox/results.ts";
import {
  assignmentsOf,
  columnOf,
  currentOf,
  type Dialect,
  jobOfAck,
  RETURNED_LANE,
  type RecordedLane,
  textsBy,
  type Update,
} from "../../outbox/rows.ts";
import type { ReadySlots } from "../../outbox.ts";
import { ACCOUNT_WORKS } from "../../tables/engine.ts";
import { MAX_TRIES } from "../../tables/messages/messages.ts";
import { BOOK, sumsOf } from "../database/engine.ts";
import { isLost, isUnknown } from "../database/faults.ts";
import type { LaneTransaction } from "../database/lane-transactions.ts";
import type { Chat } from "../database/locks.ts";
import { LIVING_LEASE } from "../tables/leases.ts";
import { recorded } from "./doubts.ts";
import { batches, type KnownAccounts } from "./known-accounts.ts";
import {
  endUnlocked,
  KEEP_LEASES,
  lockedError,
  NEXT,
  type Parts,
  type ReadPlan,
  readNew,
  records,
  recordsOf,
  storeOf,
} from "./storing.ts";

// Within a batch, updates of the same columns share a statement.

const DIALECT: Dialect = {
  value: (name) => `given."${name}"`,
  tried: (name) => `CASE WHEN given."${name}" IS NULL THEN message.${columnOf(name)} ELSE CAST((
    CASE WHEN json_array_length(CAST(message.${columnOf(name)} AS json)) >= ${MAX_TRIES}
      THEN CAST(message.${columnOf(name)} AS jsonb) - 1 ELSE coalesce(CAST(message.${columnOf(name)} AS jsonb), '[]') END
    || jsonb_build_array(jsonb_build_array(given."updatedAt", given."${name}"))) AS text) END`,
  // The ack leaves only under the lease.
  leaves: `EXISTS (SELECT FROM ${LIVING_LEASE} JOIN account ON account.id = account_lease.account_id
    WHERE account_lease.account_id = message.account_id AND account_lease.fence = given."ackFence"
      AND ${ACCOUNT_WORKS} AND rest_until <= given."updatedAt")`,
};
type Recorded = RecordedLane & { n: number };

const textOf = textsBy((kind, names) => {
  const set = assignmentsOf(kind, names, DIALECT);
  return `WITH given AS (SELECT * FROM ${recordsOf("given", names, ["n", "key", "was", "version", "until"])}), old AS MATERIALIZED (
      SELECT message.id, message.ack FROM message JOIN given ON given.key = message.id WHERE ${currentOf(kind, DIALECT)}
      ORDER BY message.id FOR UPDATE OF message)
    UPDATE message SET ${set} FROM given JOIN old ON old.id = given.key WHERE message.id = given.key
    RETURNING given.n, old.ack AS "ackBefore", ${RETURNED_LANE}`;
});

/** Resolves with the rows in the updates' order; undefined where the job no longer runs. */
async function record(transaction: LaneTransaction, updates: Update[]): Promise<(Recorded | undefined)[]> {
  const statements = new Map<string, { text: string; given: object[] }>();
  const times = new Map<string, number>();
  for (const [n, update] of updates.entries()) {
    const { kind, job, until, set } = update;
    const text = textOf(update);
    // A statement changes a row once: further updates of it go to later statements.
    const time = times.get(`${kind} ${job.id}`) ?? 0;
    times.set(`${kind} ${job.id}`, time + 1);
    const statement = statements.get(`${time} ${text}`) ?? { text, given: [] };
    statement.given.push({ ...set, n, key: job.id, was: job.fence, version: job.ackVersion ?? 0, until });
    statements.set(`${time} ${text}`, statement);
  }
  const inTurn = [...statements].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const rows = await Promise.all(
    inTurn.map(([, { text, given }]) => transaction.rows<Recorded>(text, { given: records(given) })),
  );
  const recorded: (Recorded | undefined)[] = updates.map(() => undefined);
  for (const row of rows.flat()) recorded[row.n] = row;
  return recorded;
}

const CLEAR_TROUBLE = `UPDATE account SET trouble = NULL, rest_until = 0
  WHERE id IN (SELECT json_array_elements_text(CAST(@accounts AS json))) AND trouble IS NOT NULL RETURNING id`;

/** Records results; false where the job no longer runs. */
export function outcomes(parts: Parts): RecordResult {
  return batches(async (all) => {
    const idOf = ({ job }: Result) => job.id;
    for (const { job } of all) parts.recording.add(job.id);
    try {
      const { free, stored } = await endUnlocked(parts.locked, all, idOf, (some) => storeOnce(parts, some));
      const known = new Map(free.map((result, n) => [result, stored?.[n] === true]));
      return all.map((result) => () => {
        const is = known.get(result);
        if (is === undefined) throw lockedError();
        return is;
      });
    } catch (error) {
      // Reads in the meantime left these messages out.
      parts.known.dueNow([...new Set(all.map(({ job }) => job.accountId))]);
      throw error;
    } finally {
      parts.recording.clear();
    }
  });
}

/** Stores each result once, even if an answer is lost: its message may be under way anew by then. */
async function storeOnce(parts: Parts, all: Result[]): Promise<boolean[]> {
  try {
    const stored = await store(parts, all);
    // From now on reads include these messages again.
    for (const { job } of all) parts.recording.delete(job.id);
    parts.known.hint(stored.hints);
    // Somebody else has changed these jobs; reads in the meantime left them out.
    parts.known.dueNow([...new Set(all.flatMap(({ job }, n) => (stored.rows[n] ? [] : [job.accountId])))]);
    parts.known.outdate(stored.cleared);
    for (const [n, { job }] of all.entries()) if (stored.rows[n]) parts.notifier.changed(job.accountId);
    for (const { slots, jobs } of stored.immediate) slots.begin(jobs);
    return stored.rows.map((row) => row !== undefined);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const done = await recorded(parts, all);
    for (const [n, { job }] of all.entries()) if (done.has(n)) parts.recording.delete(job.id);
    parts.known.outdate(all.map(({ job }) => job.accountId));
    const left = all.filter((_, n) => !done.has(n));
    // The caller tries again later.
    if (!isLost(error) && left.length === all.length) throw error;
    const rest = left.length > 0 ? await storeOnce(parts, left) : [];
    return all.map((_, n) => done.has(n) || rest.shift() === true);
  }
}

/** Failures that overtake the answers are rare: only if there may be one, the transaction runs again and reads them. */
const OVERTAKEN = new Error("a failure may have overtaken the answer to the call");
const ANY_KEPT = `SELECT FROM note WHERE channel_id IN (SELECT json_array_elements_text(CAST(@channels AS json))) AND ${IS_KEPT_FAILURE} LIMIT 1`;

/** One transaction, for any number of results. */
export const store = (parts: Parts, all: Result[]) =>
  storeIn(parts, all, false).catch((error: unknown) => {
    if (error !== OVERTAKEN) throw error;
    return storeIn(parts, all, true);
  });

async function storeIn(parts: Parts, given: Result[], mayBeOvertaken: boolean) {
  const ends = given.filter(isEnd);
  const lanes: Chat[] = ends.flatMap(({ job: { channelId }, chat = "", note }) =>
    [chat, ...(note ? [laneOf(note)] : [])].map((each) => ({ channelId, chat: each })),
  );
  // Shares the channel's lock, so that resuming the channel finds these messages.
  for (const { job, set } of given) if (set.state === "waiting") lanes.push({ channelId: job.channelId });
  return parts.transactions.inLanes(lanes, async (transaction) => {
    const all = [...given];
    const left = new Map<ReadySlots, number>();
    const channels = new Set(all.flatMap(({ sent, job }) => (sent?.length ? [job.channelId] : [])));
    const kept =
      channels.size > 0 && !mayBeOvertaken
        ? transaction.rows(ANY_KEPT, { channels: JSON.stringify([...channels]) })
        : [];
    const now = parts.clock.now();
    if (mayBeOvertaken)
      for (const [n, result] of all.entries())
        all[n] = await transaction.run((tx) => withOvertakingFailure(tx, result, now));
    const updates = all.map((result) => sendingAckIfSlot(result, left));
    const leased = all.flatMap(({ slots, job, ack }) => (slots && ack ? [job.accountId] : []));
    if (leased.length > 0) transaction.sent(KEEP_LEASES, { accounts: JSON.stringify([...new Set(leased)]) });
    const [rows, found] = await Promise.all([record(transaction, updates), kept]);
    if (found.length > 0) throw OVERTAKEN;
    const ended = all.flatMap((result, n) => (rows[n] ? [{ result, row: rows[n] }] : []));
    for (const { result } of ended) if (result.after) await transaction.run(result.after);
    const notes = await planNotes(parts, transaction, ended);
    const { next, cleared } = await finish(transaction, { ended, notes, ...parts });
    const hints = [...ended.flatMap(({ row }) => hintsOfRow(row)), ...next, ...(notes ? hintsOf(notes) : [])];
    return { rows, hints, cleared, immediate: ended.flatMap(({ result, row }) => immediateAck(result, row)) };
  });
}

interface Ended {
  result: Result;
  row: Recorded;
}

/** Marks the ack as sending while slots are left for this write. */
function sendingAckIfSlot(result: Result, left: Map<ReadySlots, number>): Update {
  const { slots, ack, set } = result;
  if (!slots || !ack) return result;
  const most = left.get(slots) ?? slots.most;
  left.set(slots, most - 1);
  return most > 0 ? { ...result, set: { ...set, ackFence: slots.lease.fence, inOwnCode: 0 } } : result;
}

/** Plans the notes to agents, for the lane toward the gateway. */
async function planNotes(parts: Parts, transaction: LaneTransaction, ended: Ended[]): Promise<ReadPlan | undefined> {
  const now = parts.clock.now();
  const candidates = [];
  for (const { result } of ended) {
    const { note, job } = result;
    const told = note && (await transaction.run(() => noteOf(result)));
    if (!told) continue;
    candidates.push(eventCandidate({ id: job.channelId, accountId: job.accountId }, told, now, 0));
  }
  return candidates.length > 0 ? readNew(transaction, parts.sealer, { candidates, now }) : undefined;
}

interface Finish {
  ended: Ended[];
  notes: ReadPlan | undefined;
  known: KnownAccounts;
  notifier: Parts["notifier"];
}

async function finish(transaction: LaneTransaction, { ended, notes, known, notifier }: Finish) {
  const lanes = ended.flatMap(({ result, row }) => (isEnd(result) ? [row] : []));
  const passed = [...new Set(ended.flatMap(({ result }) => (result.passed ? [result.job.accountId] : [])))];
  const troubled = passed.filter((id) => known.of(id)?.hasTrouble ?? true);
  if (notes) transaction.sent(...storeOf(transaction, notes));
  const next = lanes.length > 0 ? transaction.rows<AccountHint>(NEXT, { lanes: records(lanes) }) : [];
  const clearing =
    troubled.length > 0
      ? transaction.rows<{ id: Job["accountId"] }>(CLEAR_TROUBLE, { accounts: JSON.stringify(troubled) })
      : [];
  // Overdue messages may be another process's.
  const others = ended.flatMap(({ row: { accountId } }) => (known.of(accountId as AccountId) ? [] : [accountId]));
  const bookings = ended.flatMap(({ result, row }) => bookingOf(result, row) ?? []);
  await transaction.commit([BOOK, sumsOf(bookings)], ...notifier.statements(new Set(others)));
  return { next: await next, cleared: (await clearing).map(({ id }) => id) };
}

/** Hints of when a row that may be claimed again is due. */
function hintsOfRow(row: Recorded): AccountHint[] {
  const { direction, runAt, ackAt } = row;
  const queue = { accountId: row.accountId as AccountId, channelId: row.channelId as ChannelId };
  const hints: AccountHint[] = [];
  if (row.state === "ready" && row.head === 1) hints.push({ ...queue, direction, at: runAt, jobs: 1 });
  if (row.ack === "due") hints.push({ ...queue, direction: "ack", at: ackAt ?? 0, jobs: 1 });
  return hints;
}

function immediateAck({ slots, ack }: Result, row: Recorded): { slots: ReadySlots; jobs: Job[] }[] {
  if (!slots || !ack || row.ack !== "sending") return [];
  return [{ slots, jobs: [jobOfAck(row, ack)] }];
}
