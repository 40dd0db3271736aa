import { type Channel, REMOVED } from "../../domain/channel.ts";
import { INBOUND_PATIENCE_MS } from "../../domain/delivery.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { all, columns, run, type Transaction, type Work } from "./engine.ts";
import { type MessageRow, messages } from "./schema.ts";

const OF_ENDED = ["id", "accountId", "channelId", "direction", "kind", "events", "album", "ack"] as const;
type EndedRow = Pick<MessageRow, (typeof OF_ENDED)[number]>;

// Conditions as in the partial indexes.
const LIVE = "channel_id = @id AND state IN ('ready','sending','waiting')";
const ACCOUNT = "account_id = (SELECT account_id FROM channel WHERE id = @id)";
const STOP = `UPDATE message SET state = 'waiting' WHERE ${LIVE} AND direction = 'outbound' AND state = 'ready'`;
const RESUME = `UPDATE message SET state = 'ready', run_at = @now WHERE ${LIVE} AND direction = 'outbound' AND state = 'waiting'`;
/** What waited out a pause gets its full time. */
const EXTEND = `UPDATE message SET deadline_at = @deadlineAt WHERE ${LIVE} AND direction = 'inbound' AND state = 'ready'`;
const END = `UPDATE message SET state = 'dead', head = 0, error_code = 'general', error = '${REMOVED}', updated_at = @now,
  ended_at = @now`;
const ENDED = `RETURNING ${columns(messages, OF_ENDED)}`;
/** An agent's message that owes no ack: the gateway cannot be told of it any more, as the ledger shows. */
const UNTOLD = "direction = 'outbound' AND kind = 'message' AND coalesce(ack, '') NOT IN ('due','sending')";
const END_LIVE = `${END}, ack = CASE WHEN ${UNTOLD} THEN 'refused' ELSE ack END,
  ack_version = ack_version + CASE WHEN ${UNTOLD} THEN 1 ELSE 0 END,
  ack_error = CASE WHEN ${UNTOLD} THEN '${REMOVED}' ELSE ack_error END,
  ack_at = CASE WHEN ${UNTOLD} THEN @now ELSE ack_at END WHERE ${LIVE} AND state <> 'sending' ${ENDED}`;
const END_HELD = `${END} WHERE ${ACCOUNT} AND (state IN ('held','dead') OR ack = 'refused') AND state = 'held'
  AND channel_id = @id ${ENDED}`;
const REFUSE_ACKS = `UPDATE message SET ack = 'refused', ack_error = '${REMOVED}', ack_at = @now
  WHERE ${ACCOUNT} AND channel_id = @id AND ack = 'due' AND ack IN ('due','sending')
  RETURNING account_id AS "accountId", channel_id AS "channelId"`;

/** Pauses, resumes or ends a channel's messages. */
export function* moveMessages(tx: Transaction, id: ChannelId, state: Channel["state"], now: number): Work<void> {
  yield* tx.holdLanes(id);
  if (state === "stopped") yield* run(STOP, { id });
  if (state === "active") yield* run(RESUME, { id, now });
  if (state === "active") yield* run(EXTEND, { id, deadlineAt: now + INBOUND_PATIENCE_MS });
  if (state !== "removed") return;
  const live = yield* all<EndedRow>(END_LIVE, { id, now });
  const held = yield* all<EndedRow>(END_HELD, { id, now });
  // Those under way end by their outcome.
  const acks = yield* all<Pick<EndedRow, "accountId" | "channelId">>(REFUSE_ACKS, { id, now });
  const untold = live.filter(
    ({ direction, kind, ack }) => direction === "outbound" && kind === "message" && ack === "refused",
  );
  yield* tx.refused({ live, held, acks, untold });
}
