import { Busy, type Draft, type Entry, type Opened, Refused, type ShownFile } from "./protocol.ts";

/** The door of one channel. Rejects with Refused when the server says no, with anything else when it is out of reach. */
export interface Server {
  open(visitor: string | null): Promise<Opened>;
  post(visitor: string, draft: Draft): Promise<void>;
  upload(visitor: string, file: Blob, name: string, signal: AbortSignal): Promise<ShownFile>;
  read(visitor: string, id: string): Promise<void>;
  /** Follows the chat until `signal` aborts or the line breaks. */
  follow(visitor: string, cursor: number, signal: AbortSignal, on: Following): Promise<void>;
  fileUrl(file: ShownFile): string;
}
export interface Following {
  open(): void;
  entry(entry: Entry, position: number): void;
}

/** A line without even a heartbeat for so long is dead, ms (the server beats every 20 s). */
const SILENCE_MS = 50_000;
/** Longest wait that a busy server is given at its word, ms. */
const LONGEST_MS = 60_000;
/** A small request without an answer for so long is given up and repeated, ms. */
const PATIENCE_MS = 20_000;

export function connectServer(door: string, fetch: typeof globalThis.fetch): Server {
  const ask = <T>(path: string, init: RequestInit, visitor?: string) =>
    call<T>(fetch, `${door}/${path}`, init, visitor);
  const json = <T>(path: string, body: unknown, visitor?: string): Promise<T> => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body), signal: patience.signal };
    return ask<T>(path, init, visitor).finally(() => clearTimeout(timer));
  };
  return {
    open: (visitor) => json("open", visitor ? { visitor } : {}),
    async post(visitor, { id, text, files, quote, page }) {
      const body = { id, text, files: files.map((file) => ({ id: file.id })), quote: quote?.id, page };
      await json("messages", body, visitor);
    },
    upload(visitor, file, name, signal) {
      const type = file.type || "application/octet-stream";
      const headers = { "content-type": type, "x-file-name": encodeURIComponent(name) };
      return ask("files", { method: "POST", headers, body: file, signal }, visitor);
    },
    read: (visitor, id) => json("read", { id }, visitor),
    follow: (visitor, cursor, signal, on) => follow(fetch, `${door}/events`, { visitor, cursor, signal, on }),
    fileUrl: (file) => `${door}/files/${file.id}/${encodeURIComponent(file.name)}`,
  };
}

/** No cookies, and nothing from a cache: the token is in a header and the answers change. */
const PLAIN = { credentials: "omit", cache: "no-store" } as const;

async function call<T>(fetch: typeof globalThis.fetch, url: string, init: RequestInit, visitor?: string): Promise<T> {
  const headers = { ...(init.headers as Record<string, string>), ...bearer(visitor) };
  const response = await fetch(url, { ...init, ...PLAIN, headers });
  const answer = (await response.json().catch(() => undefined)) as (T & { error?: { message?: string } }) | undefined;
  if (response.ok && answer) return answer;
  throw noAnswer(response, answer?.error?.message);
}

const bearer = (visitor: string | undefined): Record<string, string> =>
  visitor ? { authorization: `Bearer ${visitor}` } : {};

/** Busy, stopping, or too fast, or a proxy's page in place of an answer: try again later. All else is a no. */
function noAnswer({ status, headers }: Response, message = `status ${status}`): Error {
  const after = Number(headers.get("retry-after"));
  if ((status === 429 || status === 503) && after > 0) return new Busy(message, Math.min(LONGEST_MS, after * 1000));
  const later = status < 400 || status >= 500 || status === 429 || status === 408;
  return later ? new Error(message) : new Refused(status, message);
}

interface Follow {
  visitor: string;
  cursor: number;
  signal: AbortSignal;
  on: Following;
}

async function follow(fetch: typeof globalThis.fetch, url: string, { visitor, cursor, signal, on }: Follow) {
  const line = new AbortController();
  const cut = () => line.abort();
  let silence = setTimeout(cut, SILENCE_MS);
  signal.addEventListener("abort", cut);
  if (signal.aborted) cut();
  try {
    const headers = { ...bearer(visitor), "last-event-id": String(cursor), accept: "text/event-stream" };
    const response = await fetch(url, { ...PLAIN, headers, signal: line.signal });
    if (!response.ok || !response.body) throw noAnswer(response);
    on.open();
    await readEvents(response.body, on, () => {
      clearTimeout(silence);
      silence = setTimeout(cut, SILENCE_MS);
    });
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", cut);
    cut();
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, on: Following, heard: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const found = /^id: (\d+)\ndata: (.*)$/.exec(event);
      if (found) on.entry(JSON.parse(found[2] ?? ""), Number(found[1]));
    }
  }
}
