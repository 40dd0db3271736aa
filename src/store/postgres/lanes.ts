import { createHash } from "node:crypto";
import { run, type Work } from "../tables/engine.ts";

// Who adds to a lane, or ends its head, holds its chat until the commit, and shares its channel; who changes all lanes of a
// channel holds the channel. All take channels before chats and each in one order, so that nobody waits for who waits for them.

export interface Chat {
  channelId: string;
  chat: string;
}

/** Locks have numbers as names. */
export const nameOf = (text: string): string => createHash("sha256").update(text).digest().readBigInt64BE(0).toString();
const channelName = (channelId: string) => nameOf(channelId);
const chatName = ({ channelId, chat }: Chat) => nameOf(`${channelId}/${chat}`);

/** Numbers come as text: they are larger than JavaScript's. */
const NAMES = "CAST(json_array_elements_text(CAST(@names AS json)) AS bigint)";
const SHARE = `SELECT pg_advisory_xact_lock_shared(name) FROM (SELECT ${NAMES} AS name) AS channel`;
const HOLD = `SELECT pg_advisory_xact_lock(name) FROM (SELECT ${NAMES} AS name) AS chat`;
/** Rows come in the order of the values: channels first. */
export const LOCK = `SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(name) ELSE pg_advisory_xact_lock(name) END
  FROM json_to_recordset(CAST(@locks AS json)) AS lock (name bigint, shared boolean)`;

/** The locks of these chats, for `LOCK`. */
export function locksOf(chats: Iterable<Chat>): { name: string; shared: boolean }[] {
  const [channelNames, chatNames] = [new Set<string>(), new Set<string>()];
  for (const each of chats) {
    channelNames.add(channelName(each.channelId));
    chatNames.add(chatName(each));
  }
  const inOrder = (names: Set<string>, shared: boolean) => [...names].sort().map((name) => ({ name, shared }));
  return [...inOrder(channelNames, true), ...inOrder(chatNames, false)];
}

/** All lanes of these channels. */
export const holdChannels = (channelIds: string[]): Work<void> =>
  run(HOLD, { names: JSON.stringify(channelIds.map(channelName).sort()) });

export function* holdLanes(channelId: string, chat?: string): Work<void> {
  const channel = JSON.stringify([channelName(channelId)]);
  yield* run(chat === undefined ? HOLD : SHARE, { names: channel });
  if (chat !== undefined) yield* run(HOLD, { names: JSON.stringify([chatName({ channelId, chat })]) });
}
