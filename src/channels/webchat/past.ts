import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { Journal, JournalRecord, PageLimit } from "../hosted.ts";
import type { Entry, MessageEntry } from "./wire.ts";

/** The most of a chat in one answer: a visitor may fill a chat, and ask for it again and again. */
const HISTORY: PageLimit = { entries: 200, bytes: 128 * 1024 };
const ONE: PageLimit = { entries: 1, bytes: 1 };

/** A page of a chat, oldest first. */
export interface HistoryPage {
  history: Entry[];
  /** The position of the newest; 0 where there is none. */
  cursor: number;
  /** Position of the oldest, if there is more before it. */
  older?: number;
}

/** The newest page of a chat, or the page before a position. */
export async function historyPage(journal: Journal, chat: ChatId, before?: number): Promise<HistoryPage> {
  const records = await journal.latest(chat, HISTORY, before);
  const first = records[0]?.position;
  const hasMore = first !== undefined && (await journal.latest(chat, ONE, first)).length > 0;
  return {
    history: records.map(({ entry }) => entry as Entry),
    cursor: records.at(-1)?.position ?? 0,
    older: hasMore ? first : undefined,
  };
}

/** What an agent's message is called, by its key; a visitor's begins with the visitor. */
const AGENT = "a.";
export const agentMessage = (key: string) => `${AGENT}${key}` as MessengerMessageId;

/** Where messages stand in the journal. */
export const agentKey = (key: string) => `out:${key}`;
export const visitorKey = (id: string) => `in:${id}`;

/** What became of one message. */
export interface Trace {
  message?: MessageEntry;
  /** Oldest first. */
  edits: Extract<Entry, { type: "edited" }>[];
  deleted: boolean;
}

/** By the keys of the journal, so that a chat's length costs nothing. */
export async function traceOf(journal: Journal, chat: ChatId, id: string): Promise<Trace> {
  const keys = [messageKey(id), `edited:${id}`, `deleted:${id}`];
  return trace((await Promise.all(keys.map((key) => journal.under(chat, key)))).flat(), id);
}

const messageKey = (id: string) => (id.startsWith(AGENT) ? agentKey(id.slice(AGENT.length)) : visitorKey(id));

function trace(records: JournalRecord[], id: string): Trace {
  const found: Trace = { edits: [], deleted: false };
  for (const { entry } of records as { entry: Entry }[]) {
    if (entry.id !== id) continue;
    if (entry.type === "message") found.message ??= entry;
    else if (entry.type === "edited") found.edits.push(entry);
    else if (entry.type === "deleted") found.deleted = true;
  }
  return found;
}

/** Code points of a quoted message that are shown with the quote. */
const SNIPPET = 200;

/** A quoted message in a line, for a widget whose history does not reach back to it. */
export function snippet({ message, edits, deleted }: Trace): string | undefined {
  if (deleted) return undefined;
  const text = edits.at(-1)?.text || message?.text || message?.files[0]?.name;
  return text && shortened(text);
}

export const shortened = (quoted: string): string => [...quoted].slice(0, SNIPPET).join("");
