import type { Clock } from "../../../domain/clock.ts";
import type { ChannelId } from "../../../domain/ids.ts";
import type { Note, NoteStore } from "../../channels.ts";
import type { Database } from "../database/db.ts";
import { mayStore } from "./chats.ts";

const HERE = "channel_id = @channelId AND key = @key";
const FIND = `SELECT value FROM note WHERE ${HERE}`;
const DELETE = `DELETE FROM note WHERE ${HERE}`;
const SET = `INSERT INTO note (channel_id, key, value, updated_at) VALUES (@channelId, @key, @value, @now)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = @value, updated_at = @now`;

/** Of `<prefix>:<id>`. */
export const noteId = (key: string): string => key.slice(key.indexOf(":") + 1);

/** Whether a note is about a chat or one of its messages or albums. */
export function isNoteOf(key: string, chat: string): boolean {
  const id = noteId(key);
  return id === chat || id.startsWith(`${chat}:`) || id.startsWith(`${chat}/`);
}

/** All that `isNoteOf` may hold for. */
function ownersOf(key: string): string[] {
  const id = noteId(key);
  return [id, ...[...id.matchAll(/[:/]/g)].map(({ index }) => id.slice(0, index))];
}

export function noteStore(db: Database, clock: Clock): NoteStore {
  return {
    get: async (channelId, key) =>
      (db.prepared(FIND).get({ channelId, key }) as Pick<Note, "value"> | undefined)?.value,
    set: (channelId, changed) =>
      db.write(() => {
        const kept = changed.filter(({ key }) => mayStore(db, channelId, ownersOf(key)));
        writeNotes(db, clock.now(), channelId, kept);
        // A page may show a note. The session that sets one has just read its channel.
        const channel = db.rows.row<{ accountId: string }>("channel", channelId, () => undefined);
        if (channel) db.versions.bump(channel.accountId);
      }),
  };
}

export function writeNotes(db: Database, now: number, channelId: ChannelId, changed: Note[]): void {
  for (const { key, value, merge } of changed)
    if (value === "") db.prepared(DELETE).run({ channelId, key });
    else db.prepared(SET).run({ channelId, key, value: merge ? merged(db, { channelId, key }, value) : value, now });
}

function merged(db: Database, at: { channelId: ChannelId; key: string }, value: string): string {
  const stored = db.prepared(FIND).get(at) as Pick<Note, "value"> | undefined;
  return stored ? JSON.stringify({ ...JSON.parse(stored.value), ...JSON.parse(value) }) : value;
}
