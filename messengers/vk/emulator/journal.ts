/** A call and its answer, or a webhook and its answer. Without tokens and secrets. */
export interface JournalEntry {
  at: number;
  kind: "call" | "webhook" | "handshake";
  /** The published name. */
  operation: string;
  method: string;
  path: string;
  query: Record<string, string>;
  /** 0: no answer. */
  status: number;
  request: unknown;
  answer: unknown;
  headers: Record<string, string>;
}
export interface Journal {
  add(entry: JournalEntry): void;
  entries(): JournalEntry[];
  clear(): void;
}

const MAX_ENTRIES = 4_000;

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  return {
    add(entry) {
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES / 2);
    },
    entries: () => [...entries],
    clear() {
      entries = [];
    },
  };
}
