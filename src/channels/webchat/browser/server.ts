import { type Draft, type Entry, type Opened, Refused, type ShownFile } from "./protocol.ts";

/** The door of one channel. Rejects with Refused when the server says no, with anything else when it is out of reach. */
export interface Server {
  open(visitor: string | null): Promise<Opened>;
  post(visitor: string, draft: Draft): Promise<void>;
  upload(visitor: string, file: File): Promise<ShownFile>;
  read(visitor: string, id: string): Promise<void>;
  /** Follows the chat until `signal` aborts or the line breaks. */
  follow(
    visitor: string,
    cursor: number,
    signal: AbortSignal,
    on: { open(): void; entry(entry: Entry, cursor: number): void },
  ): Promise<void>;
  fileUrl(file: ShownFile): string;
}

/** A stream without even a heartbeat for so long is dead, ms (the server beats every 20 s). */
const SILENCE_MS = 50_000;

export function connectServer(door: string): Server {
  const ask = async <T>(path: string, init: RequestInit, visitor?: string): Promise<T> => {
    const headers = {
      ...(init.headers as Record<string, string>),
      ...(visitor && { authorization: `Bearer ${visitor}` }),
    };
    const response = await fetch(`${door}/${path}`, { ...init, headers, credentials: "omit", cache: "no-store" });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer as T;
    // Busy, stopping, or too fast: try again later. All else is a no.
    if (response.status >= 500 || response.status === 429 || response.status === 408)
      throw new Error(`status ${response.status}`);
    throw new Refused(response.status, answer.error?.message ?? `status ${response.status}`);
  };
  const json = (body: unknown): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return {
    open: (visitor) => ask("open", json(visitor ? { visitor } : {})),
    post: async (visitor, { id, text, files, quote, page }) => {
      await ask("messages", json({ id, text, files: files.map((file) => ({ id: file.id })), quote, page }), visitor);
    },
    upload: (visitor, file) => {
      const headers = {
        "content-type": file.type || "application/octet-stream",
        "x-file-name": encodeURIComponent(file.name),
      };
      return ask("files", { method: "POST", headers, body: file }, visitor);
    },
    read: (visitor, id) => ask("read", json({ id }), visitor),
    follow: (visitor, cursor, signal, on) => follow(door, visitor, cursor, signal, on),
    fileUrl: (file) => `${door}/files/${file.id}/${encodeURIComponent(file.name)}`,
  };
}

const follow: (door: string, ...rest: Parameters<Server["follow"]>) => Promise<void> = async (
  door,
  visitor,
  cursor,
  signal,
  on,
) => {
  const line = new AbortController();
  const cut = () => line.abort();
  signal.addEventListener("abort", cut);
  let silence = setTimeout(cut, SILENCE_MS);
  try {
    const headers = {
      authorization: `Bearer ${visitor}`,
      "last-event-id": String(cursor),
      accept: "text/event-stream",
    };
    const response = await fetch(`${door}/events`, {
      headers,
      signal: line.signal,
      credentials: "omit",
      cache: "no-store",
    });
    if (!response.ok || !response.body)
      throw response.status < 500 ? new Refused(response.status, "") : new Error("no stream");
    on.open();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(cut, SILENCE_MS);
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const found = /^id: (\d+)\ndata: (.*)$/.exec(event);
        if (found) on.entry(JSON.parse(found[2] ?? ""), Number(found[1]));
      }
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", cut);
  }
};
