/** A call and its answer, a webhook and its answer, or a handshake. Without tokens and secrets. */
export interface JournalEntry {
  at: number;
  kind: "call" | "webhook" | "handshake";
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
  observe(listener: (entry: JournalEntry) => void): void;
  clear(): void;
}

const MAX_ENTRIES = 2_000;

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  let total = 0;
  const listeners: ((entry: JournalEntry) => void)[] = [];
  return {
    add(entry) {
      total += 1;
      entries.push(entry);
      if (entries.length > MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES / 2);
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

const SECRETS = [
  "access_token",
  "client_secret",
  "fb_exchange_token",
  "input_token",
  "verify_token",
  "hub.verify_token",
  "code",
];

export const withoutSecrets = <Value>(fields: Record<string, Value>): Record<string, Value | string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, SECRETS.includes(name) ? "***" : value]));
