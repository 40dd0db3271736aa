import type { HttpBindings } from "@hono/node-server";
import type { Clock } from "gangway-messenger/clock";
import { errorCode } from "gangway-messenger/errors";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { accountPage } from "../../domain/account.ts";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import type { Overload } from "../../domain/delivery.ts";
import { type Counter, createCounter, createHistogram, type Distribution } from "../../domain/figures.ts";
import type { AccountId } from "../../domain/ids.ts";
import { type ClientAddress, clientAddresses, missingProxies, type Proxies } from "../../domain/proxies.ts";
import type { ApiToken, Brand } from "../../domain/vendor.ts";
import type { Log } from "../../log.ts";
import type { Visit } from "../../module/account/visits.ts";
import type { EndedCount } from "../../module/messages/undelivered.ts";
import { bodyBudget } from "./body-budget.ts";

/** `incoming` is absent when the site is called without a socket, as in tests. */
export type Env = {
  Bindings: Partial<HttpBindings>;
  /** `formToken`: the visit's, masked for a page. `countEnded`: undelivered messages of its account, counted once. `requested`: what a page asks about. */
  Variables: {
    visit: Visit;
    countEnded?(): Promise<EndedCount[]>;
    requested?: Visit;
    brand?: Brand;
    form: URLSearchParams;
    formToken: string;
    apiToken: ApiToken;
  };
};

/** The page of the account in the request's path, or `/account` outside of one. */
export const pageIn = (c: Context<Env>): string => {
  const account = c.req.param("account");
  return account === undefined ? "/account" : accountPage(account as AccountId);
};

/** Warns when the proxies in front of the server are not set. */
export function clientAddress({ publicUrl, trustedProxies }: Server, log: Log): ClientAddress {
  const missing = missingProxies(publicUrl, trustedProxies);
  if (missing) log.warn("proxies.not-set", { setting: "TRUSTED_PROXIES", ...missing });
  return clientAddresses(trustedProxies);
}
interface Server {
  publicUrl: string;
  trustedProxies?: Proxies;
}

/** The client address, resolved through the trusted proxies. */
export type AddressOf = (c: Context<Env>) => string;

export const addressOf =
  (clientAddress: ClientAddress): AddressOf =>
  (c) =>
    clientAddress(c.env?.incoming?.socket?.remoteAddress, c.req.header("x-forwarded-for"));

export class BodyTooLarge extends Error {
  constructor() {
    super("the body is too large");
    this.name = "BodyTooLarge";
  }
}

/** Deadline of a small body, ms: it fits into a few packets. A larger one has as much for each of this many bytes. */
const SMALL_BODY_MS = 15_000;
const SMALL_BYTES = 1024 ** 2;

const deadlineMs = (bytes: number, smallMs: number) => smallMs * Math.max(1, bytes / SMALL_BYTES);

/** Most that a messenger sends as one update, bytes (Meta). Where more is taken, files come, which pass through. */
export const MAX_RAW_BYTES = 3 * 1024 * 1024;

/** All bodies of the process that are under way and kept in memory. Small ones have a budget of their own: forms, webhooks. */
const [bodies, smallBodies] = [bodyBudget(), bodyBudget(32 * 1024 ** 2)];

export class BodyTooSlow extends Error {
  constructor() {
    super("the body is too slow");
    this.name = "BodyTooSlow";
  }
}

/** Whether the client closed the connection in the middle of the body. */
export const clientAborted = (c: Context<Env>, error: unknown): boolean =>
  c.env?.incoming?.complete === false && errorCode(error) === "ECONNRESET";

const contentLength = (c: Context<Env>) => Number(c.req.header("content-length") ?? 0);

/** The whole body as text, buffering at most `limit` bytes. Throws BodyTooLarge, and Overload when the process buffers too much. */
export const readBody = async (c: Context<Env>, limit: number, withinMs = SMALL_BODY_MS): Promise<string> =>
  (await readBytes(c, limit, withinMs)).toString("utf8");

