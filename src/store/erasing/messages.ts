import { inArray, type SQL, sql } from "drizzle-orm";
import { all, run as runs, type Transaction, type Verb } from "../tables/engine.ts";
import { DROPPED, type Dropped, dropWork } from "../tables/erasing/dropping.ts";
import { buryMessages } from "../tables/erasing/erased.ts";
import { type MessageRow, messages } from "../tables/schema.ts";
import { firstOf, ROWS, type Run } from "./batches.ts";
import { markFiles } from "./files.ts";

type Row = Dropped & Pick<MessageRow, "dedupeKey" | "payload">;
const SELECT = sql.raw(`SELECT ${DROPPED}, dedupe_key AS "dedupeKey", payload FROM message WHERE channel_id =`);

/** Within a write: deletes the first messages of a channel there, and leaves hashes of their keys. Returns their number. */
export function* eraseMessages(
  { sealer, erasure, now, count }: Run,
  tx: Transaction,
  channelId: string,
  where: SQL,
): Verb<number> {
  const rows = yield* firstMessages(channelId, where);
  yield* dropWork(tx, rows);
  yield* markFiles(
    tx,
    erasure.id,
    channelId,
    rows.map(({ payload }) => payload),
  );
  yield* remove(tx, rows);
  yield* buryMessages(tx, sealer, rows, now());
  yield* count({ messages: rows.length });
  return rows.length;
}

/** Within a write: the same for an account, whose channels are gone as a whole. */
export function* eraseAllMessages({ count }: Run, tx: Transaction, channelId: string): Verb<number> {
  const rows = yield* firstMessages(channelId, sql`true`);
  yield* remove(tx, rows);
  yield* count({ messages: rows.length });
  return rows.length;
}

function* firstMessages(channelId: string, where: SQL): Verb<Row[]> {
  const rows = yield* all<Row>(sql`${SELECT} ${channelId} AND ${where} LIMIT ${sql.raw(String(ROWS))}`);
  return firstOf(rows, ({ payload }) => payload);
}

function* remove({ orm }: Transaction, rows: Row[]): Verb<void> {
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) yield* runs(orm.delete(messages).where(inArray(messages.id, ids)));
}
