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
  type SignedUser,
} from "./protocol.ts";
import { spoken } from "./strings/strings.ts";

/**
 * HTTP client of one channel's door. Rejects with Refused, Busy or Closed only if the response has the server's own error
 * body. Any other error means unreachable, such as a proxy's error page.
 */
export interface Server {
  /** `user`: the shop's own customer, whose chat it then is. */
  open(visitor: string | null, user?: SignedUser): Promise<Opened>;
  /** The page before a position. */
  olderPage(visitor: string, before: number): Promise<HistoryPage>;
  post(visitor: string, draft: Draft): Promise<void>;
  /** `sent`: share of the bytes sent, 0 to 1. */
  upload(visitor: string, file: Blob, name: string, signal: AbortSignal, sent?: Progress): Promise<ShownFile>;
  read(visitor: string, id: string): Promise<void>;
  erase(visitor: string): Promise<void>;
  /** Ends the token. */
  logout(visitor: string): Promise<void>;
  /** Follows the chat until `signal` aborts or the stream breaks. */
  follow(visitor: string, cursor: number, signal: AbortSignal, on: StreamListener): Promise<void>;
  fileUrl(file: ShownFile): string;
}
export type Progress = (share: number) => void;
export interface StreamListener {
  /** The first bytes have arrived. */
  open(): void;
  /** Entries that arrived together, with their positions. */
  entries(all: [Entry, number][]): void;
}

/** A stream without a heartbeat, or without a first byte, counts as dead after this, ms. The server sends one every 35 s. */
const [SILENCE_MS, FIRST_BYTE_MS] = [75_000, 10_000];
/** Longest Retry-After that is obeyed, and the default, ms. */
const [MAX_RETRY_MS, DEFAULT_RETRY_MS] = [60_000, 5_000];
/** Timeouts of a request and of an upload, ms. The server cuts uploads after 120 s. */
const [TIMEOUT_MS, UPLOAD_MS] = [20_000, 150_000];

interface CallOptions<T> extends RequestInit {
  visitor?: string;
  timeoutMs?: number;
  /** Whether the body is a valid response to this request. */
  isValid(body: T): boolean;
}

/** Posts a file and reports progress, which `fetch` cannot. */
export type PostFile = (url: string, upload: Upload) => Promise<ShownFile>;
export interface Upload {
  headers: Record<string, string>;
  file: Blob;
  signal: AbortSignal;
  sent: Progress;
  timeoutMs: number;
}

export function connectServer(door: string, fetch: typeof globalThis.fetch, postFile?: PostFile): Server {
  const send = <T>(path: string, options: CallOptions<T>) => call(fetch, `${door}/${path}`, options);
  const json = <T>(path: string, body: unknown, isValid: (answer: T) => boolean, visitor?: string): Promise<T> => {
    const headers = { "content-type": "application/json" };
    return send<T>(path, { method: "POST", headers, body: JSON.stringify(body), visitor, isValid });
  };
  return {
    open: (visitor, user) =>
      json<Opened>(
        "open",
        { visitor: visitor ?? undefined, user },
        (answer) => !!answer.visitor && !!answer.limits && Array.isArray(answer.history),
      ),
    olderPage: (visitor, before) =>
      send<HistoryPage>(`history?before=${before}`, { visitor, isValid: (answer) => Array.isArray(answer.history) }),
    async post(visitor, { files, quote, ...draft }) {
      const { id, text, answers, page, title, contact, utm } = draft;
      const about = { answers, page, title, contact, utm };
      const body = { id, text, files: files.map((file) => ({ id: file.id })), quote: quote?.id, ...about };
      // Only a response with the message's own id acknowledges it.
      await json<{ id: string }>("messages", body, (answer) => answer.id === messageId(visitor, id), visitor);
    },
    upload(visitor, file, name, signal, sent) {
      const type = file.type || "application/octet-stream";
      const headers = { "content-type": type, "x-file-name": encodeURIComponent(name) };
      if (sent && postFile) {
        const all = { ...headers, ...bearer(visitor), "accept-language": spoken };
        return postFile(`${door}/files`, { headers: all, file, signal, sent, timeoutMs: UPLOAD_MS });
      }
      const options = { method: "POST", headers, body: file, signal, visitor, timeoutMs: UPLOAD_MS };
      return send<ShownFile>("files", { ...options, isValid: (answer) => !!answer.id });
    },
    async read(visitor, id) {
      await json<{ id: string }>("read", { id }, (answer) => answer.id === id, visitor);
    },
    async erase(visitor) {
      await json<object>("erase", {}, () => true, visitor);
    },
    async logout(visitor) {
      await json<object>("logout", {}, () => true, visitor);
    },
    follow: (visitor, cursor, signal, on) => follow(fetch, `${door}/events`, { visitor, cursor, signal, on }),
    fileUrl: (file) => `${door}/files/${file.id}/${encodeURIComponent(file.name)}`,
  };
}

