import type Sqlite from "better-sqlite3";
import type { ChannelId } from "../../../domain/ids.ts";
import {
  addHead,
  type Head,
  nameOfQueue,
  PAGE,
  type Queue,
  type QueueDirection,
  removeHead,
} from "../../outbox/heads.ts";
import type { OtherWriters } from "./other-writers.ts";

// The heads of the lanes in memory, kept by triggers.

export interface Heads {
  /** The account's queues that are not empty; each shows at least `most` of its heads. */
  of(accountId: string, most: number): Queue[];
  forget(accountId: string): void;
}

const IS_HEAD = (row: string) => `${row}.head = 1 AND ${row}.state = 'ready'`;
const IS_OWED = (row: string) => `${row}.ack = 'due'`;
const MOVED = (columns: string, is: (row: string) => string, queue: string, time: string) => `
  AFTER UPDATE OF ${columns} ON message WHEN (${is("OLD")}) OR (${is("NEW")}) BEGIN
  SELECT head_moved(NEW.id, NEW.account_id, NEW.channel_id, ${queue},
    iif(${is("OLD")}, OLD.${time}, NULL), iif(${is("NEW")}, NEW.${time}, NULL)); END`;
/** Temporary triggers see every writer of this connection. */
const TRIGGERS = [
  `head_added AFTER INSERT ON message WHEN ${IS_HEAD("NEW")} BEGIN
    SELECT head_moved(NEW.id, NEW.account_id, NEW.channel_id, NEW.direction, NEW.known, NULL, NEW.run_at); END`,
  `head_deleted AFTER DELETE ON message WHEN ${IS_HEAD("OLD")} OR ${IS_OWED("OLD")} BEGIN
    SELECT forget_heads(OLD.account_id); END`,
  "account_gone AFTER DELETE ON account BEGIN SELECT forget_heads(OLD.id); END",
  `head_updated ${MOVED("state, head, run_at", IS_HEAD, "NEW.direction, NEW.known", "run_at")}`,
  `ack_updated ${MOVED("ack, ack_at", IS_OWED, "'ack', 0", "ack_at")}`,
];

const OF_CHANNEL = `SELECT id, channel_id AS channelId, run_at AS runAt FROM message
  WHERE channel_id = @channelId AND direction = @direction AND known = @known AND head = 1 AND state = 'ready'
  ORDER BY run_at, id LIMIT ${PAGE}`;
const OWED = `SELECT id, channel_id AS channelId, ack_at AS runAt FROM message
  WHERE account_id = @accountId AND ack = 'due' AND ack IN ('due','sending') ORDER BY ack_at, id LIMIT ${PAGE}`;

/** `onUndo`: of the write that is running. */
export function createHeads(sqlite: Sqlite.Database, others: OtherWriters, onUndo: (undo: () => void) => void): Heads {
  const accounts = new Map<string, Map<string, Queue>>();
  const { read, load } = reading(sqlite);
  const forget = (accountId: string) => void accounts.delete(accountId);

  const moved = (
    id: number,
    accountId: string,
    channelId: ChannelId,
    direction: QueueDirection,
    known: 0 | 1,
    before: number | null,
    now: number | null,
  ) => {
    const queues = accounts.get(accountId);
    if (!queues) return;
    const name = nameOfQueue(direction, channelId, known);
    const queue = queues.get(name) ?? { direction, channelId, known, heads: [] };
    if (before !== null) removeHead(queue, { id, runAt: before });
    if (now !== null) addHead(queue, { id, channelId, runAt: now });
    queues.set(name, queue);
    onUndo(() => forget(accountId));
  };
  sqlite.function("head_moved", moved as (...values: unknown[]) => void);
  sqlite.function("forget_heads", forget as (accountId: unknown) => void);
  for (const trigger of TRIGGERS) sqlite.exec(`CREATE TEMP TRIGGER ${trigger}`);
  others.onWritten(() => accounts.clear());

  return {
    forget,
    of(accountId, most) {
      others.lookOnceATick();
      const queues = accounts.get(accountId) ?? load(accountId);
      if (!accounts.has(accountId)) onUndo(() => forget(accountId));
      accounts.set(accountId, queues);
      const found: Queue[] = [];
      for (const [name, queue] of queues) {
        if (queue.end && queue.heads.length < most) read(accountId, queue);
        if (queue.heads.length > 0) found.push(queue);
        else queues.delete(name);
      }
      return found;
    },
  };
}

/** Reads the first page of one queue, or of all queues of an account. */
function reading(sqlite: Sqlite.Database) {
  const channelsOf = sqlite.prepare<[string], ChannelId>("SELECT id FROM channel WHERE account_id = ?").pluck();
  const ofChannel = sqlite.prepare<[object], Head>(OF_CHANNEL);
  const owed = sqlite.prepare<[object], Head>(OWED);
  const read = (accountId: string, queue: Queue) => {
    const { direction, channelId, known } = queue;
    queue.heads = direction === "ack" ? owed.all({ accountId }) : ofChannel.all({ channelId, direction, known });
    queue.end = queue.heads.length === PAGE ? queue.heads.at(-1) : undefined;
    return queue;
  };
  const load = (accountId: string): Map<string, Queue> => {
    const empty = channelsOf.all(accountId).flatMap((channelId): Queue[] => [
      { direction: "inbound", channelId, known: 1, heads: [] },
      { direction: "inbound", channelId, known: 0, heads: [] },
      { direction: "outbound", channelId, known: 0, heads: [] },
    ]);
    empty.push({ direction: "ack", channelId: "" as ChannelId, known: 0, heads: [] });
    const queues = empty.map((queue) => read(accountId, queue)).filter(({ heads }) => heads.length > 0);
    return new Map(queues.map((queue) => [nameOfQueue(queue.direction, queue.channelId, queue.known), queue]));
  };
  return { read, load };
}
