import { pause } from "gangway-messenger/clock";
import type { Lease } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/ids.ts";
import type { Head } from "../../outbox/dealing.ts";
import type { Update } from "../../outbox/rows.ts";
import type { ReadySlots } from "../../outbox.ts";
import { LOCK_MESSAGES } from "../database/locks.ts";
import { type Parts, type ReadPlan, records, recordsOf } from "./storing.ts";

// If a connection ends during a commit, nobody knows what is stored. Rows marked as sending would stay so until the
// next takeover: nobody was told to run them. This process lives and knows that no call has left: the work goes back,
// and the attempt does not count. Each verb takes that transaction's locks, and so waits for its end.

const RETRY_MS = 1_000;

/** Repeats `ask` until it succeeds. Meanwhile nobody else may store or claim any of these messages. */
async function untilAnswered<T>({ clock, closing }: Parts, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (closing.aborted) throw error;
      await pause(clock, RETRY_MS, closing);
    }
  }
}

const GIVEN = `json_to_recordset(CAST(@given AS json)) AS given (id bigint, fence bigint)`;
const UNCLAIM = `UPDATE message SET state = 'ready', attempts = attempts - 1 FROM ${GIVEN}
  WHERE message.id = given.id AND message.state = 'sending' AND message.fence = given.fence AND updated_at = @now`;
const UNCLAIM_ACKS = `UPDATE message SET ack = 'due', ack_attempts = ack_attempts - 1 FROM ${GIVEN}
  WHERE message.id = given.id AND message.ack = 'sending' AND ack_fence = given.fence`;

interface Claimed {
  lease: Lease;
  acks: Head[];
  heads: Head[];
}

/** Undoes claims that may be stored. `now`: the time of the claim. */
export async function unclaim(parts: Parts, claimed: Claimed[], now: number): Promise<void> {
  const given = (of: "acks" | "heads") =>
    claimed.flatMap((each) => each[of].map(({ id }) => ({ id, fence: each.lease.fence })));
  const [acks, heads] = [given("acks"), given("heads")];
  await untilAnswered(parts, () =>
    parts.transactions.inLanes([], async (transaction) => {
      transaction.sent(LOCK_MESSAGES, { ids: JSON.stringify([...acks, ...heads].map(({ id }) => id)) });
      transaction.sent(UNCLAIM_ACKS, { given: JSON.stringify(acks) });
      await transaction.rows(UNCLAIM, { given: JSON.stringify(heads), now });
    }),
  );
  parts.known.outdate(claimed.map(({ lease }) => lease.accountId));
}

/** Safe: the keys are new, and their lanes are locked. */
const UNDO_IMMEDIATE = `UPDATE message SET state = 'ready', attempts = 0
  FROM ${recordsOf("rows", ["channelId", "direction", "dedupeKey", "fence"])}
  WHERE message.channel_id = rows."channelId" AND message.direction = rows.direction AND message.dedupe_key IS NOT NULL
    AND message.dedupe_key = rows."dedupeKey" AND message.state = 'sending' AND message.fence = rows.fence`;

/** Makes new messages ready that may be stored as sending. */
export async function undoImmediateSends(parts: Parts, { fresh }: ReadPlan): Promise<void> {
  const rows = fresh.flatMap(({ row: { content: _, ...row } }) => (row.state === "sending" ? [row] : []));
  parts.known.outdate(fresh.map(({ row }) => row.accountId as AccountId));
  if (rows.length === 0) return;
  const lanes = rows.map(({ channelId, chat }) => ({ channelId, chat: chat ?? "" }));
  await untilAnswered(parts, () =>
    parts.transactions.inLanes(lanes, (transaction) => transaction.rows(UNDO_IMMEDIATE, { rows: records(rows) })),
  );
  parts.known.outdate(rows.map(({ accountId }) => accountId as AccountId));
}

type Recording = Pick<Update, "kind" | "job"> & { slots?: ReadySlots };
const JOBS = `json_to_recordset(CAST(@jobs AS json)) AS job (n bigint, id bigint, fence bigint, version bigint, ack boolean, leaving bigint)`;
const UNDO_IMMEDIATE_ACKS = `UPDATE message SET ack = 'due', ack_attempts = 0 FROM ${JOBS}
  WHERE message.id = job.id AND message.fence = job.fence AND message.state <> 'sending'
    AND message.ack = 'sending' AND message.ack_fence = job.leaving AND message.ack_version = job.version + 1`;
const RECORDED = `SELECT n FROM ${JOBS} JOIN message ON message.id = job.id WHERE CASE WHEN job.ack
  THEN message.ack_fence = job.fence AND NOT (message.ack = 'sending' AND message.ack_version = job.version)
  ELSE message.fence = job.fence AND message.state <> 'sending' END`;

/** Indexes of the results that are recorded. A result that leaves its job under way may be recorded again. */
export async function recorded(parts: Parts, results: Recording[]): Promise<Set<number>> {
  const jobs = results.map(({ kind, job: { id, fence, ackVersion: version = 0 }, slots }, n) => ({
    ...{ n, id, fence, version, ack: kind === "ack", leaving: slots?.lease.fence },
  }));
  const rows = await untilAnswered(parts, () =>
    parts.transactions.inLanes([], (transaction) => {
      transaction.sent(LOCK_MESSAGES, { ids: JSON.stringify(jobs.map(({ id }) => id)) });
      transaction.sent(UNDO_IMMEDIATE_ACKS, { jobs: JSON.stringify(jobs) });
      return transaction.rows<{ n: number }>(RECORDED, { jobs: JSON.stringify(jobs) });
    }),
  );
  return new Set(rows.map(({ n }) => n));
}
