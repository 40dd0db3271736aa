/** A logged call: no token, no content. */
export interface Call {
  method: string;
  bot: number;
  chat?: string;
  status: number;
  /** Parameters that differ from Telegram's list. */
  faults: string[];
  at: number;
}
export interface Calls {
  add(call: Call): void;
  list(): { total: number; faults: number; entries: Call[] };
  clear(): void;
}

const MAX_ENTRIES = 2000;

export function createCalls(): Calls {
  let entries: Call[] = [];
  let total = 0;
  let faults = 0;
  return {
    add(call) {
      total += 1;
      faults += call.faults.length;
      entries.push(call);
      if (entries.length > MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES / 2);
    },
    list: () => ({ total, faults, entries: [...entries] }),
    clear() {
      entries = [];
      total = 0;
      faults = 0;
    },
  };
}
