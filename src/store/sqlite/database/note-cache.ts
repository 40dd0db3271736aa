import type Sqlite from "better-sqlite3";
import type { OtherWriters } from "./other-writers.ts";

/** Short notes as last read, and which do not exist, until this or another connection writes them: a message reads several. */
export interface NoteCache {
  get(channelId: string, key: string, load: () => string | undefined): string | undefined;
}

/** Notes kept in memory, and the longest, characters. */
const MAX_NOTES = 10_000;
const MAX_LENGTH = 500;

export function createNoteCache(sqlite: Sqlite.Database, others: OtherWriters): NoteCache {
  const known = new Map<string, string | undefined>();
  const nameOf = (channelId: string, key: string) => `${channelId}/${key}`;
  // Temporary triggers see every writer of this connection.
  sqlite.function("forget_note", (channelId: string, key: string) => {
    known.delete(nameOf(channelId, key));
  });
  for (const event of ["INSERT", "UPDATE", "DELETE"]) {
    const row = event === "DELETE" ? "OLD" : "NEW";
    const forget = `SELECT forget_note(${row}.channel_id, ${row}.key)`;
    sqlite.exec(`CREATE TEMP TRIGGER note_${event} AFTER ${event} ON note BEGIN ${forget}; END`);
  }
  others.onWritten(() => known.clear());
  return {
    get(channelId, key, load) {
      others.lookOnceATick();
      const name = nameOf(channelId, key);
      if (known.has(name)) return known.get(name);
      const value = load();
      // What a write has not committed may be rolled back.
      if (sqlite.inTransaction || (value?.length ?? 0) > MAX_LENGTH) return value;
      if (known.size >= MAX_NOTES) known.clear();
      known.set(name, value);
      return value;
    },
  };
}
