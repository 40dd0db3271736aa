import { type Candidate, type Look, messageLook, OPEN_ALBUM, type OpenAlbum } from "../../outbox/accepting.ts";
import type { MessageColumn } from "../../outbox/updates.ts";
import type { Session } from "../database/sessions.ts";
import { NOW } from "../tables/leases.ts";
import { LOCK_TIMEOUT } from "./locked.ts";
import { records, recordsOf } from "./records.ts";

/** `buries`: something of its channel was erased. */
export type PostgresLook = Look & { buries: boolean };

const ASKED: MessageColumn[] = [
  ...(["channelId", "direction", "chat", "dedupeKey", "messengerMessageId", "gatewayMessageId", "fence"] as const),
  // The gateway's id of the chat.
  "words",
];
const LOOK = `SELECT ${messageLook((name) => `asked."${name}"`)},
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
/** Keeps these leases until the commit. */
export const KEEP_LEASES = `SELECT FROM account_lease
  WHERE account_id IN (SELECT json_array_elements_text(CAST(@accounts AS json))) ORDER BY account_id FOR SHARE`;
/** They do not leave until the commit. */
const ALBUMS = `SELECT id, channel_id AS "channelId", album, direction, payload, work,
    messenger_message_id AS "messengerMessageId"
  FROM message WHERE ${OPEN_ALBUM} AND album IS NOT NULL
    AND (channel_id, album) IN (SELECT "channelId", album FROM ${recordsOf("albums", ["channelId", "album"])})
  ORDER BY id FOR UPDATE`;

export async function lookAt(
  session: Session,
  candidates: Candidate[],
  now: number,
): Promise<{ looks: PostgresLook[]; albums: OpenAlbum[] }> {
  const held = candidates.filter(({ fence }) => fence !== undefined).map(({ channel }) => channel.accountId);
  if (held.length > 0) session.sent(KEEP_LEASES, { accounts: JSON.stringify([...new Set(held)]) });
  const parts = candidates.flatMap(({ album, channel }) =>
    album ? [{ channelId: channel.id, album: album.name }] : [],
  );
  if (parts.length > 0) session.sent(LOCK_TIMEOUT);
  const albums = parts.length > 0 ? session.rows<OpenAlbum>(ALBUMS, { albums: records(parts) }) : [];
  const asked = candidates.map(({ channel, direction, chat, gatewayChat, key, fence, ...ids }, n) => ({
    ...{ n, channelId: channel.id, direction, chat, words: gatewayChat, dedupeKey: key, fence },
    ...{ messengerMessageId: ids.messengerMessageId, gatewayMessageId: ids.gatewayMessageId },
  }));
  const looks = session.rows<PostgresLook>(LOOK, { asked: records(asked), now });
  const [found, open] = await Promise.all([looks, albums]);
  return { looks: found, albums: open };
}
