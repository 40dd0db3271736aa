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

interface Known {
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
  const known = new Map<string, Known>();
  let shown: Map<string, ShownMessage> | undefined;
  const all = () => {
    shown ??= fold(known);
    return shown;
  };
  return {
    take(entry, position = Number.POSITIVE_INFINITY) {
      shown = undefined;
      const it = known.get(entry.id) ?? { position, deleted: false, status: "sent" };
      it.shown = undefined;
      known.set(entry.id, it);
      if (entry.type === "message") {
        it.position = it.message ? Math.min(it.position, position) : position;
        it.message ??= entry;
      } else if (entry.type === "deleted") it.deleted = true;
      else if (entry.type === "edited") {
        if (position >= (it.edit?.position ?? 0)) it.edit = { text: entry.text, position };
      } else if (it.status !== "read") it.status = entry.type;
    },
    messages: () => [...all().values()],
    find: (id) => all().get(id),
    clear() {
      known.clear();
      shown = undefined;
    },
  };
}

function fold(known: Map<string, Known>): Map<string, ShownMessage> {
  const sorted = [...known.values()].sort((a, b) => (a.position === b.position ? 0 : a.position - b.position));
  const shown = new Map<string, ShownMessage>();
  for (const it of sorted) {
    const { message, edit, deleted, status } = it;
    if (!message) continue;
    it.shown ??= { ...message, ...(edit && { text: edit.text }), edited: !!edit, deleted, status };
    shown.set(message.id, it.shown);
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
