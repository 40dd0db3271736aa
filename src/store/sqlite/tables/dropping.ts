import { DROPPED, type Dropped, dropWork, endAll, isLive } from "../../tables/dropping.ts";
import { isOwed } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { runNow, transactionOf } from "./engine.ts";

const FIND = `SELECT ${DROPPED} FROM message WHERE id = @id`;

/** They wait no more. Without the ledger: their account is gone. */
export function uncount({ pressure }: Pick<Database, "pressure">, rows: Dropped[]): void {
  for (const row of rows) {
    if (isLive(row)) pressure.ended(row);
    if (isOwed(row.ack)) pressure.ended({ ...row, direction: "ack" });
  }
}

/** True when the message is being erased: then it is dropped at once. Call within a write. */
export function dropsErased(db: Database, id: number): boolean {
  if (!db.erasing.covers(id)) return false;
  const row = db.prepared(FIND).get({ id }) as Dropped;
  if (db.tombstones.isGone(row.channelId)) {
    uncount(db, [row]);
    runNow(db, endAll(transactionOf(db), [row]));
  } else runNow(db, dropWork(transactionOf(db), [row]));
  return true;
}
