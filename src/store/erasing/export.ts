import { slicesOf } from "../../domain/counts.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { NotePrefix, Person, PersonRecords } from "../care.ts";
import { bytesOf, inBytes, pagesOf, type Sized } from "../tables/care/windows.ts";
import { messageNames, notesIn, noteTest, prefixesIn } from "../tables/channels/customers-notes.ts";
import { keysOf } from "../tables/channels/raw-webhooks.ts";
import { all, columns, type Engine, listed } from "../tables/engine.ts";
import { type Belongings, belongingsOf } from "../tables/messages/people.ts";
import { chats as chatTable, journal, keptFiles, type MessageRow, messages } from "../tables/schema.ts";
import { filesIn } from "./customer.ts";

// Exports what is kept about a customer: what an erasure would delete, except sealed requests, which repeat the same
// data.

/** Rows read at once: a few milliseconds. */
const ROWS = 250;

const NAMES = [
  ...["id", "direction", "kind", "chat", "state", "gatewayMessageId", "messengerMessageId"],
  ...["payload", "words", "error", "createdAt", "endedAt"],
] as const;
type Row = Pick<MessageRow, (typeof NAMES)[number]> & Sized;
const messagesWhere = (where: string) =>
  inBytes({
    ...{ table: "message", key: "id", columns: columns(messages, NAMES), limit: ROWS },
    ...{ where: `${where} AND id > @after`, bytes: bytesOf("payload", "words", "error") },
  });
const OF_CHAT = messagesWhere("channel_id = @channelId AND chat = @chat");
const linesWhere = (where: string) =>
  inBytes({
    ...{ table: "journal", key: "position", columns: columns(journal, ["position", "chat", "entry", "createdAt"]) },
    ...{ where: `${where} AND position > @after`, bytes: bytesOf("entry"), limit: ROWS },
  });
const LINES = linesWhere("channel_id = @channelId AND chat = @chat");
/** The customer's rows in logs that several chats share. */
const SHARED_LINES = linesWhere("channel_id = @channelId AND key > @from AND key < @to");
const CHAT = `SELECT ${columns(chatTable, ["chat", "gatewayChat", "createdAt"])} FROM chat WHERE channel_id = @channelId AND chat = @chat`;
const FILE = columns(keptFiles, ["id", "name", "mediaType", "size", "createdAt"]);

/** Overhead of a row besides its contents, bytes. */
const ROW_BYTES = 256;

/** Bytes that may still be read. */
interface Room {
  left: number;
}

/** Undefined when the account has no such chat; too large when it has more than `maxBytes` of contents. */
export async function recordsOf(
  engine: Engine,
  accountId: AccountId,
  person: Person,
  prefixes: NotePrefix[],
  maxBytes: number,
): Promise<PersonRecords | "too-large" | undefined> {
  const theirs = await belongingsOf(engine, accountId, person, prefixes);
  if (!theirs) return undefined;
  const { channelId, customer, chats } = theirs;
  const room: Room = { left: maxBytes };
  const said = (await messagesOf(engine, theirs, room)).sort((one, other) => one.id - other.id);
  // A person's export must not name others: for a group, a member must be chosen.
  if (customer === undefined && customersIn(said).size > 1) return undefined;
  const lines = await linesOf(engine, theirs, room);
  if (room.left < 0) return "too-large";
  const named = await messageNames(engine, theirs);
  const isTheirs = noteTest(theirs, named, await prefixesIn(engine, channelId, prefixes));
  const files = new Set([...said.map(({ payload }) => payload), ...lines.map(({ entry }) => entry)].flatMap(filesIn));
  return {
    ...{ channelId, customer, chats: await chatsOf(engine, channelId, chats) },
    messages: said.map(({ payload, createdAt, endedAt, windowKey: _, windowBytes: __, ...row }) => ({
      ...withoutNulls(row),
      at: createdAt,
      ...(endedAt !== null && { endedAt }),
      ...(payload !== null && { content: contentsOf(payload) }),
    })) as PersonRecords["messages"],
    history: lines.map(({ chat, entry, createdAt }) => ({ chat, at: createdAt, entry: contentsOf(entry) })),
    notes: await notesOf(engine, channelId, isTheirs),
    files: await filesOf(engine, channelId, chats, files),
  };
}

function customersIn(rows: Row[]): Set<unknown> {
  const ids = rows.map(({ direction, payload }) =>
    direction === "inbound" && payload !== null
      ? (contentsOf(payload) as { customer?: { id?: unknown } })?.customer?.id
      : undefined,
  );
  return new Set(ids.filter((id) => id !== undefined));
}

/** Collects rows until there is no room for more. */
async function takeAll<T extends Sized>(pages: AsyncGenerator<T[], void>, room: Room, found: T[]): Promise<void> {
  if (room.left < 0) return;
  for await (const page of pages) {
    room.left -= (page.at(-1)?.windowBytes ?? 0) + page.length * ROW_BYTES;
    if (room.left < 0) return;
    found.push(...page);
  }
}

async function messagesOf(engine: Engine, { channelId, chats, rows }: Belongings, room: Room): Promise<Row[]> {
  const found: Row[] = [];
  for (const chat of chats) await takeAll(pagesOf<Row>(engine, OF_CHAT, { channelId, chat }, "id"), room, found);
  for (const slice of slicesOf(rows, ROWS)) {
    const { list, values } = listed(slice);
    // Albums' parts too.
    const text = messagesWhere(`(id IN (${list}) OR carrier IN (${list}))`);
    await takeAll(pagesOf<Row>(engine, text, values, "id"), room, found);
  }
  return found;
}

type Line = Pick<typeof journal.$inferSelect, "position" | "chat" | "entry" | "createdAt"> & Sized;

async function linesOf(engine: Engine, { channelId, chats }: Belongings, room: Room): Promise<Line[]> {
  const found: Line[] = [];
  for (const chat of chats)
    for (const text of [LINES, SHARED_LINES]) {
      const values = { channelId, chat, ...keysOf(chat) };
      await takeAll(pagesOf<Line>(engine, text, values, "position"), room, found);
    }
  return found;
}

async function notesOf(engine: Engine, channelId: string, isTheirs: ReturnType<typeof noteTest>) {
  const found: PersonRecords["notes"] = [];
  for await (const page of notesIn(engine, channelId)) found.push(...page.filter(isTheirs));
  return found;
}

async function chatsOf({ read }: Engine, channelId: string, chats: string[]): Promise<PersonRecords["chats"]> {
  const found: PersonRecords["chats"] = [];
  for (const chat of chats)
    found.push(...(await read(() => all<PersonRecords["chats"][number]>(CHAT, { channelId, chat }))));
  return found;
}

async function filesOf({ read }: Engine, channelId: string, chats: string[], ids: Set<string>) {
  type File = PersonRecords["files"][number];
  const found = new Map<string, File>();
  for (const [column, names] of [["chat", chats] as const, ["id", [...ids]] as const])
    for (const slice of slicesOf(names, ROWS)) {
      const { list, values } = listed(slice);
      const text = `SELECT ${FILE} FROM kept_file WHERE channel_id = @channelId AND ${column} IN (${list})`;
      for (const file of await read(() => all<File>(text, { ...values, channelId }))) found.set(file.id, file);
    }
  return [...found.values()];
}

const withoutNulls = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

function contentsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
