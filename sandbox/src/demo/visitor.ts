import { randomUUID } from "node:crypto";
import { ask } from "./ask.ts";
import { pause } from "./waiting.ts";

export interface Seen {
  id: string;
  from: "visitor" | "agent";
  text?: string;
  files: { id: string; name: string; mediaType: string }[];
  quote?: { id?: string; text?: string };
  suggestions?: { type: string; title: string }[];
  edited: boolean;
  deleted: boolean;
  status: "sent" | "delivered" | "read";
  /** When it arrived here, ms. */
  at: number;
}
interface Draft {
  text?: string;
  files?: { id: string }[];
  quote?: string;
}

/** A visitor of the shop: makes the widget's calls and, like the widget, retries unanswered ones. */
export interface Visitor {
  say(draft: Draft): Promise<string>;
  upload(name: string, mediaType: string, bytes: Uint8Array): Promise<{ id: string }>;
  read(id: string): Promise<void>;
  fetchFile(file: { id: string; name: string }): Promise<Uint8Array>;
  /** In order of arrival. */
  messages(): Seen[];
  /** How many messages arrived again. */
  repeats(): number;
  leave(): void;
}

const PAUSE_MS = 60;
const PATIENCE_MS = 60_000;

export async function enterShop(door: string): Promise<Visitor> {
  const { visitor: token } = (await withRetries(() => post(`${door}/open`, {}))) as { visitor: string };
  const headers = { authorization: `Bearer ${token}` };
  const chat = chatMemory();
  const leave = follow(`${door}/events`, headers, chat);
  return {
    async say(draft) {
      const body = { id: randomUUID(), page: "http://127.0.0.1/shop", ...draft };
      const { id } = (await withRetries(() => post(`${door}/messages`, body, headers))) as { id: string };
      return id;
    },
    upload: async (name, mediaType, bytes) => {
      const init = {
        method: "POST",
        headers: { ...headers, "content-type": mediaType, "x-file-name": encodeURIComponent(name) },
        body: new Blob([bytes as Uint8Array<ArrayBuffer>]),
      };
      return (await withRetries(() => ask(`${door}/files`, init))) as { id: string };
    },
    read: async (id) => void (await withRetries(() => post(`${door}/read`, { id }, headers))),
    fetchFile: async (file) =>
      new Uint8Array(await (await ask(`${door}/files/${file.id}/${encodeURIComponent(file.name)}`)).arrayBuffer()),
    messages: chat.messages,
    repeats: chat.repeats,
    leave,
  };
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Retries until there is an answer. A refusal is final, except 429 and 5xx. */
async function withRetries(act: () => Promise<Response>): Promise<unknown> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const response = await act().catch(() => undefined);
    if (response && response.status < 500 && response.status !== 429) {
      const answer = (await response.json().catch(() => undefined)) as { error?: { message: string } } | undefined;
      if (response.ok && answer) return answer;
      if (!response.ok) throw new Error(`the chat refused: ${response.status} ${answer?.error?.message ?? ""}`);
    }
    if (Date.now() > until) throw new Error("the chat did not answer");
    await pause(PAUSE_MS);
  }
}

interface Entry extends Seen {
  type: "message" | "edited" | "deleted" | "delivered" | "read";
}

function chatMemory() {
  const seen = new Map<string, Seen>();
  let repeated = 0;
  return {
    messages: () => [...seen.values()],
    repeats: () => repeated,
    take(entry: Entry) {
      const known = seen.get(entry.id);
      if (entry.type === "message") {
        if (known) repeated += 1;
        else seen.set(entry.id, { ...entry, edited: false, deleted: false, status: "sent", at: Date.now() });
      } else if (known) {
        if (entry.type === "edited") Object.assign(known, { text: entry.text, edited: true });
        else if (entry.type === "deleted") known.deleted = true;
        else if (known.status !== "read") known.status = entry.type;
      }
    },
  };
}

/** Follows the chat's events, resuming from the cursor after each disconnect. Returns a function that stops it. */
function follow(url: string, headers: Record<string, string>, chat: ReturnType<typeof chatMemory>): () => void {
  let cursor = "0";
  let left = false;
  // A new controller for each try: `fetch` leaves its listener on the signal until collected.
  let stream = new AbortController();
  const read = async () => {
    stream = new AbortController();
    const response = await fetch(url, { headers: { ...headers, "last-event-id": cursor }, signal: stream.signal });
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const found = /^id: (\d+)\ndata: (.*)$/.exec(event);
        if (!found) continue;
        cursor = found[1] ?? cursor;
        chat.take(JSON.parse(found[2] ?? ""));
      }
    }
  };
  const run = async () => {
    while (!left) {
      await read().catch(() => undefined);
      await pause(PAUSE_MS);
    }
  };
  void run();
  return () => {
    left = true;
    stream.abort();
  };
}
