import type { Journal, JournalRecord, PageLimit } from "gangway-messenger/hosted";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { excerptOf } from "gangway-messenger/text";
import type { Entry, MessageEntry } from "./wire.ts";

/** Largest page. Bounded, since visitors can fill a chat and request it again and again. */
const HISTORY: PageLimit = { entries: 200, bytes: 128 * 1024 };
export const ONE: PageLimit = { entries: 1, bytes: 1 };

/** A page of a chat, oldest first. */
export interface HistoryPage {
  history: Entry[];
  /** Position of the newest entry; 0 if there is none. */
  cursor: number;
  /** Position of the oldest entry on the page, if there are older ones. */
  older?: number;
}

/** The newest page, or the page before a position. */
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

/** Prefix of ids of agents' messages; visitors' messages start with the visitor's id. */
const AGENT = "a.";
export const agentMessage = (key: string) => `${AGENT}${key}` as MessengerMessageId;

/** Journal keys of messages. */
export const agentKey = (key: string) => `out:${key}`;
export const visitorKey = (id: string) => `in:${id}`;

/** A message with all its changes. */
export interface MessageState {
  message?: MessageEntry;
  /** Oldest first. */
  edits: Extract<Entry, { type: "edited" }>[];
  deleted: boolean;
}

/** Reads by journal keys, so the length of the chat does not matter. */
export async function messageState(journal: Journal, chat: ChatId, id: string): Promise<MessageState> {
  const keys = [messageKey(id), `edited:${id}`, `deleted:${id}`];
  return foldState((await Promise.all(keys.map((key) => journal.under(chat, key)))).flat(), id);
}

const messageKey = (id: string) => (id.startsWith(AGENT) ? agentKey(id.slice(AGENT.length)) : visitorKey(id));

function foldState(records: JournalRecord[], id: string): MessageState {
  const found: MessageState = { edits: [], deleted: false };
  for (const { entry } of records as { entry: Entry }[]) {
    if (entry.id !== id) continue;
    if (entry.type === "message") found.message ??= entry;
    else if (entry.type === "edited") found.edits.push(entry);
    else if (entry.type === "deleted") found.deleted = true;
  }
  return found;
}

/** Code points of a quote. */
const SNIPPET = 200;

/** Text of a quoted message, for widgets that have not loaded it. */
export function snippet({ message, edits, deleted }: MessageState): string | undefined {
  if (deleted) return undefined;
  const text = edits.at(-1)?.text || message?.text || message?.files[0]?.name;
  return text && shortened(text);
}

export const shortened = (quoted: string): string => excerptOf(quoted, SNIPPET);
