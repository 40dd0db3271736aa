import type { ChannelId } from "../../../domain/ids.ts";
import type { Queue } from "../../outbox/heads.ts";
import type { NewRow } from "../../outbox/rows.ts";
import { HEADS as CHANNEL, HOLDER_LENGTH } from "../telling.ts";
import { HEADS } from "./looking.ts";
import type { Move } from "./memory.ts";
import { records } from "./records.ts";

// Who stores messages for an account that another process holds tells the holder of their heads with the commit: it need not read
// the account to offer them. What is told only proposes; the statement that claims decides.

/** A message of PostgreSQL's has at most 8000 bytes, a head some 120. */
const MAX_HEADS = 40;
const TELL = `SELECT pg_notify('${CHANNEL}' || left(owner, ${HOLDER_LENGTH}), CAST(json_agg(head) AS text)) FROM (
  SELECT owner, json_build_array("accountId", "channelId", direction, known, id, now) AS head,
    (row_number() OVER (PARTITION BY owner) - 1) / ${MAX_HEADS} AS page
  FROM (${HEADS}) AS heads JOIN account_lease ON account_id = "accountId") AS told GROUP BY owner, page`;

/** The statement that tells of the heads of lanes: of each, once. */
export const tellHeads = (heads: Pick<NewRow, "channelId" | "direction" | "chat">[]): [string, { lanes: string }] => [
  TELL,
  { lanes: records(heads.map(({ channelId, direction, chat }) => ({ channelId, direction, chat }))) },
];

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
