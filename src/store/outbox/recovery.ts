import { sql } from "drizzle-orm";
import type { Lease } from "../../domain/account/account.ts";
import type { RecentCalls } from "../outbox.ts";
import { all, type Transaction, type Verb } from "../tables/engine.ts";
import { type CallsRow, withUnanswered } from "../tables/messages/unanswered.ts";
import { BEEN_IN_OWN_CODE, IN_OWN_CODE } from "../tables/schema.ts";
import { ACK_JOB, type AckJobRow, type JobRows, MESSAGE_JOB, type MessageJobRow } from "./jobs.ts";

// What a new holder of an account finds of the one before. Conditions exactly as in the partial indexes.

const [ACK_FENCE, FENCE] = [sql.raw("ack_fence"), sql.raw("fence")];

/** Hands what is under way to this lease and counts the crash. */
export function* takeOver({ joinLive }: Transaction, { accountId, fence }: Lease): Verb<JobRows> {
  // Acks go first, so that one crash counts once. What awaited a call did not cause it.
  const crashed = sql`crashes = crashes + CASE WHEN ack = 'sending' AND ack_fence = ${fence} THEN 0 ELSE 1 END,
    fatal_crashes = CASE in_own_code WHEN ${sql.raw(String(IN_OWN_CODE))} THEN fatal_crashes + 1
      WHEN ${sql.raw(String(BEEN_IN_OWN_CODE))} THEN 0 ELSE fatal_crashes END, in_own_code = 0`;
  const holds = sql`EXISTS (SELECT 1 FROM account_lease WHERE account_id = ${accountId} AND fence = ${fence})`;
  const acks = yield* all<AckJobRow>(sql`UPDATE message SET ${ACK_FENCE} = ${fence}, ${crashed}
    WHERE account_id = ${accountId} AND ack = 'sending' AND ack IN ('due','sending') AND ${holds}
    RETURNING ${sql.raw(ACK_JOB)}`);
  const messages = yield* all<MessageJobRow>(sql`UPDATE message SET ${FENCE} = ${fence}, ${crashed}
    WHERE id IN (SELECT message.id FROM channel ${joinLive} ON message.channel_id = channel.id
      WHERE channel.account_id = ${accountId} AND message.state IN ('ready','sending','waiting'))
    AND state = 'sending' AND ${holds} RETURNING ${sql.raw(MESSAGE_JOB)}`);
  return { acks, messages };
}

/** Calls of the previous process by account: those since a time, ms, and those that may still be under way. */
export function* recentCalls({ indexedBy }: Transaction, since: number): Verb<RecentCalls[]> {
  const rows = yield* all<CallsRow>(sql`SELECT account.id AS "accountId", coalesce(sum(call.recent), 0) AS recent,
      coalesce(sum(call.sending), 0) AS sending, unanswered, unanswered_at AS "unansweredAt",
      unanswered_calls AS "unansweredCalls"
    FROM account LEFT JOIN (
      SELECT account_id, 1 AS recent, 0 AS sending FROM message ${indexedBy("message_age")}
        WHERE state IN ('done','dead') AND payload IS NOT NULL AND updated_at > ${since}
      UNION ALL
      SELECT account_id, CASE WHEN updated_at > ${since} THEN 1 ELSE 0 END, CASE WHEN state = 'sending' THEN 1 ELSE 0 END
        FROM message ${indexedBy("message_lane")} WHERE state IN ('ready','sending','waiting')
          AND (attempts > 0 OR work IS NOT NULL) AND (updated_at > ${since} OR state = 'sending')
      UNION ALL
      SELECT account_id, 0, 1 FROM message ${indexedBy("message_ack")} WHERE ack = 'sending' AND ack IN ('due','sending')
    ) AS call ON call.account_id = account.id
    GROUP BY account.id HAVING count(call.recent) + unanswered > 0`);
  return rows.map(withUnanswered);
}
