import type Sqlite from "better-sqlite3";
import type { Clock } from "../../../domain/clock.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import type { JournalLimits, JournalRow, JournalStore, NewJournalRow } from "../../channels.ts";
import { journal } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import { mayStore } from "./chats.ts";

interface Row {
  position: number;
  at: number;
  entry: string;
}
const toRow = (row: Row): JournalRow => ({ ...row, entry: JSON.parse(row.entry) });

export function writeJournal(db: Database, now: number, channelId: ChannelId, entries: NewJournalRow[]): void {
  if (entries.length === 0) return;
  const values = entries.map((l) => ({
    channelId,
    chat: l.chat,
    key: l.key,
    entry: JSON.stringify(l.entry),
    createdAt: now,
  }));
  db.orm.insert(journal).values(values).onConflictDoNothing().run();
}

const ROW = "SELECT position, created_at AS at, entry FROM journal";
const CHAT = "channel_id = @channelId AND chat = @chat";
const AFTER = `${ROW} WHERE ${CHAT} AND position > @position ORDER BY position`;
const LATEST = `${ROW} WHERE ${CHAT} AND position < @before ORDER BY position DESC`;
// Two range scans of the key index, whose cost a visitor cannot inflate; ";" is the character after ":".
const UNDER = `SELECT * FROM (
  ${ROW} INDEXED BY journal_key WHERE ${CHAT} AND key = @key UNION ALL
  ${ROW} INDEXED BY journal_key WHERE ${CHAT} AND key > @key || ':' AND key < @key || ';') ORDER BY position`;

/** Iterates lazily: a chat may be long, and its entries large. */
function takeWithin(rows: Iterable<Row>, { entries, bytes }: JournalLimits): JournalRow[] {
  const taken: Row[] = [];
  let size = 0;
  for (const row of rows) {
    size += Buffer.byteLength(row.entry);
    if (taken.length > 0 && size > bytes) break;
    taken.push(row);
    if (taken.length >= entries) break;
  }
  return taken.map(toRow);
}

export function journalStore(db: Database, clock: Clock): JournalStore {
  const prepare = (query: string): Sqlite.Statement<[object], Row> => db.sqlite.prepare<[object], Row>(query);
  const [after, latest, under] = [prepare(AFTER), prepare(LATEST), prepare(UNDER)];
  return {
    append: (channelId, lines) =>
      db.write(() =>
        writeJournal(
          db,
          clock.now(),
          channelId,
          lines.filter(({ chat }) => mayStore(db, channelId, [chat])),
        ),
      ),
    after: async (channelId, chat, position, limits) =>
      takeWithin(after.iterate({ channelId, chat, position }), limits),
    latest: async (channelId, chat, limits, before = Number.MAX_SAFE_INTEGER) =>
      takeWithin(latest.iterate({ channelId, chat, before }), limits).reverse(),
    under: async (channelId, chat, key) => under.all({ channelId, chat, key }).map(toRow),
  };
}
