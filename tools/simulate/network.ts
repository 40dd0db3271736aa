import type { Answer, Call, CallFailure, CallRequest, CallResult, FormBody } from "gangway-messenger/call";
import type { Chance } from "./chance.ts";
import type { Time } from "./time.ts";
import { Cut, isDoubtful, through, weatherFor } from "./weather.ts";

/** The server at an origin. Rejects when nobody is there, or when its process ends meanwhile. */
export type Serve = (request: Request) => Promise<Response>;

/** A request that has reached a server. */
export interface Arrival {
  at: number;
  url: string;
  method: string;
  headers: Headers;
  /**
   * The server cannot know of it: the network has repeated it; or the server has stopped waiting for it, and has had
   * the answer to a later one, which proves that it arrived.
   */
  isOutsideRate: boolean;
}

export interface Network {
  serve(origin: string, serve: Serve): void;
  /** For a server process. `isGone`: it has died, and hears nothing any more. */
  callFrom(isGone: () => boolean): Call;
  /** For everyone else; throws like `fetch`. */
  fetch(request: Request): Promise<Response>;
  /** Without weather and without time. */
  direct(url: string, init?: RequestInit): Promise<Response>;
  /** Whether exchanges are disturbed now. */
  stormy: boolean;
  onArrival(listener: (arrival: Arrival) => void): void;
  /** The server's process has committed: earlier answers are recorded. */
  recorded(): void;
  /**
   * The server's process has died: it cannot know the outcome of its calls under way, nor of those it has not recorded.
   */
  doubtUnrecorded(): void;
  /** Counts the server's calls of these operations that arrived late. */
  late(operations: RegExp): number;
  /** Counts the server's calls of these operations that may have been carried out without its knowledge. */
  doubtful(operations: RegExp): number;
}

interface Parts {
  time: Time;
  chance: Chance;
  /** Share of exchanges disturbed in a storm. */
  share: number;
}

/** A call of the server's. */
interface Flight {
  operation: string;
  isDoubtful: boolean;
  sentAt: number;
  hasArrived: boolean;
  isOvertaken(): boolean;
}

/** A call under way for longer arrives late, ms: the server may have made the next one. */
const LATE_MS = 4_000;
const LATENCY_MS = { least: 2, more: 40, slow: 4_000, slowShare: 0.02 };

export function createNetwork({ time, chance, share }: Parts): Network {
  const servers = new Map<string, Serve>();
  const listeners: ((arrival: Arrival) => void)[] = [];
  const flights = new Set<Flight>();
  /** Answered since the last commit. */
  const unrecorded = new Set<Flight>();
  const [doubts, late] = [createTally(), createTally()];
  const doubt = (flight: Flight) => {
    if (flight.isDoubtful) return;
    flight.isDoubtful = true;
    doubts.add(flight.operation);
  };
  const latency = (name: string) => {
    const { least, more, slow, slowShare } = LATENCY_MS;
    const draw = chance.draw(`latency ${name}`);
    return draw < slowShare && network.stormy ? (slow * draw) / slowShare : least + more * draw;
  };
  /** A request's signal hears of its controller's only as long as the request itself is kept. */
  const kept = new Set<Request>();
  /** When the server's latest answered call was sent, by its origin. */
  const answered = new Map<string, number>();
  const arrive = async (request: Request, flight?: Flight): Promise<Response> => {
    const serve = servers.get(new URL(request.url).origin);
    if (!serve) throw new Cut("no", "ECONNREFUSED");
    const { url, method, headers } = request;
    const isOutsideRate = flight !== undefined && (flight.hasArrived || flight.isOvertaken());
    if (flight) flight.hasArrived = true;
    if (flight && time.now() - flight.sentAt > LATE_MS) late.add(flight.operation);
    for (const listener of listeners) listener({ at: time.now(), url, method, headers, isOutsideRate });
    return serve(request);
  };
  /** `flight`: of the server's own. Throws Cut. */
  const exchange = async (make: () => Request, operation: string, flight?: Flight): Promise<Response> => {
    const weather = network.stormy ? weatherFor(chance, operation, flight !== undefined, share) : undefined;
    if (weather && flight && isDoubtful(weather)) doubt(flight);
    await time.pause(latency(operation));
    const carryOut = async () => arrive(make(), flight);
    return (weather ? through(weather, carryOut, time.pause) : carryOut()).finally(() =>
      time.pause(latency(operation)),
    );
  };
  const callFrom: Network["callFrom"] = (isGone) => async (request) => {
    if (request.signal?.aborted) return failure("no", "aborted");
    const bytes = await bytesOf(request.body).catch(() => undefined);
    if (!bytes) return failure("no", "source");
    const controller = new AbortController();
    const { origin } = new URL(request.url);
    const flight: Flight = {
      ...{
        operation: operationOf(request.method, request.url),
        isDoubtful: false,
        sentAt: time.now(),
        hasArrived: false,
      },
      isOvertaken: () => (isGone() || !flights.has(flight)) && (answered.get(origin) ?? 0) > flight.sentAt,
    };
    flights.add(flight);
    const sent = exchange(() => requestOf(request, bytes, controller.signal), flight.operation, flight).then(
      (response) => answerOf(response, request),
      (error: unknown) => failureOf(error),
    );
    return new Promise<CallResult>((resolve) => {
      const end = (result: CallResult) => {
        if (!flights.delete(flight)) return;
        cancel();
        request.signal?.removeEventListener("abort", abort);
        if (result.type === "answer") {
          unrecorded.add(flight);
          answered.set(origin, Math.max(answered.get(origin) ?? 0, flight.sentAt));
        } else {
          if (result.sent === "perhaps") doubt(flight);
          controller.abort();
        }
        if (!isGone()) resolve(result);
      };
      const cancel = time.after(request.timeoutMs, () => end(failure("perhaps", "timeout")));
      const abort = () => end(failure("perhaps", "aborted"));
      request.signal?.addEventListener("abort", abort);
      void sent.then(end);
    });
  };
  const network: Network = {
    serve: (origin, serve) => void servers.set(origin, serve),
    stormy: false,
    onArrival: (listener) => void listeners.push(listener),
    callFrom,
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const { method, headers, url } = request;
      const make = () => {
        // A proxy forwards nothing for a client that has gone.
        if (request.signal.aborted) throw new Cut("no", "ECONNRESET");
        return new Request(url, { method, headers, ...(bytes.length > 0 && { body: bytes }) });
      };
      return raced(exchange(make, operationOf(method, url)), request, kept);
    },
    async direct(url, init) {
      const serve = servers.get(new URL(url).origin);
      if (!serve) throw new Error(`nobody is at ${url}`);
      return serve(new Request(url, { redirect: "manual", ...init }));
    },
    recorded: () => unrecorded.clear(),
    doubtUnrecorded() {
      for (const flight of [...flights, ...unrecorded]) doubt(flight);
      unrecorded.clear();
    },
    late: late.of,
    doubtful: doubts.of,
  };
  return network;
}

