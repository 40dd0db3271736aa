import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import type { Job } from "../../../domain/delivery.ts";
import type { AccountId, ChannelId, JobId } from "../../../domain/ids.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { LIVE } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Whatever sets `head` to 0
// ends the lane's head; a trigger of the table makes the next message the head.

/** For statements that give work to the holder of the account's lease. */
export const HOLDS_LEASE = "EXISTS (SELECT 1 FROM account_lease WHERE account_id = @account AND fence = @fence)";

const columns = (names: readonly (keyof MessageRow)[]) =>
  names.map((name) => `${messages[name].name} AS ${name}`).join(", ");
const OF_JOB = [
  ...["id", "accountId", "channelId", "direction"],
  ...["crashes", "fatalCrashes", "updatedAt", "ackVersion"],
] as const;
const OF_MESSAGE = [
  ...["chat", "events", "album", "attempts", "unsure", "begun"],
  ...["deadlineAt", "fence", "doubtAt", "generation", "payload", "work"],
] as const;
const OF_ACK = ["ackBody", "ackAttempts", "ackDeadlineAt", "ackFence"] as const;
/** What the job of a message, or of an ack, is made of. */
export type MessageJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_MESSAGE)[number]>;
export type AckJobRow = Pick<MessageRow, (typeof OF_JOB)[number] | (typeof OF_ACK)[number]>;
export const MESSAGE_JOB = columns([...OF_JOB, ...OF_MESSAGE]);
export const ACK_JOB = columns([...OF_JOB, ...OF_ACK]);

/** Failed tries kept: the first and the latest. */
const MAX_TRIES = 10;
/** SQL of a column of tries with room for one more. */
export const keptTries = (column: string): string =>
  `iif(json_array_length(${column}) >= ${MAX_TRIES}, json_remove(${column}, '$[1]'), coalesce(${column}, '[]'))`;

/** Ids of an account's live messages, by its channels' lanes: no index covers an account's messages in all states. */
export const liveOfAccount = (account: SQLWrapper | string) =>
  sql`SELECT message.id FROM channel CROSS JOIN message INDEXED BY message_lane ON message.channel_id = channel.id
    WHERE channel.account_id = ${account} AND ${LIVE}`;
export const liveOfChannel = (channelId: string) => and(eq(messages.channelId, channelId), LIVE);

/** What the messenger knows its work by. */
export const keyOf = ({ id, generation }: Pick<MessageRow, "id" | "generation">) =>
  generation === 0 ? String(id) : `${id}-${generation}`;

/** What a job takes from a row besides its content. */
type MessageRef = Omit<MessageJobRow, "events" | "album" | "payload" | "work">;

export const messageJob = (row: MessageRef, { task, work }: Pick<Job, "task" | "work">): Job => ({
  id: row.id as JobId,
  accountId: row.accountId as AccountId,
  channelId: row.channelId as ChannelId,
  direction: row.direction,
  lane: laneName(row),
  key: keyOf(row),
  attempts: row.attempts,
  unsure: row.unsure,
  crashes: row.crashes,
  fatalCrashes: row.fatalCrashes,
  begun: row.begun === 1,
  deadlineAt: row.deadlineAt,
  fence: row.fence,
  doubtAt: row.doubtAt ?? undefined,
  ackVersion: row.ackVersion,
  // Claims and recorded steps update it; takeovers do not.
  triedAt: row.updatedAt,
  task,
  work,
});

export type Lane = Pick<MessageRow, "channelId" | "direction" | "chat">;

export const laneName = ({ channelId, direction, chat }: Lane): string => `${channelId}/${direction}/${chat}`;

const at = sql.placeholder;
/** A new message is the head of its lane if no other is live. Conditions exactly as in the index `message_lane`. */
export const IS_FIRST = `NOT EXISTS (SELECT 1 FROM message
  WHERE channel_id = @channelId AND direction = @direction AND chat = @chat AND state IN ('ready','sending','waiting'))`;

const statements = (orm: Orm) => ({
  live: orm
    .select({ id: messages.id })
    .from(messages)
    .where(
      sql`channel_id = ${at("channelId")} AND direction = ${at("direction")} AND chat = ${at("chat")}
        AND state IN ('ready','sending','waiting')`,
    )
    .prepare(),
});

/** The next position, from the sequence of ids. */
export const nextPosition = ({ sqlite }: Pick<Database, "sqlite">): number =>
  sqlite
    .prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'message' RETURNING seq")
    .pluck()
    .get() as number;

/** Back at the end of its lane, to be sent again. */
export function requeue(
  db: Database,
  row: MessageRow,
  set: Pick<MessageRow, "deadlineAt" | "work" | "doubtAt"> & Partial<MessageRow>,
  now: number,
): void {
  const { channelId, direction, chat } = row;
  const head = db.statements(statements).live.get({ channelId, direction, chat }) ? 0 : 1;
  const fresh = { attempts: 0, unsure: 0, crashes: 0, fatalCrashes: 0, inOwnCode: 0, known: 0, error: null };
  const times = { runAt: now, updatedAt: now, position: nextPosition(db) };
  const again = { ...set, ...fresh, ...times, state: "ready" as const, head, errorCode: null };
  db.orm.update(messages).set(again).where(eq(messages.id, row.id)).run();
  db.pressure.added(row);
}
