import type { lookup } from "node:dns";
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import type { Call, CallFailure, CallRequest, CallResult } from "./domain/call.ts";
import { formBytes } from "./outgoing-form.ts";
import { createGuard, type Guard } from "./outgoing-guard.ts";

export interface Outgoing {
  call: Call;
  close(): Promise<void>;
}

interface OutgoingOptions {
  /** Sandbox mode: this machine may be called, over http and on any port. */
  allowLoopback: boolean;
  /** TCP and TLS together; default 3 s. */
  connectTimeoutMs?: number;
  /** For tests of the guard. */
  resolve?: typeof lookup;
}

const CONNECT_MS = 3_000;
const HEADERS_MS = 10_000;
const DEFAULT_MAX_BYTES = 1024 * 1024;
/** Sockets to one host, and how long an idle one is kept, ms. */
const CONNECTIONS = 64;
const IDLE_MS = 10_000;

/** Every call that leaves the house: guarded, with a deadline, no redirects, and an answer of bounded size. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const guard = createGuard(options.allowLoopback, options.resolve);
  const connect = {
    timeout: options.connectTimeoutMs ?? CONNECT_MS,
    lookup: guard.lookup,
    autoSelectFamily: true,
  };
  const shape = { keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0, connect };
  const agent = new Agent({ ...shape, connections: CONNECTIONS });
  const waiting = new Agent({ ...shape, connections: null });
  const call = calling(guard, agent.compose(watch));
  const longCall = calling(guard, waiting.compose(watch));
  return {
    call: (request) => (request.waiting ? longCall(request) : call(request)),
    close: async () => void (await Promise.all([agent.destroy(), waiting.destroy()])),
  };
}

/** Whether a request got a connection: until then not one byte of it can have left. */
interface Flight {
  started: boolean;
}

/** undici tells a handler that its request starts just before it writes the first byte. */
const watch: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const flight = (options as Dispatcher.RequestOptions<Flight>).opaque;
  const start = handler.onRequestStart;
  handler.onRequestStart = (controller, context) => {
    start?.call(handler, controller, context);
    // A request that was aborted while it waited for a connection is ended here, unwritten.
    if (flight && !controller.aborted) flight.started = true;
  };
  return dispatch(options, handler);
};

function calling(guard: Guard, agent: Dispatcher): Call {
  return async (request) => {
    if (!URL.canParse(request.url)) return failure("no", "blocked", "not an address");
    const url = new URL(request.url);
    const fault = guard.fault(url);
    if (fault) return failure("no", "blocked", fault);
    const clock = deadline(request);
    const flight: Flight = { started: false };
    try {
      const { method, headers, body } = encode(request);
      const target = { origin: url.origin, path: url.pathname + url.search };
      // No HeadersTimeout of its own for uploads: their headers come after the last byte.
      const headersTimeout = body instanceof Readable ? 0 : Math.max(HEADERS_MS, request.timeoutMs);
      const { signal } = clock;
      const got = await agent.request({ ...target, method, headers, body, headersTimeout, signal, opaque: flight });
      return await take(request, got, clock);
    } catch (error) {
      clock.clear();
      return explain(error, url.host, flight, request.signal);
    }
  };
}

interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

function deadline(request: CallRequest): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DeadlineOver()), request.timeoutMs);
  const stop = () => controller.abort(request.signal?.reason);
  if (request.signal?.aborted) stop();
  request.signal?.addEventListener("abort", stop, { once: true });
  const clear = () => {
    clearTimeout(timer);
    request.signal?.removeEventListener("abort", stop);
  };
  return { signal: controller.signal, clear };
}

class DeadlineOver extends Error {
  readonly code = "EDEADLINE";
}
class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

const failure = (sent: CallFailure["sent"], reason: CallFailure["reason"], detail: string): CallFailure => ({
  type: "failure",
  sent,
  reason,
  detail,
});

function explain(error: unknown, host: string, { started }: Flight, stopped?: AbortSignal): CallFailure {
  const code = codeOf(error);
  const detail = `${host} ${code}`;
  const sent = started ? "perhaps" : "no";
  if (code === "EBLOCKED") return failure("no", "blocked", `${host} is not a public address`);
  if (code === "ESOURCE") {
    const tooLarge = error instanceof Error && error.cause instanceof TooLarge;
    return failure("no", tooLarge ? "source-too-large" : "source", `the file could not be read (${words(error)})`);
  }
  if (code === "ETOOLARGE") return failure(sent, "too-large", detail);
  if (code === "EDEADLINE") return failure(sent, "timeout", detail);
  if (stopped?.aborted) return failure(sent, "aborted", host);
  if (/TIMEOUT/.test(code)) return failure(sent, "timeout", detail);
  return failure(sent, started ? "reset" : "refused", detail);
}

const words = (error: unknown) => (error instanceof Error ? error.message : "unknown");

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown";
}

/** The answer as bytes, or as a stream under the same cap and deadline. */
async function take(request: CallRequest, got: Dispatcher.ResponseData<Flight>, clock: Deadline): Promise<CallResult> {
  const most = request.maxBytes ?? DEFAULT_MAX_BYTES;
  const headers = Object.fromEntries(
    Object.entries(got.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
  // Asked for with `identity`; whoever compresses all the same could hide a bomb in it.
  if (headers["content-encoding"] && headers["content-encoding"] !== "identity") {
    discard(got.body);
    throw Object.assign(new Error("the answer is compressed"), { code: "ETOOLARGE" });
  }
  const answer = { type: "answer" as const, status: got.statusCode, headers };
  const capped = cap(got.body, most, clock);
  if (request.stream) return { ...answer, bytes: new Uint8Array(), stream: toWeb(capped) };
  const chunks: Uint8Array[] = [];
  for await (const chunk of capped) chunks.push(chunk);
  return { ...answer, bytes: Buffer.concat(chunks) };
}

async function* cap(body: Readable, most: number, clock: Deadline): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Uint8Array).byteLength;
      if (size > most) throw new TooLarge(`more than ${most} bytes`);
      yield chunk as Uint8Array;
    }
  } finally {
    clock.clear();
    discard(body);
  }
}

/** A body that is dropped half-read emits an error, which nobody else would hear: it would end the process. */
function discard(body: Readable): void {
  body.on("error", () => {});
  body.destroy();
}

const toWeb = (chunks: AsyncGenerator<Uint8Array>) =>
  Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;

function encode(request: CallRequest) {
  const headers: Record<string, string> = {
    ...request.headers,
    "accept-encoding": "identity",
    "user-agent": "gangway",
  };
  const { body, method } = request;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return { method, headers, body };
  if (body instanceof ReadableStream) return { method, headers, body: Readable.fromWeb(body as never) };
  const boundary = `gangway-${crypto.randomUUID()}`;
  headers["content-type"] = `multipart/form-data; boundary=${boundary}`;
  return { method, headers, body: Readable.from(formBytes(body, boundary)) };
}
