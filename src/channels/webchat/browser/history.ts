import { type Draft, type Entry, type MessageEntry, messageId } from "./protocol.ts";

/** A message as it is shown: all that befell it folded together. */
export interface Shown extends MessageEntry {
  edited: boolean;
  deleted: boolean;
  status: "sending" | "refused" | "sent" | "delivered" | "read";
  refused?: string;
}

export interface History {
  /**
   * `position` is the journal's; without it the entry was just sent and stands last until the journal tells.
   * Pages may come in any order: an edit or a mark may be known before its message.
   */
  take(entry: Entry, position?: number): void;
  messages(): Shown[];
  find(id: string): Shown | undefined;
  clear(): void;
}

interface Known {
  message?: MessageEntry;
  position: number;
  edit?: { text: string; position: number };
  deleted: boolean;
  status: "sent" | "delivered" | "read";
  /** The same object until something of it changes. */
  shown?: Shown;
}

/** Folds the journal's entries into messages, in the journal's order. */
export function createHistory(): History {
  const known = new Map<string, Known>();
  let shown: Map<string, Shown> | undefined;
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

function fold(known: Map<string, Known>): Map<string, Shown> {
  const sorted = [...known.values()].sort((a, b) => (a.position === b.position ? 0 : a.position - b.position));
  const shown = new Map<string, Shown>();
  for (const it of sorted) {
    const { message, edit, deleted, status } = it;
    if (!message) continue;
    it.shown ??= { ...message, ...(edit && { text: edit.text }), edited: !!edit, deleted, status };
    shown.set(message.id, it.shown);
  }
  return shown;
}

/** A draft as the messages it will become, under their ids: a mix of pictures and other files becomes two. */
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

export const shownDraft = (visitor: string | undefined, draft: Draft): Shown[] =>
  entriesOf(visitor, draft).map((entry) => ({
    ...entry,
    edited: false,
    deleted: false,
    status: draft.refused ? "refused" : "sending",
    refused: draft.refused,
  }));
