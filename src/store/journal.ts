import { and, asc, desc, eq, gt } from "drizzle-orm";
import type { Clock } from "../domain/clock.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Database } from "./db.ts";
import { journal } from "./schema.ts";

export interface JournalLine {
  chat: string;
  key: string;
  entry: unknown;
}
export interface JournalRow {
  position: number;
  at: number;
  entry: unknown;
}

/** A durable, ordered log per chat, for messengers that this server hosts itself. */
export interface JournalStore {
  /** A line whose key is known for the channel is ignored. */
  append(channelId: ChannelId, lines: JournalLine[]): Promise<void>;
  after(channelId: ChannelId, chat: string, position: number, most: number): Promise<JournalRow[]>;
  latest(channelId: ChannelId, chat: string, most: number): Promise<JournalRow[]>;
}

type Row = typeof journal.$inferSelect;
const toRow = (row: Row): JournalRow => ({ position: row.position, at: row.createdAt, entry: JSON.parse(row.entry) });

/** For the transaction of an accept, too. */
export function writeJournal(db: Database, now: number, channelId: ChannelId, lines: JournalLine[]): void {
  if (lines.length === 0) return;
  const rows = lines.map((l) => ({
    channelId,
    chat: l.chat,
    key: l.key,
    entry: JSON.stringify(l.entry),
    createdAt: now,
  }));
  db.orm.insert(journal).values(rows).onConflictDoNothing().run();
}

export function journalStore(db: Database, clock: Clock): JournalStore {
  const inChat = (channelId: ChannelId, chat: string) => and(eq(journal.channelId, channelId), eq(journal.chat, chat));
  return {
    append: (channelId, lines) => db.write(() => writeJournal(db, clock.now(), channelId, lines)),
    after: async (channelId, chat, position, most) =>
      db.orm
        .select()
        .from(journal)
        .where(and(inChat(channelId, chat), gt(journal.position, position)))
        .orderBy(asc(journal.position))
        .limit(most)
        .all()
        .map(toRow),
    latest: async (channelId, chat, most) =>
      db.orm
        .select()
        .from(journal)
        .where(inChat(channelId, chat))
        .orderBy(desc(journal.position))
        .limit(most)
        .all()
        .map(toRow)
        .reverse(),
  };
}
