/** Every outgoing request goes through one injected `Call`; `calls/outgoing.ts` implements it. */
export type Call = (request: CallRequest) => Promise<CallResult>;

export interface CallRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormBody | ReadableStream<Uint8Array>;
  /** Deadline of the whole call, from the first byte out to the last byte in. */
  timeoutMs: number;
  /** Maximum size of the answer, bytes after decompression. Default 1 MiB. */
  maxBytes?: number;
  /** Return the body as a stream instead of bytes; size limit and deadline still apply. */
  stream?: boolean;
  /** A long poll: it gets a socket of its own, so that no other call waits behind it. */
  waiting?: boolean;
  signal?: AbortSignal;
}

/** A multipart form. Each file is opened when the one before it has been sent. */
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
  /** Empty if `stream` was requested. */
  bytes: Uint8Array;
  stream?: ReadableStream<Uint8Array>;
}

/** No usable answer. `sent`: may the other side have acted on it? `source`: reading the request body failed. */
export interface CallFailure {
  type: "failure";
  sent: "no" | "perhaps";
  reason: "blocked" | "refused" | "timeout" | "reset" | "too-large" | "aborted" | "source" | "source-too-large";
  /** For the log: host and cause; never a path, header or body. */
  detail: string;
}

const utf8 = new TextDecoder();
export const answerText = (answer: Answer): string => utf8.decode(answer.bytes);

/** Undefined if the body is not JSON. */
export function answerJson(answer: Answer): unknown {
  try {
    return JSON.parse(answerText(answer));
  } catch {
    return undefined;
  }
}

/** Bounds on `Retry-After`, ms: an extreme value is not trusted. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [1_000, 600_000];

/** The `Retry-After` header (seconds or an HTTP date) in ms, clamped; undefined if absent or invalid. */
export function retryAfterMs(answer: Answer, now: number): number | undefined {
  const value = answer.headers["retry-after"];
  if (!value) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, ms)) : undefined;
}
