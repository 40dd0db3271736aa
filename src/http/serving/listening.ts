import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { takeEvents } from "gangway-messenger/event-stream";
import { type ClientAddress, clientAddresses, type Proxies, proxySockets } from "../../domain/proxies.ts";

/** Maximum number of open sockets, idle ones included. */
export interface SocketLimits {
  all: number;
  /** Per client address. Trusted proxies are exempt: they carry many clients. */
  perAddress: number;
}
export const SOCKET_LIMITS: SocketLimits = { all: 10_000, perAddress: 1_000 };
/** Sockets beyond those of streams. */
const OTHER_SOCKETS = 6_000;

/** File descriptors: those available to the process, and those reserved for calls. */
interface Descriptors {
  all: number;
  calls: number;
}
/** Descriptors for database, kept files, threads and Node itself (measured: 40 in an idle server). */
const OTHER_DESCRIPTORS = 100;

/** Each stream holds a socket, in addition to webhooks and pages; the total leaves descriptors for calls and files. */
export function socketLimits(maxStreams = 0, { all, calls }: Descriptors = { all: Infinity, calls: 0 }): SocketLimits {
  const wanted = Math.max(SOCKET_LIMITS.all, maxStreams + OTHER_SOCKETS);
  const free = Math.max(all / 4, all - calls - OTHER_DESCRIPTORS);
  return { ...SOCKET_LIMITS, all: Math.floor(Math.min(wanted, free)) };
}

export interface SocketsOptions {
  limits?: SocketLimits;
  proxies?: Proxies;
  /** Called when a limit closes or refuses a socket of `address`; `count` is the total since the start. */
  onPressure?(address: string, count: number): void;
}

interface Holder {
  address: string;
  isProxy: boolean;
  /** Oldest first. */
  open: Set<Socket>;
  /** Sockets without a running request, longest idle first. */
  idle: Set<Socket>;
}

/** Shares the server's sockets among client addresses. */
export class Sockets {
  readonly #options: SocketsOptions;
  readonly #limits: SocketLimits;
  readonly #addressOf: ClientAddress;
  readonly #isProxy: (address: string | undefined) => boolean;
  readonly #holders = new Map<string, Holder>();
  readonly #holderOf = new Map<Socket, Holder>();
  #closed = 0;

  constructor(options: SocketsOptions = {}) {
    this.#options = options;
    this.#limits = options.limits ?? socketLimits();
    this.#addressOf = clientAddresses(options.proxies);
    this.#isProxy = proxySockets(options.proxies);
  }

  /** Admits a new socket. At a limit, closes another socket or this one. */
  admit(socket: Socket): void {
    const address = this.#addressOf(socket.remoteAddress, undefined);
    const isProxy = this.#isProxy(socket.remoteAddress);
    const holder = this.#holders.get(address) ?? { address, isProxy, open: new Set(), idle: new Set() };
    if (!this.#makeRoom(holder)) {
      this.#close(socket, address);
      return;
    }
    this.#holders.set(address, holder);
    this.#holderOf.set(socket, holder);
    holder.open.add(socket);
    holder.idle.add(socket);
    socket.once("close", () => this.#forget(socket));
  }

  busy(socket: Socket): void {
    this.#holderOf.get(socket)?.idle.delete(socket);
  }

  idle(socket: Socket): void {
    this.#holderOf.get(socket)?.idle.add(socket);
  }

  #makeRoom(newcomer: Holder): boolean {
    const isOverShare = !newcomer.isProxy && newcomer.open.size >= this.#limits.perAddress;
    if (!isOverShare && this.#holderOf.size < this.#limits.all) return true;
    const victim = isOverShare ? first(newcomer.idle) : this.#victimFor(newcomer);
    if (!victim) return false;
    this.#close(victim, this.#holderOf.get(victim)?.address ?? "");
    return true;
  }

  /** On a full server: an idle socket, else a busy one of an address that has two more than the newcomer's. */
  #victimFor(newcomer: Holder): Socket | undefined {
    const fullest = (kind: "idle" | "open", holders: Holder[]) =>
      holders.reduce<Holder | undefined>(
        (most, each) => (each[kind].size > 0 && each.open.size > (most?.open.size ?? 0) ? each : most),
        undefined,
      );
    const all = [...this.#holders.values()];
    const idle = fullest("idle", all);
    if (idle) return first(idle.idle);
    // Spare proxies: their busy sockets carry many clients' requests.
    const busy = fullest(
      "open",
      all.filter(({ isProxy }) => !isProxy),
    );
    return busy && busy.open.size > newcomer.open.size + 1 ? first(busy.open) : undefined;
  }

  #close(socket: Socket, address: string): void {
    this.#forget(socket);
    socket.destroy();
    this.#closed += 1;
    this.#options.onPressure?.(address, this.#closed);
  }

