import { createHash } from "node:crypto";
import { run, type Verb } from "../../tables/engine.ts";

// Who adds to a lane, or ends its head, holds its chat until the commit, and shares its channel; who changes all lanes of a
// channel holds the channel. All take channels before chats and each in one order, so that lock order prevents deadlock.

export interface Chat {
  channelId: string;
  chat: string;
}

/** Locks have numbers as names. */
export const nameOf = (text: string): string => createHash("sha256").update(text).digest().readBigInt64BE(0).toString();
const channelName = (channelId: string) => nameOf(channelId);
const chatName = ({ channelId, chat }: Chat) => nameOf(`${channelId}/${chat}`);

/** Rows come in the order of the values: channels first. */
export const LOCK = `SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(name) ELSE pg_advisory_xact_lock(name) END
  FROM json_to_recordset(CAST(@locks AS json)) AS lock (name bigint, shared boolean)`;

interface Lock {
  /** A number as text: it is larger than JavaScript's. */
  name: string;
  shared: boolean;
}
const inOrder = (names: Iterable<string>, shared: boolean): Lock[] =>
  [...new Set(names)].sort().map((name) => ({ name, shared }));

/** The locks of these chats, for `LOCK`. */
export function locksOf(chats: Iterable<Chat>): Lock[] {
  const all = [...chats];
  const channelIds = all.map(({ channelId }) => channelId);
  return [...inOrder(channelIds.map(channelName), true), ...inOrder(all.map(chatName), false)];
}

const hold = (locks: Lock[]): Verb<void> => run(LOCK, { locks: JSON.stringify(locks) });

/** All lanes of these channels. */
export const holdChannels = (channelIds: string[]): Verb<void> => hold(inOrder(channelIds.map(channelName), false));

/** Those of the chat; without one, all of the channel. */
export const holdLanes = (channelId: string, chat?: string): Verb<void> =>
  chat === undefined ? holdChannels([channelId]) : hold(locksOf([{ channelId, chat }]));
