import { slicesOf } from "../../../domain/counts.ts";
import type { NotePrefix } from "../../care.ts";
import type { Note } from "../../channels.ts";
import { pagesOf } from "../care/windows.ts";
import { all, type Engine, first, listed } from "../engine.ts";
import { isNoteOf, noteId } from "./channels.ts";

// Finds notes about a customer. Messengers declare what their keys name (`NoteLifetimes` in
// packages/messenger/src/port.ts).

/** Rows read at once: a few milliseconds. */
const ROWS = 250;
const KIND = "SELECT kind FROM channel WHERE id = @channelId";

/** Prefixes for the channel's kind. */
export async function prefixesIn({ read }: Engine, channelId: string, notes: NotePrefix[]): Promise<NotePrefix[]> {
  const channel = await read(() => first<{ kind: string }>(KIND, { channelId }));
  return notes.filter(({ kind }) => kind === undefined || kind === channel?.kind);
}

const NOTES = `SELECT key, value, updated_at AS "updatedAt" FROM note
  WHERE channel_id = @channelId AND key > @after ORDER BY key LIMIT ${ROWS}`;
type Dated = Pick<Note, "key" | "value"> & { updatedAt: number };

/** Page by page. */
export const notesIn = (engine: Engine, channelId: string): AsyncGenerator<Dated[], void> =>
  pagesOf<Dated>(engine, NOTES, { channelId }, "key", "");

/** Ids of customers with one of these chats, found by notes that lead to the chat. */
export async function otherIdsOf(
  engine: Engine,
  channelId: string,
  chats: string[],
  notes: NotePrefix[],
): Promise<string[]> {
  const ofCustomer = (await prefixesIn(engine, channelId, notes)).filter(({ stays }) => stays);
  if (ofCustomer.length === 0) return [];
  const ids = new Set<string>();
  for (const slice of slicesOf(chats, ROWS)) {
    const { list, values } = listed(slice);
    const leading = `SELECT key FROM note WHERE channel_id = @channelId AND value IN (${list})`;
    for (const { key } of await engine.read(() => all<{ key: string }>(leading, { ...values, channelId })))
      if (ofCustomer.some(({ prefix }) => key.startsWith(prefix))) ids.add(noteId(key));
  }
  return [...ids];
}

interface Theirs {
  channelId: string;
  chats: string[];
  /** Of messages in other chats. */
  rows: number[];
  customer?: string;
  otherIds?: string[];
}
/** Names by which notes refer to messages. */
interface MessageNames {
  rows: ReadonlySet<number>;
  /** At the messenger. */
  ids: ReadonlySet<string>;
}

const NAMES = `messenger_message_id AS name, first_id AS "firstId" FROM`;
const MESSAGES = `SELECT id, ${NAMES} message`;
const OF_CHAT = `${MESSAGES} WHERE channel_id = @channelId AND chat = @chat AND id > @after AND id <= @upTo
  ORDER BY id LIMIT ${ROWS}`;
interface NameRow {
  id: number;
  name: string | null;
  firstId: string | null;
}

/** Names of the customer's messages up to `upTo`, including later parts. Calls `rest` between pages. */
export async function messageNames(
  engine: Engine,
  { channelId, chats, rows }: Theirs,
  upTo = Number.MAX_SAFE_INTEGER,
  rest = async () => {},
): Promise<MessageNames> {
  const names = { rows: new Set<number>(), ids: new Set<string>() };
  const add = async (found: NameRow[]) => {
    if (found.length === 0) return;
    const { list, values } = listed(found.map(({ id }) => id));
    const parts = `SELECT message_id AS id, ${NAMES} part WHERE message_id IN (${list})`;
    for (const { id, name, firstId } of [...found, ...(await engine.read(() => all<NameRow>(parts, values)))]) {
      names.rows.add(id);
      for (const each of [name, firstId]) if (each !== null) names.ids.add(each);
    }
    await rest();
  };
  for (const chat of chats)
    for await (const page of pagesOf<NameRow>(engine, OF_CHAT, { channelId, chat, upTo }, "id")) await add(page);
  for (const slice of slicesOf(rows, ROWS)) {
    const { list, values } = listed(slice);
    // Albums' parts too.
    const text = `${MESSAGES} WHERE id IN (${list}) OR carrier IN (${list})`;
    await add(await engine.read(() => all<NameRow>(text, values)));
  }
  return names;
}

/** Candidates for the id after a chat. */
const partsOf = (id: string): string[] => [...id.matchAll(/[:/]/g)].map(({ index }) => id.slice(index + 1));

/** Row id in a step's key: `<row>[-<generation>][.<step>]`. */
const rowOf = (key: string): number => Number(/^(\d+)(?:-\d+)?(?:\.\d+)?$/.exec(key)?.[1]);

/**
 * Tests whether a note (`<prefix>:<id>`) is the customer's. Expiring notes are about a customer or a message. Of the
 * others, only those about the customer's own chat, naming the customer or leading to such a chat: notes about a group
 * concern its other members, too.
 */
export function noteTest(
  { chats, customer, otherIds = [] }: Theirs,
  { rows, ids }: MessageNames,
  prefixes: NotePrefix[],
): (note: Pick<Note, "key" | "value">) => boolean {
  const names = new Set([customer, ...otherIds]);
  return ({ key, value }) => {
    const id = noteId(key);
    const kinds = prefixes.filter(({ prefix }) => key.startsWith(prefix));
    // Steps are named by row number, which may look like a customer's id.
    if (kinds.some(({ ofStep }) => ofStep)) return rows.has(rowOf(id));
    if (chats.includes(id)) return true;
    if (kinds.length > 0 && names.has(id)) return true;
    if (kinds.every(({ stays }) => stays)) return kinds.length > 0 && chats.includes(value);
    const isOfMessage = [id, ...partsOf(id)].some((part) => ids.has(part));
    return isOfMessage || chats.some((chat) => isNoteOf(key, chat));
  };
}
