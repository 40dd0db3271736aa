import { type Draft, type Entry, type MessageEntry, messageId } from "./protocol.ts";

/** A message with all its changes applied. */
export interface ShownMessage extends MessageEntry {
  edited: boolean;
  deleted: boolean;
  status: "sending" | "refused" | "sent" | "delivered" | "read";
  refused?: string;
}

export interface History {
  /**
   * `position`: in the journal; without it the entry was just sent and sorts last. Pages may arrive in any order, so an
   * edit or a read mark may come before its message.
   */
  take(entry: Entry, position?: number): void;
  messages(): ShownMessage[];
  find(id: string): ShownMessage | undefined;
  clear(): void;
}

interface MessageRecord {
  message?: MessageEntry;
  position: number;
  edit?: { text: string; position: number };
  deleted: boolean;
  status: "sent" | "delivered" | "read";
  /** The same object until the message changes. */
  shown?: ShownMessage;
}

/** Folds journal entries into messages, in journal order. */
export function createHistory(): History {
  const records = new Map<string, MessageRecord>();
  let shown: Map<string, ShownMessage> | undefined;
  const all = () => {
    shown ??= fold(records);
    return shown;
  };
  return {
    take(entry, position = Number.POSITIVE_INFINITY) {
      if (entry.type === "ended") return;
      shown = undefined;
      const record = records.get(entry.id) ?? { position, deleted: false, status: "sent" };
      record.shown = undefined;
      records.set(entry.id, record);
      if (entry.type === "message") {
        record.position = record.message ? Math.min(record.position, position) : position;
        record.message ??= entry;
      } else if (entry.type === "deleted") record.deleted = true;
      else if (entry.type === "edited") {
        if (position >= (record.edit?.position ?? 0)) record.edit = { text: entry.text, position };
      } else if (record.status !== "read") record.status = entry.type;
    },
    messages: () => [...all().values()],
    find: (id) => all().get(id),
    clear() {
      records.clear();
      shown = undefined;
    },
  };
}

function fold(records: Map<string, MessageRecord>): Map<string, ShownMessage> {
  const sorted = [...records.values()].sort((a, b) => (a.position === b.position ? 0 : a.position - b.position));
  const shown = new Map<string, ShownMessage>();
  for (const record of sorted) {
    const { message, edit, deleted, status } = record;
    if (!message) continue;
    record.shown ??= { ...message, ...(edit && { text: edit.text }), edited: !!edit, deleted, status };
    shown.set(message.id, record.shown);
  }
  return shown;
}

/** The messages that a draft becomes on the server: two if it mixes pictures and other files. */
export function entriesOf(visitor: string | undefined, draft: Draft): MessageEntry[] {
  const { text, files, quote, at } = draft;
  const id = visitor ? messageId(visitor, draft.id) : draft.id;
  const [pictures, others] = [files.filter((file) => file.image), files.filter((file) => !file.image)];
  const whole: MessageEntry = { type: "message", from: "visitor", id, text, files, quote, at };
  if (pictures.length === 0 || others.length === 0) return [whole];
  return [
    { ...whole, files: pictures },
    { ...whole, id: `${id}.files`, text: undefined, quote: undefined, files: others },
  ];
}

export const shownDraft = (visitor: string | undefined, draft: Draft): ShownMessage[] =>
  entriesOf(visitor, draft).map((entry) => ({
    ...entry,
    edited: false,
    deleted: false,
    status: draft.refused ? "refused" : "sending",
    refused: draft.refused,
  }));
