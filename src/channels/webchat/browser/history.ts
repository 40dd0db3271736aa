import type { Draft, Entry, MessageEntry } from "./protocol.ts";

/** A message as it is shown: all that befell it folded together. */
export interface Shown extends MessageEntry {
  edited: boolean;
  deleted: boolean;
  status: "sending" | "refused" | "sent" | "delivered" | "read";
  refused?: string;
}

export interface History {
  /** `position` is the journal's; without it the entry is known from its sending and stands last until the journal tells. */
  take(entry: Entry, position?: number): void;
  messages(): Shown[];
  clear(): void;
}

/** Folds the journal's entries into messages, in the journal's order. */
export function createHistory(): History {
  const known = new Map<string, { shown: Shown; position: number }>();
  const place = (entry: MessageEntry, position: number) => {
    const before = known.get(entry.id);
    if (before) before.position = Math.min(before.position, position);
    else known.set(entry.id, { shown: { ...entry, edited: false, deleted: false, status: "sent" }, position });
  };
  return {
    take(entry, position = Number.POSITIVE_INFINITY) {
      if (entry.type === "message") return place(entry, position);
      const message = known.get(entry.id)?.shown;
      if (!message) return;
      if (entry.type === "deleted") message.deleted = true;
      else if (entry.type === "edited") Object.assign(message, { text: entry.text, edited: true });
      else if (message.status !== "read") message.status = entry.type;
    },
    messages: () =>
      [...known.values()]
        .sort((a, b) => (a.position === b.position ? 0 : a.position - b.position))
        .map(({ shown }) => shown),
    clear: () => known.clear(),
  };
}

/** A draft as the message it becomes; it has the id it will have once it is stored. */
export function entryOf(visitor: string | undefined, draft: Draft): MessageEntry {
  const { text, files, quote, at } = draft;
  const id = visitor ? `${visitor.split(".")[0]}.${draft.id}` : draft.id;
  return { type: "message", from: "visitor", id, text, files, quote, at };
}

export const shownDraft = (visitor: string | undefined, draft: Draft): Shown => ({
  ...entryOf(visitor, draft),
  edited: false,
  deleted: false,
  status: draft.refused ? "refused" : "sending",
  refused: draft.refused,
});
