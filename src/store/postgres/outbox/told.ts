import type { ChannelId } from "../../../domain/ids.ts";
import type { Queue } from "../../lanes/heads.ts";
import { HEADS, HOLDER_LENGTH } from "../telling.ts";
import type { Move } from "./memory.ts";
import { records, recordsOf } from "./records.ts";

// Who stores messages for an account that another process holds tells the holder of their heads with the commit: it need not read
// the account to offer them. What is told only proposes; the statement that claims decides.

/** A message of PostgreSQL's has at most 8000 bytes, a head some 120. */
const MAX_HEADS = 40;
const TELL = `SELECT pg_notify('${HEADS}' || left(owner, ${HOLDER_LENGTH}), CAST(json_agg(head) AS text)) FROM (
  SELECT owner, json_build_array(message.account_id, message.channel_id, message.direction, known, id, run_at) AS head,
    (row_number() OVER (PARTITION BY owner) - 1) / ${MAX_HEADS} AS page
  FROM message JOIN account_lease ON account_lease.account_id = message.account_id
    JOIN ${recordsOf("lanes", ["channelId", "direction", "chat"])} ON lanes."channelId" = message.channel_id
    AND lanes.direction = message.direction AND lanes.chat = message.chat
  WHERE message.state IN ('ready','sending','waiting') AND head = 1 AND message.state = 'ready') AS heads GROUP BY owner, page`;

interface Lane {
  channelId: string;
  direction: "inbound" | "outbound";
  chat: string | null;
}

/** The statement that tells of the heads of these lanes. */
export function tellHeads(rows: Lane[]): [string, Record<string, unknown>] {
  const lanes = new Map(
    rows.map(({ channelId, direction, chat }) => [
      JSON.stringify([channelId, direction, chat]),
      { channelId, direction, chat },
    ]),
  );
  return [TELL, { lanes: records([...lanes.values()]) }];
}

type Told = [
  accountId: string,
  channelId: ChannelId,
  direction: Queue["direction"],
  known: 0 | 1,
  id: number,
  now: number,
];

export const movesTold = (text: string): Move[] =>
  (JSON.parse(text) as Told[]).map(([accountId, channelId, direction, known, id, now]) => ({
    ...{ accountId, channelId, direction, known, id, now },
  }));
