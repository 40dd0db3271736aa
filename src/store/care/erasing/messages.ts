import type { Database } from "../../sqlite/database/db.ts";
import { DROPPED, type Dropped, dropWork, uncount } from "../../sqlite/tables/dropping.ts";
import type { MessageRow } from "../../tables/schema.ts";
import { firstOf, type Run } from "./batches.ts";
import { markFiles } from "./files.ts";

type Row = Dropped & Pick<MessageRow, "dedupeKey" | "payload">;
const REMOVE = "DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))";

/** Within a write: deletes the first messages there, and leaves hashes of their keys. Returns their number. */
export function eraseMessages(run: Run, where: string, values: Record<string, unknown>): number {
  const { db, erasure, now, count } = run;
  const rows = firstMessages(db, where, values);
  for (const row of rows) dropWork(db, row);
  for (const { channelId, payload } of rows) markFiles(db, erasure.id, channelId, [payload]);
  remove(db, rows);
  db.tombstones.bury(rows, now());
  count({ messages: rows.length });
  return rows.length;
}

/** Within a write: the same for an account, whose channels are gone as a whole. */
export function eraseAllMessages({ db, count }: Run, channelId: string): number {
  const rows = firstMessages(db, "channel_id = @channelId", { channelId });
  for (const row of rows) uncount(db, row);
  remove(db, rows);
  count({ messages: rows.length });
  return rows.length;
}

const firstMessages = (db: Database, where: string, values: object): Row[] =>
  firstOf(
    db
      .prepared(`SELECT ${DROPPED}, dedupe_key AS dedupeKey, payload FROM message WHERE ${where}`)
      .iterate(values) as Iterable<Row>,
    ({ payload }) => payload,
  );

const remove = (db: Database, rows: Row[]): void =>
  void db.prepared(REMOVE).run(JSON.stringify(rows.map(({ id }) => id)));
