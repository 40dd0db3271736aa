import { DeliveryError } from "./errors.ts";

/** Every outgoing request goes through one injected `Call`; `calls/outgoing.ts` implements it. */
export type Call = (request: CallRequest) => Promise<CallResult>;

/** Largest answer of a call that says no other, bytes. */
export const MAX_ANSWER = 1024 * 1024;

export interface CallRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormBody | ReadableStream<Uint8Array>;
  /** Deadline of the whole call, from connecting to the last byte of the answer. */
  timeoutMs: number;
  /** Maximum size of the answer, bytes after decompression, also of a stream. Default `MAX_ANSWER`: give a file's own. */
  maxBytes?: number;
  /** Return the body as a stream instead of bytes; size limit and deadline still apply. */
  stream?: boolean;
  /** Settles with status and headers as soon as they arrive, whatever the body; `bytes` is empty. */
  statusOnly?: boolean;
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
  /** Empty if `stream` or `statusOnly` was requested. */
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

// A proxy may answer a file request with an error page, or with half of the file.

/** Whether the answer is an HTML page although another type of file was expected. */
export function isHtmlPage({ headers }: Answer, expected: { mediaType?: string; name?: string }): boolean {
  const html = /^(text\/html|application\/xhtml)/i;
  if (!html.test(headers["content-type"] ?? "")) return false;
  return !html.test(expected.mediaType ?? "") && !/\.x?html?$/i.test(expected.name ?? "");
}

/** Passes the bytes through; fails with a DeliveryError if their number is not `size`. */
export function expectSize(body: ReadableStream<Uint8Array>, size: number | undefined): ReadableStream<Uint8Array> {
  if (!size) return body;
  let seen = 0;
  const wrong = () => DeliveryError.foreign(`the file does not have the announced ${size} bytes`, 200);
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > size) controller.error(wrong());
      else controller.enqueue(chunk);
    },
    flush(controller) {
      if (seen !== size) controller.error(wrong());
    },
  });
  return body.pipeThrough(count);
}

/** Maximum number of bytes read of a refusal. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** A streamed answer with the start of its body as bytes: for refusals, which are not files. */
export async function withBufferedBody(answer: Answer): Promise<Answer> {
  if (!answer.stream) return answer;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.stream) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // A body that breaks off is no refusal.
    return { ...answer, bytes: new Uint8Array(), stream: undefined };
  }
  return { ...answer, bytes: Buffer.concat(chunks), stream: undefined };
}

/** Limits above any body that a gateway, messenger or widget has reason to send. */
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [91, 123, 93, 125];

/** Whether JSON text is too deep or too large to parse. Scans the text only and stops at the first excess. */
export function isOverNested(text: string, maxValues = MAX_VALUES): boolean {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > MAX_DEPTH || values > maxValues) return true;
  }
  return false;
}

/** End of the string that begins at `from`; a quote after an odd number of backslashes is escaped. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end > 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
