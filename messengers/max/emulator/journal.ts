/** A call and its answer, or a webhook and its answer. Without tokens and secrets. */
export interface JournalEntry {
  at: number;
  kind: "call" | "webhook";
  /** The published `operationId`. */
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
  total(): number;
}

const MAX_ENTRIES = 2_000;

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  let total = 0;
  return {
    add(entry) {
      total += 1;
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES / 2);
    },
    entries: () => [...entries],
    total: () => total,
  };
}
