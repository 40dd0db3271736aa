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

/** `incoming` is absent if the site is called without a socket, as in tests. */
export type Env = {
  Bindings: Partial<HttpBindings>;
  /** `formToken`: masked. `countEnded`: counts the account's undelivered messages once. `requested`: asked about. */
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

/** Path of the account page in the request's path, or of the entry to it. */
export const pageIn = (c: Context<Env>): string => {
  const account = c.req.param("account");
  return account === undefined ? "/account" : accountPage(account as AccountId);
};

/** Warns if PUBLIC_URL is https but no trusted proxies are set. */
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

/** Deadline for a small body, ms, which fits into a few packets. Larger bodies get as much per SMALL_BYTES. */
const SMALL_BODY_MS = 15_000;
const SMALL_BYTES = 1024 ** 2;

const deadlineMs = (bytes: number, smallMs: number) => smallMs * Math.max(1, bytes / SMALL_BYTES);

/** Largest update of a messenger, in bytes (Meta). A higher limit means file uploads, which are streamed. */
export const MAX_RAW_BYTES = 3 * 1024 * 1024;

/** Budgets of bodies in memory, over the whole process. Small bodies (forms, webhooks) have their own. */
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

/** The body as text, buffering at most `limit` bytes. Throws BodyTooLarge; Overload if the budget is used up. */
export const readBody = async (c: Context<Env>, limit: number, withinMs = SMALL_BODY_MS): Promise<string> =>
  (await readBytes(c, limit, withinMs)).toString("utf8");

async function readBytes(c: Context<Env>, limit: number, withinMs: number): Promise<Buffer> {
  const length = contentLength(c);
  if (length > limit) throw new BodyTooLarge();
  const incoming = c.env?.incoming;
  // A small body has usually arrived with its headers; iterating over the stream costs ten times as much.
  if (length > 0 && incoming?.readableLength === length) {
    const whole = incoming.read();
    // Read to the end, so that Node frees the stream.
    incoming.resume();
    return whole;
  }
  // Read the raw stream: a web stream is five times slower (measured: 7,800 against 39,000 requests a second). Keeps
  // the socket open on errors, so that the sender gets a response.
  const source: AsyncIterable<Uint8Array> | null = incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const held = (length > 0 && length <= MAX_READ_WHOLE ? smallBodies : bodies).hold();
  // Destroy the socket: a client this slow gets no response.
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

/** Bodies up to this size are read at once, in bytes: a web stream costs more than reading so little. */
const MAX_READ_WHOLE = 64 * 1024;

/** With these methods a Request cannot have a body (Fetch standard); leave it unread. */
const BODILESS = new Set(["GET", "HEAD"]);

type BodyFault = BodyTooLarge | BodyTooSlow | Overload;

interface Capped {
  request: Request;
  /** Why the body was not read completely, even if its reader ignored that. */
  fault(): BodyFault | undefined;
  /** The body read so far; undefined if longer than `keep` bytes. */
  captured(): string | undefined;
}

const uncapped = (request: Request): Capped => ({ request, fault: () => undefined, captured: () => "" });

/** Caps the body: small ones are read at once, others streamed. Captures up to `keep` bytes. Throws BodyFault. */
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
    // hono's node-server then serves the body from here, and builds no web Request unless a stream is needed.
    Object.assign(c.env.incoming, { rawBody });
    const captured = () => (length <= keep ? rawBody.toString("utf8") : undefined);
    return { ...uncapped(raw), captured };
  }
  if (!raw.body) return uncapped(raw);
  const counted = counting(c, { limit, keep, withinMs, bytes: length || limit });
  // Do not cancel the source, which would close the socket: the sender gets a response.
  const body = raw.body.pipeThrough(counted.through, { preventCancel: true });
  const init = { method: raw.method, headers: raw.headers, body, duplex: "half", signal: raw.signal };
  return { ...counted, request: new Request(raw.url, init as RequestInit) };
}

interface Caps {
  limit: number;
  keep: number;
  withinMs: number;
  /** Expected size of the body. */
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
  // Also covers requests whose body is not read completely.
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

/** Log fields that identify the refused sender. */
interface Refused {
  account?: string;
  channel?: string;
  kind?: string;
}

/** CORS: any page may read the response; the session decides what a site may do. */
export const READABLE = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

/** Asks for a retry: 429 if this sender is overloading, 503 if the server is overloaded. Nothing was stored. */
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

/** Counts responses. A route is the pattern of a path, so that secrets in paths are not exposed. */
export interface Traffic {
  /** Router middleware. `unknown`: route name of unmatched requests; without it the next router counts them. */
  counted(unknown?: string): MiddlewareHandler<Env>;
  figures(): { requests: ReturnType<Counter<Answered>["read"]>; durations: Distribution<{ door: string }>[] };
}

interface TrafficParts {
  clock: Pick<Clock, "monotonic">;
  /** Absent: requests are not logged. */
  log?: Log;
}

/** Doors for machines, by the start of their paths. */
const DOORS: [head: string, door: string][] = [
  ["/gateway/", "gateway"],
  ["/m/", "messenger"],
  ["/apps/", "app"],
  ["/actions/", "crm"],
  ["/health/", "health"],
];

/** Labels must stay few: a client may send any method. */
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
