import type { ChatId } from "../../../domain/ids.ts";
import type { ChannelRef, InboundMessage, NewRow } from "../../outbox/rows.ts";
import { columnOf, type MessageColumn } from "../../outbox/updates.ts";
import type { MessageRow } from "../../tables/schema.ts";
import type { Session } from "../database/sessions.ts";
import { NOW } from "../tables/leases.ts";
import { HASTE } from "./locked.ts";
import { records, recordsOf } from "./records.ts";

/** What may become a message. */
export interface Candidate {
  channel: ChannelRef;
  direction: "inbound" | "outbound";
  /** The messenger's id of its chat, and the gateway's. */
  chat: ChatId;
  gatewayChat: string;
  /** Absent on our own notes. */
  key?: string;
  messengerMessageId?: string;
  gatewayMessageId?: string;
  /** It makes its chat known. */
  meets: boolean;
  /** Chat and customer of a message: with it a new conversation begins, should they have been erased. */
  names?: string[];
  /** What it is an album's part of. */
  album?: { name: string; event: InboundMessage };
  /** Of the lease under which it may leave at once. */
  fence?: number;
  /** Nothing is stored if the chat is not known any more. */
  toKnown?: boolean;
  /** `since`: when its chat had its first message, ms. */
  row(since: number): NewRow;
}

/** What the tables say about a candidate, while its lane is held. */
export interface Look {
  known: boolean;
  /** Another message of its lane is live. */
  busy: boolean;
  messengerTaken: boolean;
  gatewayTaken: boolean;
  since: number | null;
  /** Something of its channel was erased. */
  buries: boolean;
  /** It may leave at once, as far as lease, account and channel go. */
  leaves: boolean;
}

export type OpenAlbum = Pick<
  MessageRow,
  "id" | "channelId" | "album" | "direction" | "payload" | "work" | "messengerMessageId" | "runAt" | "head" | "known"
>;

const ASKED: MessageColumn[] = [
  ...(["channelId", "direction", "chat", "dedupeKey", "messengerMessageId", "gatewayMessageId", "fence"] as const),
  // The gateway's id of the chat.
  "words",
];
const LANE = `channel_id = asked."channelId" AND direction = asked.direction`;
const TAKEN = (name: "messengerMessageId" | "gatewayMessageId") =>
  `EXISTS (SELECT FROM message WHERE channel_id = asked."channelId" AND ${columnOf(name)} = asked."${name}")`;
const LOOK = `SELECT
  EXISTS (SELECT FROM message WHERE ${LANE} AND dedupe_key IS NOT NULL AND dedupe_key = asked."dedupeKey") AS known,
  EXISTS (SELECT FROM message WHERE ${LANE} AND chat = asked.chat AND state IN ('ready','sending','waiting')) AS busy,
  ${TAKEN("messengerMessageId")} AS "messengerTaken", ${TAKEN("gatewayMessageId")} AS "gatewayTaken",
  (SELECT created_at FROM chat WHERE channel_id = asked."channelId" AND gateway_chat = asked.words) AS since,
  EXISTS (SELECT FROM erased WHERE channel_id = asked."channelId") AS buries,
  asked.fence IS NOT NULL AND EXISTS (
    SELECT FROM channel JOIN account ON account.id = channel.account_id
      JOIN account_lease ON account_lease.account_id = account.id JOIN member ON member.owner = account_lease.owner
    WHERE channel.id = asked."channelId" AND channel.state <> 'paused' AND active <> 0 AND frozen = 0
      AND (asked.direction = 'outbound' OR rest_until <= @now)
      AND account_lease.fence = asked.fence AND member.expires_at > ${NOW}) AS leaves
  FROM ${recordsOf("asked", ASKED, ["n"])} ORDER BY n`;
/** Hints of what is next in these lanes. */
export const NEXT = `SELECT account_id AS "accountId", message.channel_id AS "channelId", message.direction, run_at AS at, 1 AS jobs
  FROM message JOIN ${recordsOf("lanes", ["channelId", "direction", "chat"])} ON lanes."channelId" = message.channel_id
    AND lanes.direction = message.direction AND lanes.chat = message.chat
  WHERE message.state IN ('ready','sending','waiting') AND head = 1 AND message.state = 'ready'`;
/** Until the commit nobody else takes these leases. */
export const KEEP_LEASES = `SELECT FROM account_lease
  WHERE account_id IN (SELECT json_array_elements_text(CAST(@accounts AS json))) ORDER BY account_id FOR SHARE`;
/** They have not left, nor do they until the commit: the gateway would ignore a repeat with one more part. */
const ALBUMS = `SELECT id, channel_id AS "channelId", album, direction, payload, work,
    messenger_message_id AS "messengerMessageId", run_at AS "runAt", head, known
  FROM message WHERE state = 'ready' AND attempts = 0 AND unsure = 0 AND position = id AND album IS NOT NULL
    AND (channel_id, album) IN (SELECT "channelId", album FROM ${recordsOf("albums", ["channelId", "album"])})
  ORDER BY id FOR UPDATE`;

export async function lookAt(
  session: Session,
  candidates: Candidate[],
  now: number,
): Promise<{ looks: Look[]; albums: OpenAlbum[] }> {
  const held = candidates.filter(({ fence }) => fence !== undefined).map(({ channel }) => channel.accountId);
  if (held.length > 0) session.sent(KEEP_LEASES, { accounts: JSON.stringify([...new Set(held)]) });
  const parts = candidates.flatMap(({ album, channel }) =>
    album ? [{ channelId: channel.id, album: album.name }] : [],
  );
  if (parts.length > 0) session.sent(HASTE);
  const albums = parts.length > 0 ? session.rows<OpenAlbum>(ALBUMS, { albums: records(parts) }) : [];
  const asked = candidates.map(({ channel, direction, chat, gatewayChat, key, fence, ...ids }, n) => ({
    ...{ n, channelId: channel.id, direction, chat, words: gatewayChat, dedupeKey: key, fence },
    ...{ messengerMessageId: ids.messengerMessageId, gatewayMessageId: ids.gatewayMessageId },
  }));
  const looks = session.rows<Look>(LOOK, { asked: records(asked), now });
  const [found, open] = await Promise.all([looks, albums]);
  return { looks: found, albums: open };
}
