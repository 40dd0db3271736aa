import { createServer, type Server } from "node:http";
import { serve } from "@hono/node-server";

type Fetch = Parameters<typeof serve>[0]["fetch"];

/** Header and whole-request deadlines, ms: a slow sender must not hold a socket; an upload over a slow line may take its time. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** How often those are looked after; Node's own 30 s would triple them. */
const CHECK_MS = 2_000;
/** Sockets at once, half-open ones included, and requests over one of them before it is opened anew. */
const MOST_SOCKETS = 10_000;
const MOST_REQUESTS = 10_000;

/** The server's socket, with a limit for everything that a sender can hold on to. */
export function listen(fetch: Fetch, at: { hostname?: string; port: number }): Server {
  const serverOptions = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = serve({ fetch, ...at, createServer, serverOptions }) as Server;
  server.maxConnections = MOST_SOCKETS;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  return server;
}
