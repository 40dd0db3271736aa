/** Every request that leaves the house goes through one `Call`; `calls/outgoing.ts` makes it, everyone else is given it. */
export type Call = (request: CallRequest) => Promise<CallResult>;

export interface CallRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormBody | ReadableStream<Uint8Array>;
  /** The whole call, from the first byte out to the last byte in. */
  timeoutMs: number;
  /** Most bytes of the answer that are read, counted after decompression. Default 1 MiB. */
  maxBytes?: number;
  /** Give the answer's body as a stream instead of bytes; the cap and the deadline hold all the same. */
  stream?: boolean;
  /** Its answer may well not come for half a minute: it gets a socket that nobody else waits for. */
  waiting?: boolean;
  signal?: AbortSignal;
}

/** A multipart form. Files are opened one after another, when their turn comes. */
export interface FormBody {
  fields?: Record<string, string>;
  files: FormFile[];
}
export interface FormFile {
  field: string;
  fileName: string;
  mediaType: string;
  bytes: ReadableStream<Uint8Array> | Uint8Array | (() => Promise<ReadableStream<Uint8Array>>);
}

export type CallResult = Answer | CallFailure;

export interface Answer {
  type: "answer";
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Empty when `stream` was asked for. */
  bytes: Uint8Array;
  stream?: ReadableStream<Uint8Array>;
}

/** No usable answer. `sent` tells whether the other side may have acted on the request; a `source` is what its body was read from. */
export interface CallFailure {
  type: "failure";
  sent: "no" | "perhaps";
  reason: "blocked" | "refused" | "timeout" | "reset" | "too-large" | "aborted" | "source" | "source-too-large";
  /** For a log: host and cause; never a path, a header or a body. */
  detail: string;
}

export const answerText = (answer: Answer): string => new TextDecoder().decode(answer.bytes);

/** The body as JSON; undefined when it is none. */
export function answerJson(answer: Answer): unknown {
  try {
    return JSON.parse(answerText(answer));
  } catch {
    return undefined;
  }
}

/** A wish to be asked again at once, or in a day, is not taken at its word, ms. */
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [1_000, 600_000];

/** Milliseconds a `Retry-After` header asks for (seconds or an HTTP date), within reason, if it is there. */
export function retryAfterMs(answer: Answer, now: number): number | undefined {
  const value = answer.headers["retry-after"];
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, ms)) : undefined;
}
