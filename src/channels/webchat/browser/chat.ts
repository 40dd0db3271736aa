import { type Draft, type Entry, type MessageEntry, type Opened, Refused, type ShownFile } from "./protocol.ts";
import type { Server } from "./server.ts";

/** A message as it is shown: entries folded together, with the drafts at the end. */
export interface Shown extends MessageEntry {
  edited: boolean;
  deleted: boolean;
  status: "sending" | "refused" | "sent" | "delivered" | "read";
  refused?: string;
}
export interface Chat {
  opened(): Opened | undefined;
  messages(): Shown[];
  online(): boolean;
  unread(): Shown[];
  say(text: string, files: ShownFile[], quote?: string): void;
  retry(id: string): void;
  discard(id: string): void;
  upload(file: File): Promise<ShownFile>;
  markRead(): void;
}
export interface Memory {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** The conversation: what the server has told, what still has to reach it. `changed` is called after each change. */
export function startChat(server: Server, memory: Memory, changed: () => void): Chat {
  const known = new Map<string, Shown>();
  const read = new Set<string>();
  let drafts: Draft[] = JSON.parse(memory.get("drafts") ?? "[]");
  let opened: Opened | undefined;
  let cursor = 0;
  let online = false;
  let posting = false;

  const keep = (next: Draft[]) => {
    drafts = next;
    memory.set("drafts", JSON.stringify(drafts));
    changed();
  };
  const take = (entry: Entry) => {
    if (entry.type === "message") {
      if (!known.has(entry.id)) known.set(entry.id, { ...entry, edited: false, deleted: false, status: "sent" });
      const left = drafts.filter((draft) => !entry.id.endsWith(`.${draft.id}`));
      if (left.length < drafts.length) keep(left);
      return;
    }
    const message = known.get(entry.id);
    if (!message) return;
    if (entry.type === "edited") Object.assign(message, { text: entry.text, edited: true });
    else if (entry.type === "deleted") message.deleted = true;
    else if (entry.type === "read" || message.status !== "read") message.status = entry.type;
  };
  const post = async () => {
    if (posting || !opened) return;
    posting = true;
    let pause = FIRST_PAUSE_MS;
    for (let next = drafts.find((d) => !d.refused); next; next = drafts.find((d) => !d.refused)) {
      const draft = next;
      try {
        await server.post(opened.visitor, draft);
        pause = FIRST_PAUSE_MS;
        // The stream usually brings it first; where it is away, it is shown from here until it is back.
        const { id, text, files, quote, at } = draft;
        take({
          type: "message",
          from: "visitor",
          id: `${opened.visitor.split(".")[0]}.${id}`,
          text,
          files,
          quote: quote ? { id: quote } : undefined,
          at,
        });
        changed();
      } catch (error) {
        if (error instanceof Refused)
          keep(drafts.map((d) => (d.id === draft.id ? { ...d, refused: (error as Error).message } : d)));
        else await sleep(pause);
        pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
      }
    }
    posting = false;
  };
  const run = async () => {
    let pause = FIRST_PAUSE_MS;
    for (;;) {
      try {
        if (!opened) {
          opened = await server.open(memory.get("visitor"));
          memory.set("visitor", opened.visitor);
          cursor = opened.cursor;
          opened.history.forEach(take);
          changed();
        }
        void post();
        await server.follow(opened.visitor, cursor, new AbortController().signal, {
          open() {
            online = true;
            pause = FIRST_PAUSE_MS;
            changed();
          },
          entry(entry, at) {
            cursor = at;
            take(entry);
            changed();
          },
        });
      } catch (error) {
        if (error instanceof Refused && error.status === 403) return;
        // The token is no longer known: begin as a new visitor.
        if (error instanceof Refused && error.status === 401) opened = undefined;
      }
      online = false;
      changed();
      await sleep(pause * (0.5 + Math.random()));
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };
  void run();

  const fromDraft = (draft: Draft): Shown => ({
    type: "message",
    from: "visitor",
    id: draft.id,
    text: draft.text,
    files: draft.files,
    quote: draft.quote ? { id: draft.quote } : undefined,
    at: draft.at,
    edited: false,
    deleted: false,
    status: draft.refused ? "refused" : "sending",
    refused: draft.refused,
  });
  const unread = () =>
    [...known.values()].filter(
      (m) => m.from === "agent" && !m.deleted && !read.has(m.id) && (memory.get("read") ?? "") < readMark(m),
    );
  return {
    opened: () => opened,
    online: () => online,
    messages: () => [...known.values(), ...drafts.map(fromDraft)],
    unread,
    say(text, files, quote) {
      keep([...drafts, { id: newUuid(), text: text || undefined, files, quote, page: location.href, at: Date.now() }]);
      void post();
    },
    retry(id) {
      keep(drafts.map((draft) => (draft.id === id ? { ...draft, refused: undefined } : draft)));
      void post();
    },
    discard: (id) => keep(drafts.filter((draft) => draft.id !== id)),
    upload: (file) => (opened ? server.upload(opened.visitor, file) : Promise.reject(new Error("not open"))),
    markRead() {
      const news = unread();
      const { visitor } = opened ?? {};
      const last = news.at(-1);
      if (!visitor || !last) return;
      for (const message of news) {
        read.add(message.id);
        server.read(visitor, message.id).catch(() => read.delete(message.id));
      }
      memory.set("read", readMark(last));
      changed();
    },
  };
}

/** Sorts by time, so that one remembered mark tells all that was read before a reload. */
const readMark = (message: MessageEntry) => String(message.at).padStart(16, "0");
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `crypto.randomUUID` is missing on pages without https. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 15) | 64;
  bytes[8] = ((bytes[8] ?? 0) & 63) | 128;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
