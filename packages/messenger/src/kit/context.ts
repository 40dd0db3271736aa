import { type Clock, systemClock } from "../clock.ts";
import { DeliveryError } from "../errors.ts";
import {
  FileTooLarge,
  type HostedContext,
  type HostedReceipt,
  type Journal,
  type JournalRecord,
  type KeptFiles,
  type PageLimit,
} from "../hosted.ts";
import { type ChannelId, newId } from "../ids.ts";
import type { ChannelEvent, OpenFile } from "../message.ts";
import type { Note } from "../port.ts";

export const streamOf = (bytes: Uint8Array | string): ReadableStream<Uint8Array> =>
  new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]).stream();

export interface MemoryJournal extends Journal {
  /** Number of current watchers. */
  watchers(): number;
  /** Makes every call fail, or work again. */
  broken(error?: Error): void;
}

/** As many as the limit allows, at least one. */
function portion(records: JournalRecord[], { entries, bytes }: PageLimit): JournalRecord[] {
  let size = 0;
  const over = records.findIndex(({ entry }, n) => {
    size += Buffer.byteLength(JSON.stringify(entry));
    return n >= entries || (n > 0 && size > bytes);
  });
  return over < 0 ? records : records.slice(0, over);
}

const keyOf = (key: string, of: string | undefined) => (of === undefined ? key : `${JSON.stringify(of)} ${key}`);

/** A journal in memory that keeps the promises of the port. */
export function memoryJournal(clock: Clock = systemClock): MemoryJournal {
  const records: (JournalRecord & { chat: string; key: string })[] = [];
  const keys = new Set<string>();
  const waiting = new Map<string, Set<() => void>>();
  let fault: Error | undefined;
  const of = (chat: string) => records.filter((record) => record.chat === chat);
  const works = async () => {
    if (fault) throw fault;
  };
  return {
    async append(entries) {
      await works();
      for (const { chat, key: own, of: about, entry } of entries) {
        const key = keyOf(own, about);
        if (keys.has(key)) continue;
        keys.add(key);
        // Copies, as a database would.
        const copy = JSON.parse(JSON.stringify(entry));
        records.push({ chat, key, position: records.length + 1, at: clock.now(), entry: copy });
      }
      for (const chat of new Set(entries.map((entry) => entry.chat)))
        for (const wake of waiting.get(chat) ?? []) wake();
    },
    async after(chat, position, most) {
      await works();
      const later = of(chat).filter((record) => record.position > position);
      return portion(later, most);
    },
    async latest(chat, most, before = Number.POSITIVE_INFINITY) {
      await works();
      const earlier = of(chat).filter(({ position }) => position < before);
      return portion(earlier.reverse(), most).reverse();
    },
    async under(chat, own, about) {
      await works();
      const key = keyOf(own, about);
      return of(chat).filter((record) => record.key === key || record.key.startsWith(`${key}:`));
    },
    watch(chat, wake) {
      waiting.set(chat, (waiting.get(chat) ?? new Set()).add(wake));
      return () => void waiting.get(chat)?.delete(wake);
    },
    watchers: () => [...waiting.values()].reduce((sum, set) => sum + set.size, 0),
    broken(error) {
      fault = error;
    },
  };
}

export function memoryFiles(): KeptFiles & { count(): number } {
  const kept = new Map<string, Omit<OpenFile, "body"> & { bytes: Uint8Array }>();
  return {
    count: () => kept.size,
    async keep({ body, ...about }, maxBytes) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new FileTooLarge(maxBytes);
        chunks.push(chunk);
      }
      const id = newId<string>();
      kept.set(id, { ...about, size, bytes: Buffer.concat(chunks) });
      return { id, size };
    },
    async open(id) {
      const file = kept.get(id);
      if (!file) return undefined;
      const { bytes, ...about } = file;
      return { ...about, body: streamOf(bytes) };
    },
  };
}

/** A session context in memory, without the server. */
export function memoryContext<Settings>(settings: Settings, clock: Clock = systemClock) {
  const journal = memoryJournal(clock);
  const keptFiles = memoryFiles();
  const atGateway = new Map<string, () => OpenFile>();
  const events = new Map<string, ChannelEvent>();
  const notes = new Map<string, string>();
  const context: HostedContext<Settings> = {
    channelId: "channel" as ChannelId,
    name: "Shop chat",
    doorUrl: "https://gangway.example/m/door",
    openedAt: clock.now(),
    settings,
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no network in this test" }),
    clock,
    journal,
    keptFiles,
    streams: { hasRoom: () => true, take: () => () => {} },
    closed: new AbortController().signal,
    server: { updates: "webhook" },
    notes: {
      get: async (key: string) => notes.get(key),
      set: async (all: Note[]) => {
        for (const { key, value, merge } of all)
          if (merge) notes.set(key, JSON.stringify({ ...JSON.parse(notes.get(key) ?? "{}"), ...JSON.parse(value) }));
          else if (value === "") notes.delete(key);
          else notes.set(key, value);
      },
    },
    gatewayFile: async (id) => {
      const file = atGateway.get(id);
      if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "no such file");
      const { body, ...known } = file();
      await body.cancel();
      return { ...known, url: `https://gateway.example/${id}`, open: async () => file() };
    },
  };
  /** Commits a receipt as the relay does: each event once, with its journal entries. */
  const commit = async (receipt: Partial<HostedReceipt>) => {
    const fresh = (receipt.events ?? []).filter((event) => !events.has(event.key));
    for (const event of fresh) events.set(event.key, event);
    // Store notes first: listeners woken by the journal read them.
    if (receipt.notes?.length) await context.notes.set(receipt.notes);
    await journal.append(receipt.journal ?? []);
    if (fresh.length > 0) receipt.onStored?.();
  };
  return { context, journal, keptFiles, atGateway, events, commit };
}
