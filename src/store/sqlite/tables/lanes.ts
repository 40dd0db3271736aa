import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { LIVE } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

// A lane is a chat in one direction: its live messages go one at a time, in order of `position`. Whatever sets `head` to 0
// ends the lane's head; a trigger of the table makes the next message the head.

/** For statements that give work to the holder of the account's lease. */
export const HOLDS_LEASE = "EXISTS (SELECT 1 FROM account_lease WHERE account_id = @account AND fence = @fence)";

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
