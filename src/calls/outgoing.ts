import type { lookup } from "node:dns";
import { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import type { Call, CallRequest, CallResult, FormBody, FormFile } from "../domain/call/call.ts";
import { errorText } from "../domain/errors.ts";
import { Exchange } from "./exchange.ts";
import { failure } from "./failure.ts";
import { createGuard, type Guard, onlyTo } from "./guard.ts";

/** A file of the form could not be read. The form was never completed, so the receiver cannot have accepted it. */
class FormSourceError extends Error {
  readonly code = "ESOURCE";
}

/** The bytes of a multipart form (HTML standard, multipart/form-data); files are read lazily. Throws FormSourceError. */
async function* formBytes({ fields = {}, files }: FormBody, boundary: string): AsyncGenerator<Uint8Array> {
  for (const [name, value] of Object.entries(fields))
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
  for (const file of files) {
    const disposition = `form-data; name="${quoted(file.field)}"; filename="${quoted(file.fileName)}"`;
    const mediaType = file.mediaType.replace(/[\r\n]/g, "");
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${mediaType}\r\n\r\n`);
    yield* fileBytes(file);
    yield Buffer.from("\r\n");
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

async function* fileBytes({ bytes }: FormFile): AsyncGenerator<Uint8Array> {
  if (bytes instanceof Uint8Array) return yield bytes;
  try {
    yield* typeof bytes === "function" ? await bytes() : bytes;
  } catch (cause) {
    throw new FormSourceError(errorText(cause), { cause });
  }
}

/** A name inside a quoted string, escaped as browsers do (HTML standard, multipart/form-data). */
const quoted = (name: string) => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

export interface Outgoing {
  call: Call;
  close(): Promise<void>;
}

interface OutgoingOptions {
  /** Sandbox mode: allows calls to this machine, over http and on any port. */
  allowLoopback?: boolean;
  /** Allows calls to this origin only, which may be anywhere. */
  origin?: string;
  /** Concurrent calls; default 64. Each has a socket: one that waited for it would count as sent. */
  calls?: number;
  /** TCP and TLS together; default 3 s. */
  connectTimeoutMs?: number;
  /** For tests of the guard. */
  resolve?: typeof lookup;
}

const CONNECT_MS = 3_000;
const CALLS = 64;
/** How long an idle socket stays open, ms. */
const IDLE_MS = 10_000;

/** Every outgoing call: guarded, with a deadline, no redirects and a size-limited answer. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const { origin, allowLoopback = false, resolve } = options;
  const guard = origin === undefined ? createGuard(allowLoopback, resolve) : onlyTo(origin);
  const connect = {
    timeout: options.connectTimeoutMs ?? CONNECT_MS,
    lookup: guard.lookup,
    autoSelectFamily: true,
  };
  const agentOptions = { keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0, connect };
  const agent = new Agent({ ...agentOptions, connections: options.calls ?? CALLS });
  const waiting = new Agent({ ...agentOptions, connections: null });
  const call = calling(guard, agent);
  const longCall = calling(guard, waiting);
  return {
    call: (request) => (request.waiting ? longCall(request) : call(request)),
    close: async () => void (await Promise.all([agent.destroy(), waiting.destroy()])),
  };
}

/** Parsed once: `URL.canParse` before it would parse twice. */
function addressIn(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function calling(guard: Guard, agent: Dispatcher): Call {
  return async (request) => {
    const url = addressIn(request.url);
    if (!url) return failure("no", "blocked", "not an address");
    const fault = guard.fault(url);
    if (fault) return failure("no", "blocked", fault);
    if (request.signal?.aborted) return failure("no", "aborted", url.host);
    const { headers, body } = encode(request);
    const sent = { origin: url.origin, path: url.pathname + url.search, method: request.method, headers, body };
    const result = await new Promise<CallResult>((settle) => {
      agent.dispatch(sent, new Exchange(request, url.host, settle));
    });
    // Close its file. Without a listener a late error would crash the process.
    if (result.type === "failure" && body instanceof Readable) body.on("error", () => {}).destroy();
    return result;
  };
}

const OWN_HEADERS = { "accept-encoding": "identity", "user-agent": "gangway" };

function encode({ body, headers: given }: CallRequest) {
  const headers: Record<string, string> = Object.assign({}, given, OWN_HEADERS);
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return { headers, body };
  if (body instanceof ReadableStream) return { headers, body: Readable.fromWeb(body as never) };
  const boundary = `gangway-${crypto.randomUUID()}`;
  headers["content-type"] = `multipart/form-data; boundary=${boundary}`;
  return { headers, body: Readable.from(formBytes(body, boundary)) };
}