/** How often each operation was counted. */
function createTally() {
  const counts = new Map<string, number>();
  return {
    add: (operation: string) => void counts.set(operation, (counts.get(operation) ?? 0) + 1),
    of: (operations: RegExp) =>
      [...counts].reduce((sum, [operation, count]) => sum + (operations.test(operation) ? count : 0), 0),
  };
}

const failure = (sent: CallFailure["sent"], reason: CallFailure["reason"]): CallFailure => ({
  ...{ type: "failure", sent, reason },
  detail: "simulated",
});

/** Method and path without ids. */
export function operationOf(method: string, url: string): string {
  const { pathname, port } = new URL(url);
  const parts = pathname.split("/").map((part) => (/\d|.{20}/.test(part) && !/^v\d$/.test(part) ? "*" : part));
  return `${port} ${method} ${parts.join("/")}`;
}

function raced(answer: Promise<Response>, request: Request, kept: Set<Request>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    void answer.then(resolve, reject).finally(() => kept.delete(request));
    kept.add(request);
  });
}

interface Bytes {
  bytes?: Uint8Array;
  mediaType?: string;
}

async function bytesOf(body: CallRequest["body"]): Promise<Bytes> {
  if (body === undefined) return {};
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  if (body instanceof Uint8Array) return { bytes: body };
  if (body instanceof ReadableStream) return { bytes: await read(body) };
  return formOf(body);
}

async function read(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const BOUNDARY = "simulated-boundary";

async function formOf({ fields = {}, files }: FormBody): Promise<Bytes> {
  const chunks: Uint8Array[] = [];
  const part = (head: string, bytes: Uint8Array) =>
    chunks.push(
      Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      bytes,
      Buffer.from("\r\n"),
    );
  for (const [name, value] of Object.entries(fields)) part(`name="${name}"`, Buffer.from(value));
  for (const { field, fileName, mediaType, bytes: source } of files) {
    const opened = typeof source === "function" ? await source() : source;
    const bytes = opened instanceof Uint8Array ? opened : await read(opened);
    part(`name="${field}"; filename="${encodeURIComponent(fileName)}"\r\ncontent-type: ${mediaType}`, bytes);
  }
  chunks.push(Buffer.from(`--${BOUNDARY}--\r\n`));
  return { bytes: Buffer.concat(chunks), mediaType: `multipart/form-data; boundary=${BOUNDARY}` };
}

function requestOf({ method, url, headers }: CallRequest, { bytes, mediaType }: Bytes, signal: AbortSignal): Request {
  const all = { ...headers, ...(mediaType && { "content-type": mediaType }) };
  return new Request(url, { method, headers: all, signal, ...(bytes && { body: new Uint8Array(bytes) }) });
}

async function answerOf(response: Response, { stream, maxBytes = 1024 * 1024 }: CallRequest): Promise<CallResult> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > maxBytes) return failure("perhaps", "too-large");
  const answer: Answer = {
    type: "answer",
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes,
  };
  if (!stream) return answer;
  return { ...answer, bytes: new Uint8Array(), stream: new Response(bytes).body as ReadableStream<Uint8Array> };
}

function failureOf(error: unknown): CallFailure {
  if (!(error instanceof Cut)) throw error;
  return failure(error.sent, error.sent === "no" ? "refused" : "reset");
}