  #forget(socket: Socket): void {
    const holder = this.#holderOf.get(socket);
    if (!holder) return;
    this.#holderOf.delete(socket);
    holder.open.delete(socket);
    holder.idle.delete(socket);
    if (holder.open.size === 0) this.#holders.delete(holder.address);
  }
}

const first = (sockets: Set<Socket>): Socket | undefined => sockets.values().next().value;

type Fetch = Parameters<typeof serve>[0]["fetch"];

/** Deadlines for headers and requests, ms: slow clients must not hold sockets, but uploads may be slow. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** How often Node checks these deadlines, ms; its default of 30 s would overshoot them. */
const CHECK_MS = 2_000;
/** Socket idle timeout, ms, also for unread responses. Longer than connecting an account: three calls of up to 20 s. */
const IDLE_MS = 90_000;
/** Requests per socket before it is closed. */
const MAX_REQUESTS = 10_000;
/** Pipelined requests that may wait per socket. Browsers, proxies and our callers do not pipeline. */
const MAX_PIPELINED = 8;

/** Starts the HTTP server with limits on every resource a client can hold. */
export function listen(fetch: Fetch, at: { hostname?: string; port: number }, options?: SocketsOptions): Server {
  const sockets = new Sockets(options);
  const serverOptions = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const create = (options: typeof serverOptions, listener: RequestListener) =>
    createServer(options, serialized(listener, sockets));
  const server = serve({
    fetch: writingEvents(fetch),
    ...at,
    createServer: create as typeof createServer,
    serverOptions,
  }) as Server;
  // Before the HTTP parser's own listener.
  server.prependListener("connection", (socket: Socket) => sockets.admit(socket));
  server.timeout = IDLE_MS;
  server.maxRequestsPerSocket = MAX_REQUESTS;
  return server;
}

/** Writes event streams directly to the socket. */
function writingEvents(fetch: Fetch): Fetch {
  return (request, env) => {
    const { incoming, outgoing } = env as HttpBindings;
    const answered = fetch(request, env);
    // Touching the body of other responses would lose their fast path to the socket.
    return incoming.headers.accept?.includes("text/event-stream") ? withEvents(answered, outgoing) : answered;
  };
}

async function withEvents(answered: ReturnType<Fetch>, outgoing: HttpBindings["outgoing"]): Promise<Response> {
  const response = (await answered) as Response;
  const open = takeEvents(response);
  if (!open) return response;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const writer = open({
    // Writing after the end would raise an unhandled error and end the process.
    write: (bytes) => void (outgoing.writableEnded || outgoing.write(bytes)),
    unread: () => outgoing.writableLength,
    close: () => void outgoing.end(),
  });
  outgoing.on("drain", () => writer.drained?.());
  outgoing.once("close", () => writer.gone());
  if (outgoing.destroyed) writer.gone();
  // If an earlier server patched Response, this constant has a fast path that would send it again: reading disables it.
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

/**
 * Handles a socket's pipelined requests one at a time; Node would start thousands before it notices that the client
 * does not read. Too many waiting requests close the socket.
 */
function serialized(listener: RequestListener, sockets: Sockets): RequestListener {
  const pipelines = new WeakMap<Socket, (exchange: Parameters<RequestListener>) => void>();
  return (...exchange) => {
    const [{ socket }] = exchange;
    if (socket.destroyed) return;
    const accept = pipelines.get(socket) ?? pipelineOf(socket, listener, sockets);
    pipelines.set(socket, accept);
    accept(exchange);
  };
}

function pipelineOf(
  socket: Socket,
  listener: RequestListener,
  sockets: Sockets,
): (exchange: Parameters<RequestListener>) => void {
  const waiting: Parameters<RequestListener>[] = [];
  let busy = false;
  const begin = (next: Parameters<RequestListener>) => {
    if (socket.destroyed) return;
    next[1].once("close", answered);
    listener(...next);
  };
  const answered = () => {
    const next = waiting.shift();
    // One request per socket and event-loop tick.
    if (next) return void setImmediate(begin, next);
    busy = false;
    sockets.idle(socket);
  };
  return (exchange) => {
    if (busy) {
      if (waiting.push(exchange) > MAX_PIPELINED) cut(socket);
      return;
    }
    busy = true;
    sockets.busy(socket);
    begin(exchange);
  };
}

/** A socket's HTTP parser, which Node's types lack. */
type Parsed = Socket & { parser?: { onIncoming?: () => number } };
/** Return value that stops the parser, as after a protocol upgrade. */
const NO_HTTP = 2;

/**
 * Also stops the parser: after `destroy` it still creates requests, 2 KB each, for up to a thousand in one packet. If a
 * later Node drops this hook, they only cost memory (`pipelining.test.ts` counts them).
 */
function cut(socket: Parsed): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => NO_HTTP;
  socket.destroy();
}
