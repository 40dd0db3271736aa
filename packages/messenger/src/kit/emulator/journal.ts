/** A call and its answer, a webhook and its answer, or a handshake. Without tokens and secrets. */
export interface JournalEntry {
  at: number;
  kind: "call" | "webhook" | "handshake";
  /** By its published name. */
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
  observe(listener: (entry: JournalEntry) => void): void;
  clear(): void;
}

/** `most`: the older half goes when there are more. */
export function createJournal(most = 2_000): Journal {
  let entries: JournalEntry[] = [];
  let total = 0;
  const listeners: ((entry: JournalEntry) => void)[] = [];
  return {
    add(entry) {
      total += 1;
      entries.push(entry);
      if (entries.length > most) entries = entries.slice(-most / 2);
      for (const listener of listeners) listener(entry);
    },
    entries: () => [...entries],
    total: () => total,
    observe: (listener) => void listeners.push(listener),
    clear() {
      entries = [];
      total = 0;
    },
  };
}
