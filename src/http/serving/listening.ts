import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { takeEvents } from "../../domain/call/event-stream.ts";
import { Sockets, type SocketsOptions } from "./sockets.ts";

type Fetch = Parameters<typeof serve>[0]["fetch"];

/** Deadlines of headers and whole requests, ms: a slow client must not hold a socket, but a slow upload may take a while. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** How often Node checks these deadlines, ms; its default of 30 s would overshoot them. */
const CHECK_MS = 2_000;
/** Socket idle timeout, ms, also for unread answers. Longer than connecting an account: three calls of up to 20 s. */
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
  // Before the parser's own listener.
  server.prependListener("connection", (socket: Socket) => sockets.admit(socket));
  server.timeout = IDLE_MS;
  server.maxRequestsPerSocket = MAX_REQUESTS;
  return server;
}

/** Writes event streams to the socket itself. */
function writingEvents(fetch: Fetch): Fetch {
  return (request, env) => {
    const { incoming, outgoing } = env as HttpBindings;
    const answered = fetch(request, env);
    // Reading the body of any other response costs its short cut to the socket.
    return incoming.headers.accept?.includes("text/event-stream") ? withEvents(answered, outgoing) : answered;
  };
}

async function withEvents(answered: ReturnType<Fetch>, outgoing: HttpBindings["outgoing"]): Promise<Response> {
  const response = (await answered) as Response;
  const open = takeEvents(response);
  if (!open) return response;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const writer = open({
    write: (bytes) => void outgoing.write(bytes),
    unread: () => outgoing.writableLength,
    close: () => void outgoing.end(),
  });
  outgoing.on("drain", () => writer.drained?.());
  outgoing.once("close", () => writer.gone());
  if (outgoing.destroyed) writer.gone();
  // Made after another server of the process, it has a short cut by which it would be sent again: reading it ends that.
  void RESPONSE_ALREADY_SENT.body;
  return RESPONSE_ALREADY_SENT;
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the pipelined requests of a socket one at a time; Node alone would start thousands before it notices that the
 * client does not read. Too many waiting requests close the socket.
 */
function serialized(listener: RequestListener, sockets: Sockets): RequestListener {
  const pipelines = new WeakMap<Socket, (exchange: Exchange) => void>();
  return (...exchange) => {
    const [{ socket }] = exchange;
    if (socket.destroyed) return;
    const accept = pipelines.get(socket) ?? pipelineOf(socket, listener, sockets);
    pipelines.set(socket, accept);
    accept(exchange);
  };
}

function pipelineOf(socket: Socket, listener: RequestListener, sockets: Sockets): (exchange: Exchange) => void {
  const waiting: Exchange[] = [];
  let busy = false;
  const begin = (next: Exchange) => {
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

/** Node's HTTP parser of a socket, missing in its types. */
type Parsed = Socket & { parser?: { onIncoming?: () => number } };
/** Return value that makes the parser stop, as after a protocol upgrade. */
const NO_HTTP = 2;

/**
 * Stops the parser, too: after `destroy` it still creates requests, 2 KB each, for the thousand in one packet. Without this
 * hook, say in a later Node, they only cost memory (`pipelining.test.ts` counts them).
 */
function cut(socket: Parsed): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => NO_HTTP;
  socket.destroy();
}