async function readBytes(c: Context<Env>, limit: number, withinMs: number): Promise<Buffer> {
  const length = contentLength(c);
  if (length > limit) throw new BodyTooLarge();
  const incoming = c.env?.incoming;
  // Usually a small body has arrived with its headers; iterating over the stream costs ten times as much.
  if (length > 0 && incoming?.readableLength === length) {
    const whole = incoming.read();
    // To its end, so that Node frees it.
    incoming.resume();
    return whole;
  }
  // Read the raw socket stream: a web stream is five times slower (measured: 7,800 against 39,000 requests a second).
  // Leaves the socket open when it throws: the sender gets its answer.
  const source: AsyncIterable<Uint8Array> | null = incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const held = (length > 0 && length <= MAX_READ_WHOLE ? smallBodies : bodies).hold();
  // Destroy the socket: a client this slow gets no answer.
  const timer = setTimeout(() => incoming?.destroy(new BodyTooSlow()), deadlineMs(length || limit, withinMs));
  try {
    for await (const chunk of source ?? []) {
      size += chunk.byteLength;
      if (size > limit) throw new BodyTooLarge();
      held.add(chunk.byteLength);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
    held.end();
  }
  return Buffer.concat(chunks);
}

/** Bodies up to this size are read whole, bytes: web streams cost more than reading so little. */
const MAX_READ_WHOLE = 64 * 1024;

/** A Request with these methods cannot have a body (Fetch standard); leave it unread. */
const BODILESS = new Set(["GET", "HEAD"]);

type BodyFault = BodyTooLarge | BodyTooSlow | Overload;

interface Capped {
  request: Request;
  /** Why the body was not read to its end, whatever its reader made of that. */
  fault(): BodyFault | undefined;
  /** The body read so far; undefined beyond `keep` bytes. */
  captured(): string | undefined;
}

const uncapped = (request: Request): Capped => ({ request, fault: () => undefined, captured: () => "" });

/** Caps the request body: at once when it is small, else while it streams. Captures up to `keep` bytes. Throws BodyFault. */
export async function cappedRequest(
  c: Context<Env>,
  limit: number,
  keep = 0,
  withinMs = SMALL_BODY_MS,
): Promise<Capped> {
  const length = contentLength(c);
  if (length > limit) throw new BodyTooLarge();
  const { raw } = c.req;
  if (BODILESS.has(raw.method)) return uncapped(raw);
  if (c.env?.incoming && length > 0 && length <= Math.min(MAX_READ_WHOLE, limit)) {
    const rawBody = await readBytes(c, limit, withinMs);
    // hono's node-server serves the request's body from here, and builds no web Request unless asked for a stream.
    Object.assign(c.env.incoming, { rawBody });
    const captured = () => (length <= keep ? rawBody.toString("utf8") : undefined);
    return { ...uncapped(raw), captured };
  }
  if (!raw.body) return uncapped(raw);
  const counted = counting(c, { limit, keep, withinMs, bytes: length || limit });
  // Not cancelled, which would close the socket: the sender gets its answer.
  const body = raw.body.pipeThrough(counted.through, { preventCancel: true });
  const init = { method: raw.method, headers: raw.headers, body, duplex: "half", signal: raw.signal };
  return { ...counted, request: new Request(raw.url, init as RequestInit) };
}

interface Caps {
  limit: number;
  keep: number;
  withinMs: number;
  /** That may come. */
  bytes: number;
}

function counting(c: Context<Env>, { limit, keep, withinMs, bytes }: Caps) {
  let size = 0;
  let kept: Uint8Array[] = [];
  let fault: BodyFault | undefined;
  let timer: NodeJS.Timeout | undefined;
  const isFile = limit > MAX_RAW_BYTES;
  const held = bodies.hold();
  const end = () => {
    clearTimeout(timer);
    held.end();
  };
  // Also of a request whose body nobody reads to its end.
  c.env?.outgoing?.once("close", end);
  const through = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      const slow = () => {
        fault = new BodyTooSlow();
        controller.error(fault);
        end();
      };
      if (!isFile || bytes <= SMALL_BYTES) timer = setTimeout(slow, deadlineMs(bytes, withinMs)).unref();
    },
    flush: end,
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= keep) kept.push(chunk);
      else kept = [];
      try {
        if (size > limit) throw new BodyTooLarge();
        if (!isFile) held.add(chunk.byteLength);
        controller.enqueue(chunk);
      } catch (error) {
        fault = error as BodyFault;
        controller.error(error);
        end();
      }
    },
  });
  return {
    through,
    fault: () => fault,
    captured: () => (size <= keep ? Buffer.concat(kept).toString("utf8") : undefined),
  };
}

/** Log fields of the refused sender. */
interface Refused {
  account?: string;
  channel?: string;
  kind?: string;
}

/** CORS: any page may read the answer; the session decides what the site may do. */
export const READABLE = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

/** Asks for a retry: 429 for an overload of this sender, 503 for one of the server. Nothing was stored. */
export function laterAnswer(
  c: Context<Env>,
  overload: Overload,
  log: Log,
  refused: Refused,
  headers: Record<string, string> = READABLE,
): Response {
  const { bound, count, retryAfter, message } = overload;
  if (reachesPowerOfTen(count)) log.warn("pressure.refused", { ...refused, bound, count });
  const status = bound === "account" || bound === "channel" || bound === "lane" ? 429 : 503;
  return c.json({ error: { code: "general", message } }, status, { "retry-after": String(retryAfter), ...headers });
}

type Answered = { method: string; route: string; status: string };

/** Counts what the site answers. A route is a path as the site names it, so that no secret of a path is shown. */
export interface Traffic {
  /** Middleware of a router. `unknown`: the route of what it does not know; without it that is left to the next router. */
  counted(unknown?: string): MiddlewareHandler<Env>;
  figures(): { requests: ReturnType<Counter<Answered>["read"]>; durations: Distribution<{ door: string }>[] };
}

interface TrafficParts {
  clock: Pick<Clock, "monotonic">;
  /** Absent: requests are not logged. */
  log?: Log;
}

/** The doors that others wait at, by the head of their paths. */
const DOORS: [head: string, door: string][] = [
  ["/gateway/", "gateway"],
  ["/m/", "messenger"],
  ["/apps/", "app"],
  ["/actions/", "crm"],
  ["/health/", "health"],
];

/** Anybody may send any other. */
const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

export function createTraffic({ clock, log }: TrafficParts): Traffic {
  const requests = createCounter<Answered>();
  const durations = createHistogram<{ door: string }>();
  return {
    counted: (unknown) => async (c, next) => {
      const began = clock.monotonic();
      await next();
      const route = matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path ?? unknown;
      if (route === undefined) return;
      const ms = clock.monotonic() - began;
      const method = METHODS.has(c.req.method) ? c.req.method : "other";
      requests.add({ method, route, status: `${c.res.status}` });
      durations.observe({ door: DOORS.find(([head]) => route.startsWith(head))?.[1] ?? "page" }, ms);
      log?.info("http.answered", { method, route, status: c.res.status, ms });
    },
    figures: () => ({ requests: requests.read(), durations: durations.read() }),
  };
}
