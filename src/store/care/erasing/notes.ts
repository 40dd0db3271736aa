import type { ExpiringNotes } from "../../care.ts";
import type { CustomerErasure } from "../../sqlite/database/erasing.ts";
import { isNoteOf, noteId } from "../../tables/notes.ts";
import { ROWS, type Run, rest } from "./batches.ts";

const PAGE = `SELECT key FROM note WHERE channel_id = ? AND key > ? ORDER BY key LIMIT ${ROWS}`;
const REMOVE = "DELETE FROM note WHERE channel_id = ? AND key = ?";

/**
 * Notes are `<prefix>:<id>`. Those that expire are about a customer or a message; of the others only those about an own chat
 * go, since what is known of a group is about its other members, too. `ids`: of the customer's messages.
 */
export async function eraseNotes(
  run: Run,
  { channelId, chats, customer }: CustomerErasure,
  ids: ReadonlySet<string>,
  expiring: ExpiringNotes[],
): Promise<void> {
  const { db, count } = run;
  const isTheirs = (key: string) => {
    const id = noteId(key);
    if (chats.includes(id)) return true;
    if (!expiring.some(({ prefix }) => key.startsWith(prefix))) return false;
    return id === customer || ids.has(id) || chats.some((chat) => isNoteOf(key, chat));
  };
  const page = db.sqlite.prepare<[string, string], string>(PAGE).pluck();
  for (let keys = page.all(channelId, ""); keys.length > 0; keys = page.all(channelId, keys.at(-1) ?? "")) {
    const theirs = keys.filter(isTheirs);
    const erase = () => {
      for (const key of theirs) db.prepared(REMOVE).run(channelId, key);
      count({ notes: theirs.length });
    };
    if (theirs.length > 0) await db.write(erase);
    await rest(run);
  }
}
