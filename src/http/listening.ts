import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { serve } from "@hono/node-server";
import { Sockets, type SocketsOptions } from "./sockets.ts";

type Fetch = Parameters<typeof serve>[0]["fetch"];

/** Header and whole-request deadlines, ms: a slow sender must not hold a socket; an upload over a slow line may take its time. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** How often those are looked after; Node's own 30 s would triple them. */
const CHECK_MS = 2_000;
/** A socket on which nothing moves, ms: an answer that nobody reads. Longer than the three calls of 20 s that connecting may take. */
const IDLE_MS = 90_000;
/** Requests over one socket before it is opened anew. */
const MOST_REQUESTS = 10_000;
/** Requests sent ahead that wait on one socket. Browsers, proxies and those who call us send none ahead of an answer. */
const MOST_AHEAD = 8;

/** The server's socket, with a limit for everything that a sender can hold on to. */
export function listen(fetch: Fetch, at: { hostname?: string; port: number }, options?: SocketsOptions): Server {
  const sockets = new Sockets(options);
  const serverOptions = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const create = (options: typeof serverOptions, listener: RequestListener) =>
    createServer(options, oneByOne(listener, sockets));
  const server = serve({ fetch, ...at, createServer: create as typeof createServer, serverOptions }) as Server;
  // Before the parser's own listener.
  server.prependListener("connection", (socket: Socket) => sockets.admit(socket));
  server.timeout = IDLE_MS;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  return server;
}

type Asked = [request: IncomingMessage, response: ServerResponse];

/**
 * The answers of a socket leave in order, so a request begins when the one before is answered; Node alone would begin
 * thousands of them before the first answer shows that nobody reads. Who sends too many ahead is cut.
 */
function oneByOne(listener: RequestListener, sockets: Sockets): RequestListener {
  const lines = new WeakMap<Socket, (asked: Asked) => void>();
  return (...asked) => {
    const [{ socket }] = asked;
    if (socket.destroyed) return;
    const ask = lines.get(socket) ?? lineOf(socket, listener, sockets);
    lines.set(socket, ask);
    ask(asked);
  };
}

function lineOf(socket: Socket, listener: RequestListener, sockets: Sockets): (asked: Asked) => void {
  const ahead: Asked[] = [];
  let busy = false;
  const begin = (next: Asked) => {
    if (socket.destroyed) return;
    next[1].once("close", answered);
    listener(...next);
  };
  const answered = () => {
    const next = ahead.shift();
    // In a turn of its own, so that each socket gets one request a turn.
    if (next) return void setImmediate(begin, next);
    busy = false;
    sockets.idle(socket);
  };
  return (asked) => {
    if (busy) {
      if (ahead.push(asked) > MOST_AHEAD) cut(socket);
      return;
    }
    busy = true;
    sockets.busy(socket);
    begin(asked);
  };
}

/** Node's parser of a socket, which its types do not tell of. */
type Parsed = Socket & { parser?: { onIncoming?: () => number } };
/** What a parser is told of a request after which other words than HTTP follow: it reads no further. */
const NO_HTTP = 2;

/**
 * A socket that is destroyed goes on to make a request of each of the thousand that one packet holds, 2 KB each: its parser
 * is stopped, too. Were it another parser some day, those would only cost that much again (`ahead.test.ts` counts them).
 */
function cut(socket: Parsed): void {
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => NO_HTTP;
  socket.destroy();
}
