import { parsed } from "./json.ts";
import {
  Busy,
  Closed,
  type Draft,
  type Entry,
  type HistoryPage,
  messageId,
  type Opened,
  Refused,
  type ShownFile,
} from "./protocol.ts";

/**
 * The door of one channel. Rejects with Refused, Busy or Closed only on the server's own error body. Any other error means out of
 * reach: a proxy's page neither refuses nor accepts anything.
 */
export interface Server {
  open(visitor: string | null): Promise<Opened>;
  /** The page before a position. */
  past(visitor: string, before: number): Promise<HistoryPage>;
  post(visitor: string, draft: Draft): Promise<void>;
  upload(visitor: string, file: Blob, name: string, signal: AbortSignal): Promise<ShownFile>;
  read(visitor: string, id: string): Promise<void>;
  /** Follows the chat until `signal` aborts or the stream breaks. */
  follow(visitor: string, cursor: number, signal: AbortSignal, on: Following): Promise<void>;
  fileUrl(file: ShownFile): string;
}
export interface Following {
  /** The first sign of life. */
  open(): void;
  /** Entries that arrived together, with their positions. */
  entries(all: [Entry, number][]): void;
}

/** A stream is dead without a heartbeat for so long, ms (the server beats every 20 s), or without a first byte. */
const [SILENCE_MS, FIRST_WORD_MS] = [50_000, 10_000];
/** The longest Retry-After that is obeyed, and the wait where there is none, ms. */
const [LONGEST_MS, SOON_MS] = [60_000, 5_000];
/** A request is given up after so long, ms; an upload after the server itself would have cut it (120 s). */
const [PATIENCE_MS, UPLOAD_MS] = [20_000, 150_000];

interface Question<T> extends RequestInit {
  visitor?: string;
  patience?: number;
  /** Whether the body is an answer to this question. */
  fits(answer: T): boolean;
}

export function connectServer(door: string, fetch: typeof globalThis.fetch): Server {
  const ask = <T>(path: string, question: Question<T>) => call(fetch, `${door}/${path}`, question);
  const json = <T>(path: string, body: unknown, fits: (answer: T) => boolean, visitor?: string): Promise<T> => {
    const headers = { "content-type": "application/json" };
    return ask<T>(path, { method: "POST", headers, body: JSON.stringify(body), visitor, fits });
  };
  return {
    open: (visitor) =>
      json<Opened>(
        "open",
        visitor ? { visitor } : {},
        (answer) => !!answer.visitor && !!answer.limits && Array.isArray(answer.history),
      ),
    past: (visitor, before) =>
      ask<HistoryPage>(`history?before=${before}`, { visitor, fits: (answer) => Array.isArray(answer.history) }),
    async post(visitor, { id, text, files, quote, answers, page, utm }) {
      const body = { id, text, files: files.map((file) => ({ id: file.id })), quote: quote?.id, answers, page, utm };
      // Only the message's own id acknowledges it.
      await json<{ id: string }>("messages", body, (answer) => answer.id === messageId(visitor, id), visitor);
    },
    upload(visitor, file, name, signal) {
      const type = file.type || "application/octet-stream";
      const headers = { "content-type": type, "x-file-name": encodeURIComponent(name) };
      const question = { method: "POST", headers, body: file, signal, visitor, patience: UPLOAD_MS };
      return ask<ShownFile>("files", { ...question, fits: (answer) => !!answer.id });
    },
    async read(visitor, id) {
      await json<{ id: string }>("read", { id }, (answer) => answer.id === id, visitor);
    },
    follow: (visitor, cursor, signal, on) => follow(fetch, `${door}/events`, { visitor, cursor, signal, on }),
    fileUrl: (file) => `${door}/files/${file.id}/${encodeURIComponent(file.name)}`,
  };
}

/** No cookies, and nothing from a cache: the token is in a header and the answers change. */
const PLAIN = { credentials: "omit", cache: "no-store" } as const;

async function call<T>(fetch: typeof globalThis.fetch, url: string, question: Question<T>): Promise<T> {
  const { visitor, patience = PATIENCE_MS, fits, signal, ...init } = question;
  const headers = { ...(init.headers as Record<string, string>), ...bearer(visitor) };
  const { end, timer } = cutBy(signal, patience);
  try {
    const response = await fetch(url, { ...init, ...PLAIN, headers, signal: end.signal });
    const answer = await jsonOf<T>(response);
    if (response.ok && answer && fits(answer)) return answer;
    throw noAnswer(response, answer);
  } finally {
    clearTimeout(timer);
  }
}

function cutBy(signal: AbortSignal | null | undefined, ms: number) {
  const end = new AbortController();
  const cut = () => end.abort();
  signal?.addEventListener("abort", cut);
  if (signal?.aborted) cut();
  return { end, timer: setTimeout(cut, ms) };
}

const jsonOf = <T>(response: Response) => response.json().catch(() => undefined) as Promise<T | undefined>;

const bearer = (visitor: string | undefined): Record<string, string> =>
  visitor ? { authorization: `Bearer ${visitor}` } : {};

/** Without the server's own error body it is weather, whatever the status. */
function noAnswer({ status, headers }: Response, answer: unknown): Error {
  const { code, message } = (answer as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  if (typeof message !== "string" || !message || status < 400) return new Error(`status ${status}`);
  if (status === 403) return new Closed("elsewhere", message);
  if (status === 404 || status === 410 || code === "unknown-door") return new Closed("closed", message);
  const after = Number(headers.get("retry-after")) * 1000;
  if (status === 429 || status === 503) return new Busy(message, after > 0 ? Math.min(LONGEST_MS, after) : SOON_MS);
  return status >= 500 || status === 408 ? new Error(message) : new Refused(status, message);
}

interface Follow {
  visitor: string;
  cursor: number;
  signal: AbortSignal;
  on: Following;
}

async function follow(fetch: typeof globalThis.fetch, url: string, { visitor, cursor, signal, on }: Follow) {
  const { end, timer } = cutBy(signal, FIRST_WORD_MS);
  let silence = timer;
  const hear = () => {
    if (silence === timer) on.open();
    clearTimeout(silence);
    silence = setTimeout(() => end.abort(), SILENCE_MS);
  };
  try {
    const headers = { ...bearer(visitor), "last-event-id": String(cursor), accept: "text/event-stream" };
    const response = await fetch(url, { ...PLAIN, headers, signal: end.signal });
    if (!response.ok) throw noAnswer(response, await jsonOf(response));
    if (response.body && /^text\/event-stream/.test(response.headers.get("content-type") ?? ""))
      await readEvents(response.body, on, hear);
  } finally {
    clearTimeout(silence);
    end.abort();
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, on: Following, hear: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    hear();
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    const found = events.flatMap(entryIn);
    if (found.length > 0) on.entries(found);
  }
}

/** An event that was mangled on the way is skipped; the history has it at the next visit. */
function entryIn(event: string): [Entry, number][] {
  const [, position, data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(event) ?? [];
  const entry = parsed<Entry>(data);
  return position && entry?.type ? [[entry, Number(position)]] : [];
}
