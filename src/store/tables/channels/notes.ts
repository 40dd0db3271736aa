import type { ChannelId } from "../../../domain/ids.ts";
import type { Clock } from "../../../domain/time/clock.ts";
import type { Note, NoteStore } from "../../channels.ts";
import { type Engine, first, run, type Verb } from "../engine.ts";

const HERE = "channel_id = @channelId AND key = @key";
const FIND = `SELECT value FROM note WHERE ${HERE}`;
const DELETE = `DELETE FROM note WHERE ${HERE}`;
const SET = `INSERT INTO note (channel_id, key, value, updated_at) VALUES (@channelId, @key, @value, @now)
  ON CONFLICT (channel_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;
const NONE: Partial<Note> = {};
const ACCOUNT = "SELECT account_id AS id FROM channel WHERE id = @channelId";

/**
 * Key prefix of our notes of failures that overtook the answer to our call, for every kind of channel: then the chat and the
 * messenger's id.
 */
export const LATE_FAILURES = "late-failure:";

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

export function noteStore({ read, write }: Engine, clock: Clock): NoteStore {
  return {
    get: async (channelId, key) => {
      const find = function* () {
        return (yield* first<Pick<Note, "value">>(FIND, { channelId, key })) ?? NONE;
      };
      return (await read((tx) => tx.row<Partial<Note>>("note", `${channelId} ${key}`, find)))?.value;
    },
    set: (channelId, changed) =>
      write(function* (tx) {
        const kept: Note[] = [];
        for (const note of changed) if (yield* tx.mayStore(channelId, ownersOf(note.key))) kept.push(note);
        yield* writeNotes(clock.now(), channelId, kept);
        // A page may show a note.
        const account = yield* tx.find("account of", channelId, () => first<{ id: string }>(ACCOUNT, { channelId }));
        if (account) tx.changed(account.id);
      }),
  };
}

export function* writeNotes(now: number, channelId: ChannelId, changed: Note[]): Verb<void> {
  for (const { key, value, merge } of changed)
    if (value === "") yield* run(DELETE, { channelId, key });
    else {
      const stored = merge && (yield* first<Pick<Note, "value">>(FIND, { channelId, key }));
      yield* run(SET, { channelId, key, value: stored ? merged(stored.value, value) : value, now });
    }
}

const merged = (stored: string, value: string): string =>
  JSON.stringify({ ...JSON.parse(stored), ...JSON.parse(value) });
