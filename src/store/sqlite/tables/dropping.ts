import { DROPPED, type Dropped, dropWork, endAll } from "../../tables/erasing/dropping.ts";
import type { Database } from "../database/db.ts";
import { runNow, transactionOf } from "./engine.ts";

const FIND = `SELECT ${DROPPED} FROM message WHERE id = @id`;

/** True when the message is being erased: then it is dropped at once. Call within a write. */
export function dropsErased(db: Database, id: number): boolean {
  if (!db.erasing.covers(id)) return false;
  const row = db.prepared(FIND).get({ id }) as Dropped;
  // Without the ledger: its account is gone.
  const end = db.tombstones.isGone(row.channelId) ? endAll : dropWork;
  runNow(db, end(transactionOf(db), [row]));
  return true;
}