/** No cookies (the token is in a header) and no cache. */
const PLAIN = { credentials: "omit", cache: "no-store" } as const;

async function call<T>(fetch: typeof globalThis.fetch, url: string, options: CallOptions<T>): Promise<T> {
  const { visitor, timeoutMs = TIMEOUT_MS, isValid, signal, ...init } = options;
  const headers = {
    "accept-language": spoken,
    ...(init.headers as Record<string, string>),
    ...bearer(visitor),
  };
  const { end, timer } = withTimeout(signal, timeoutMs);
  try {
    const response = await fetch(url, { ...init, ...PLAIN, headers, signal: end.signal });
    const answer = await jsonOf<T>(response);
    if (response.ok && answer && isValid(answer)) return answer;
    throw errorFrom(response, answer);
  } finally {
    clearTimeout(timer);
  }
}

function withTimeout(signal: AbortSignal | null | undefined, ms: number) {
  const end = new AbortController();
  const cut = () => end.abort();
  signal?.addEventListener("abort", cut);
  if (signal?.aborted) cut();
  return { end, timer: setTimeout(cut, ms) };
}

const jsonOf = <T>(response: Response) => response.json().catch(() => undefined) as Promise<T | undefined>;

const bearer = (visitor: string | undefined): Record<string, string> =>
  visitor ? { authorization: `Bearer ${visitor}` } : {};

/** Of `fetch`, or of an XMLHttpRequest. */
interface Answered {
  status: number;
  headers: Pick<Headers, "get">;
}

/** Without the server's own error body any status means unreachable. */
export function errorFrom({ status, headers }: Answered, answer: unknown): Error {
  const { code, message } = (answer as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  if (typeof message !== "string" || !message || status < 400) return new Error(`status ${status}`);
  if (status === 403) return new Closed("elsewhere", message);
  if (status === 404 || status === 410 || code === "unknown-door") return new Closed("closed", message);
  const after = Number(headers.get("retry-after")) * 1000;
  if (status === 429 || status === 503)
    return new Busy(message, after > 0 ? Math.min(MAX_RETRY_MS, after) : DEFAULT_RETRY_MS);
  return status >= 500 || status === 408 ? new Error(message) : new Refused(status, message);
}

interface Follow {
  visitor: string;
  cursor: number;
  signal: AbortSignal;
  on: StreamListener;
}

async function follow(fetch: typeof globalThis.fetch, url: string, { visitor, cursor, signal, on }: Follow) {
  const { end, timer } = withTimeout(signal, FIRST_BYTE_MS);
  let silence = timer;
  const onBytes = () => {
    if (silence === timer) on.open();
    clearTimeout(silence);
    silence = setTimeout(() => end.abort(), SILENCE_MS);
  };
  try {
    const headers = { ...bearer(visitor), "last-event-id": String(cursor), accept: "text/event-stream" };
    const response = await fetch(url, { ...PLAIN, headers, signal: end.signal });
    if (!response.ok) throw errorFrom(response, await jsonOf(response));
    if (response.body && /^text\/event-stream/.test(response.headers.get("content-type") ?? ""))
      await readEvents(response.body, on, onBytes);
  } finally {
    clearTimeout(silence);
    end.abort();
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, on: StreamListener, onBytes: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    const found = events.flatMap(entryIn);
    if (found.length > 0) on.entries(found);
  }
}

/** Skips a mangled event; the history has it on the next visit. */
function entryIn(event: string): [Entry, number][] {
  const [, position, data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(event) ?? [];
  const entry = parsed<Entry>(data);
  return position && entry?.type ? [[entry, Number(position)]] : [];
}
