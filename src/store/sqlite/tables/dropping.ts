import type { MessageRow } from "../../tables/schema.ts";
import { isOwed } from "../../tables/states.ts";
import type { Database } from "../database/db.ts";
import { book, bookEnd } from "./tally.ts";

// The end of a message that is being erased: nothing waits for it, and the ledger has no hole.

export type Dropped = Pick<
  MessageRow,
  "id" | "accountId" | "channelId" | "direction" | "kind" | "state" | "ack" | "events" | "album"
>;
export const DROPPED =
  "id, account_id AS accountId, channel_id AS channelId, direction, kind, state, ack, events, album";

const LIVE: MessageRow["state"][] = ["ready", "sending", "waiting"];

const FIND = `SELECT ${DROPPED} FROM message WHERE id = ?`;
const END = "UPDATE message SET state = 'dropped', head = 0, ack = NULL WHERE id = ?";

/** Ends what it is still owed. */
export function dropWork(db: Database, row: Dropped): void {
  const isLive = LIVE.includes(row.state);
  if (isLive || row.state === "held") bookEnd(db, row, "refused");
  if (isOwed(row.ack)) book(db, { id: row.channelId, accountId: row.accountId }, { acksRefused: 1 });
  uncount(db, row);
  if (isLive || row.state === "held" || isOwed(row.ack)) db.prepared(END).run(row.id);
}

/** Without the ledger: its account is gone. */
export function uncount(db: Database, row: Dropped): void {
  if (LIVE.includes(row.state)) db.pressure.ended(row);
  if (isOwed(row.ack)) db.pressure.ended({ ...row, direction: "ack" });
}

/** True when the message is being erased: then it is dropped at once. Call within a write. */
export function dropsErased(db: Database, id: number): boolean {
  if (!db.erasing.covers(id)) return false;
  const row = db.prepared(FIND).get(id) as Dropped;
  if (db.tombstones.isGone(row.channelId)) {
    uncount(db, row);
    db.prepared(END).run(id);
  } else dropWork(db, row);
  return true;
}
