import type Sqlite from "better-sqlite3";
import type { AccountId, ChannelId } from "../../../domain/ids.ts";
import { type Head, hintsOfRest, partsOf, type Queue } from "../../outbox/dealing.ts";
import { type Hints, hint, LOOKS_AHEAD, type QueueDirection, type QueueOf, queuesWith } from "../../outbox/hints.ts";
import type { OtherWriters } from "./other-writers.ts";

/** What is due, and a hint per queue of when it is. */
export interface Due {
  /** The account's hints, to be changed by claims. Within a write, one that is rolled back makes them unknown. */
  hints(accountId: AccountId): Hints;
  /** The first heads of a queue: inbound ones of known chats, then of new ones. */
  read(accountId: AccountId, queue: QueueOf, most: number): Queue[];
}

/** Triggers hint at what becomes due; a claim finds out what no longer is. */
const TRIGGERS = [
  `due_added AFTER INSERT ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `due_updated AFTER UPDATE OF state, head, run_at ON message WHEN NEW.head = 1 AND NEW.state = 'ready' BEGIN
    SELECT due_at(NEW.account_id, NEW.channel_id, NEW.direction, NEW.run_at); END`,
  `ack_due AFTER UPDATE OF ack, ack_at ON message WHEN NEW.ack = 'due' BEGIN
    SELECT due_at(NEW.account_id, '', 'ack', NEW.ack_at); END`,
];
const HEADS = `SELECT id, channel_id AS channelId, run_at AS runAt FROM message
  WHERE channel_id = @channelId AND direction = @direction AND known = @known AND head = 1 AND state = 'ready'
  ORDER BY run_at, id LIMIT @most + 0`;
const OWED = `SELECT id, channel_id AS channelId, ack_at AS runAt FROM message
  WHERE account_id = @accountId AND ack = 'due' AND ack IN ('due','sending') ORDER BY ack_at, id LIMIT @most + 0`;

/** `onUndo`: of the write that is running. */
export function createDue(sqlite: Sqlite.Database, others: OtherWriters, onUndo: (undo: () => void) => void): Due {
  const accounts = new Map<AccountId, Hints>();
  const channelsOf = sqlite.prepare<[string], ChannelId>("SELECT id FROM channel WHERE account_id = ?").pluck();
  const heads = sqlite.prepare<[object], Head>(HEADS);
  const owed = sqlite.prepare<[object], Head>(OWED);

  const dueAt = (accountId: AccountId, channelId: ChannelId, direction: QueueDirection, at: number) => {
    const hints = accounts.get(accountId);
    if (hints) hint(hints, { direction, channelId, at, jobs: 1 });
  };
  sqlite.function("due_at", dueAt as (...values: unknown[]) => void);
  // Temporary triggers see every writer of this connection.
  for (const trigger of TRIGGERS) sqlite.exec(`CREATE TEMP TRIGGER ${trigger}`);
  others.onWritten(() => accounts.clear());

  const read: Due["read"] = (accountId, { direction, channelId }, most) => {
    if (direction === "ack") return [{ direction, channelId, known: 0, heads: owed.all({ accountId, most }) }];
    return partsOf(direction).map((known) => ({
      ...{ direction, channelId, known },
      heads: heads.all({ channelId, direction, known, most }),
    }));
  };
  const load = (accountId: AccountId): Hints => {
    const hints: Hints = new Map();
    for (const queue of queuesWith(channelsOf.all(accountId)))
      for (const left of hintsOfRest(read(accountId, queue, LOOKS_AHEAD), new Set())) hint(hints, left);
    return hints;
  };
  return {
    read,
    hints(accountId) {
      others.lookOnceATick();
      const hints = accounts.get(accountId) ?? load(accountId);
      accounts.set(accountId, hints);
      onUndo(() => accounts.delete(accountId));
      return hints;
    },
  };
}
