import { type SQL, sql } from "drizzle-orm";
import type { LedgerRow } from "../../../domain/account/ledger.ts";
import type { AccountId } from "../../../domain/ids.ts";
import { all, type Transaction, type Verb } from "../engine.ts";

type Row = Omit<LedgerRow, "waiting" | "hole" | "oldestAt" | "acks"> &
  Record<"live" | "acksOwed" | "acksGiven" | "acksRefused" | "acksLive", number> & { oldestAt: number | null };

export function* readLedger(tx: Transaction, accountId?: AccountId): Verb<LedgerRow[]> {
  const rows = yield* all<Row>(statement(tx, accountId));
  return rows.map(({ live, acksOwed: owed, acksGiven: given, acksRefused, acksLive, ...row }) => {
    const { accepted, delivered, refused, held } = row;
    const waiting = live + held;
    return {
      accountId: row.accountId,
      channelId: row.channelId,
      jobs: row.jobs,
      ...{ accepted, delivered, refused, held, waiting },
      hole: accepted - delivered - refused - waiting,
      acks: { owed, given, refused: acksRefused, waiting: acksLive, hole: owed - given - acksRefused - acksLive },
      oldestAt: row.oldestAt ?? undefined,
    };
  });
}

/** Literal states match the partial indexes of live and ended messages, so nothing else is read. */
function statement({ joinLive }: Transaction, accountId?: AccountId): SQL {
  const of = accountId === undefined ? sql`TRUE` : sql`account_id = ${accountId}`;
  const events = sql`message.events + CASE WHEN album IS NULL THEN 0
    ELSE (SELECT coalesce(sum(part.events), 0) FROM message AS part WHERE part.carrier = message.id) END`;
  return sql`
    WITH known_channel AS (
      SELECT id, account_id FROM channel WHERE ${of} UNION SELECT channel_id, account_id FROM tally WHERE ${of}
    ), live AS (
      SELECT known_channel.id, sum(${events}) AS events, count(*) AS messages, min(message.created_at) AS oldest
      FROM known_channel ${joinLive} ON message.channel_id = known_channel.id
        AND message.state IN ('ready','sending','waiting')
      GROUP BY known_channel.id
    ), held AS (
      SELECT channel_id AS id, sum(${events}) AS events FROM message
      WHERE ${of} AND (state IN ('held','dead') OR ack = 'refused') AND state = 'held' GROUP BY channel_id
    ), owed AS (
      SELECT channel_id AS id, count(*) AS acks FROM message
      WHERE ${of} AND ack IN ('due','sending') GROUP BY channel_id
    )
    SELECT known_channel.account_id AS "accountId", known_channel.id AS "channelId",
      coalesce(tally.accepted, 0) AS accepted, coalesce(tally.delivered, 0) AS delivered,
      coalesce(tally.refused, 0) AS refused, coalesce(live.events, 0) AS live, coalesce(held.events, 0) AS held,
      coalesce(live.messages, 0) + coalesce(owed.acks, 0) AS jobs,
      coalesce(tally.acks_owed, 0) AS "acksOwed", coalesce(tally.acks_given, 0) AS "acksGiven",
      coalesce(tally.acks_refused, 0) AS "acksRefused", coalesce(owed.acks, 0) AS "acksLive", live.oldest AS "oldestAt"
    FROM known_channel
    LEFT JOIN tally ON tally.channel_id = known_channel.id
    LEFT JOIN live ON live.id = known_channel.id
    LEFT JOIN held ON held.id = known_channel.id
    LEFT JOIN owed ON owed.id = known_channel.id
    ORDER BY known_channel.account_id, known_channel.id`;
}
