import type { ChatId } from "../../domain/ids.ts";
import type { Journal, JournalRecord } from "../port.ts";
import type { Entry, MessageEntry } from "./wire.ts";

/** Newest records a widget is given when it opens, and that are looked at first for anything else. */
export const HISTORY = 200;

/** How far back a message is looked for: a visitor who fills a chat must not make each look cost more. */
const LOOK_BACK = 1_000;

/** What became of one message. */
export interface Trace {
  message?: MessageEntry;
  /** Oldest first. */
  edits: Extract<Entry, { type: "edited" }>[];
  deleted: boolean;
}

/** Looks at the newest records first: whatever befell a message stands behind it, so finding it there is enough. */
export async function traceOf(journal: Journal, chat: ChatId, id: string): Promise<Trace> {
  const recent = trace(await journal.latest(chat, HISTORY), id);
  return recent.message ? recent : trace(await journal.latest(chat, LOOK_BACK), id);
}

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
  return text && [...text].slice(0, SNIPPET).join("");
}
