import { and, eq, sql } from "drizzle-orm";
import type { Clock } from "../../../domain/clock.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import type { Note, NoteStore } from "../../channels.ts";
import type { Database } from "../database/db.ts";
import { notes } from "../database/schema.ts";
import type { Orm } from "../database/statements.ts";

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  known: orm
    .select({ value: notes.value })
    .from(notes)
    .where(and(eq(notes.channelId, at("channelId")), eq(notes.key, at("key"))))
    .prepare(),
});

export function noteStore(db: Database, clock: Clock): NoteStore {
  return {
    get: async (channelId, key) => db.statements(statements).known.get({ channelId, key })?.value,
    set: (channelId, lines) => db.write(() => writeNotes(db, clock.now(), channelId, lines)),
  };
}

export function writeNotes(db: Database, now: number, channelId: ChannelId, changed: Note[]): void {
  for (const { key, value } of changed) {
    const here = and(eq(notes.channelId, channelId), eq(notes.key, key));
    if (value === "") db.orm.delete(notes).where(here).run();
    else
      db.orm
        .insert(notes)
        .values({ channelId, key, value, updatedAt: now })
        .onConflictDoUpdate({ target: [notes.channelId, notes.key], set: { value, updatedAt: now } })
        .run();
  }
}
