import type Sqlite from "better-sqlite3";
import type { KnownChat } from "../../tables/engine.ts";
import type { OtherWriters } from "./other-writers.ts";

/** Known chats in memory, by channel and the gateway's id, until one is erased. `onUndo`: of the write that is running. */
export function createKnownChats(
  sqlite: Sqlite.Database,
  others: OtherWriters,
  onUndo: (undo: () => void) => void,
): Map<string, KnownChat> {
  const chats = new Map<string, KnownChat>();
  const forget = () => chats.clear();
  others.onWritten(forget);
  // A temporary trigger sees every writer of this connection.
  sqlite.function("chat_gone", () => {
    forget();
    onUndo(forget);
  });
  sqlite.exec("CREATE TEMP TRIGGER chat_DELETE AFTER DELETE ON chat BEGIN SELECT chat_gone(); END");
  return chats;
}
