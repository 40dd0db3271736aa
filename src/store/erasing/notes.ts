import type { ExpiringNotes } from "../care.ts";
import { all, run as runs, type Work } from "../tables/engine.ts";
import type { CustomerErasure } from "../tables/erasures.ts";
import { isNoteOf, noteId } from "../tables/notes.ts";
import { ROWS, type Run, rest } from "./batches.ts";

const PAGE = `SELECT key FROM note WHERE channel_id = @channelId AND key > @after ORDER BY key LIMIT ${ROWS}`;
const REMOVE = "DELETE FROM note WHERE channel_id = @channelId AND key = @key";

/** What follows a chat. */
const partsOf = (id: string): string[] => [...id.matchAll(/[:/]/g)].map(({ index }) => id.slice(index + 1));

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
  const { ground, count } = run;
  const isTheirs = (key: string) => {
    const id = noteId(key);
    if (chats.includes(id)) return true;
    if (!expiring.some(({ prefix }) => key.startsWith(prefix))) return false;
    const isOfMessage = [id, ...partsOf(id)].some((part) => ids.has(part));
    return id === customer || isOfMessage || chats.some((chat) => isNoteOf(key, chat));
  };
  const pageAfter = (after: string) => ground.engine.read(() => all<{ key: string }>(PAGE, { channelId, after }));
  for (let page = await pageAfter(""); page.length > 0; page = await pageAfter(page.at(-1)?.key ?? "")) {
    const theirs = page.filter(({ key }) => isTheirs(key));
    const erase = function* (): Work<void> {
      for (const { key } of theirs) yield* runs(REMOVE, { channelId, key });
      yield* count({ notes: theirs.length });
    };
    if (theirs.length > 0) await ground.engine.write(erase);
    await rest(run);
  }
}
