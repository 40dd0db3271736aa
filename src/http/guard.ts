import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import type { ClientAddress } from "../domain/proxies.ts";
import type { Visit } from "../module/visits.ts";

/** `incoming` is absent where the site is called without a socket, as in tests. */
export type Env = {
  Bindings: Partial<HttpBindings>;
  Variables: { visit: Visit; asked?: Visit; form: URLSearchParams };
};

export class BodyTooLarge extends Error {
  constructor() {
    super("the body is too large");
    this.name = "BodyTooLarge";
  }
}

/** Longest that a small body may take, ms: it fits into a few packets. An upload has the server's own limit. */
const SMALL_BODY_MS = 15_000;
const SMALL_BYTES = 1024 ** 2;

export class BodyTooSlow extends Error {
  constructor() {
    super("the body takes too long");
    this.name = "BodyTooSlow";
  }
}

/** Whether this is the sender's going away in the middle of a body: no failure of ours. */
export const wasCut = (c: Context<Env>, error: unknown): boolean =>
  c.env?.incoming?.complete === false && (error as { code?: unknown }).code === "ECONNRESET";

const announcedLength = (c: Context<Env>) => Number(c.req.header("content-length") ?? 0);

/** The whole body, as text; throws BodyTooLarge as soon as it is known to pass `limit` bytes, and holds no more. */
export const readBody = async (c: Context<Env>, limit: number, withinMs = SMALL_BODY_MS): Promise<string> =>
  (await readBytes(c, limit, withinMs)).toString("utf8");

async function readBytes(c: Context<Env>, limit: number, withinMs: number): Promise<Buffer> {
  if (announcedLength(c) > limit) throw new BodyTooLarge();
  // The raw socket stream: a web stream around it costs most of the door's speed (measured 7,800 against 39,000 a second).
  const source: IncomingMessage | ReadableStream<Uint8Array> | null = c.env?.incoming ?? c.req.raw.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Cuts the socket: nobody waits for an answer who does not end the question.
  const timer = setTimeout(() => c.env?.incoming?.destroy(new BodyTooSlow()), withinMs);
  try {
    for await (const chunk of source ?? []) {
      size += (chunk as Uint8Array).byteLength;
      if (size > limit) throw new BodyTooLarge();
      chunks.push(chunk as Uint8Array);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/** Up to here a messenger's body is read off the socket whole, bytes: the web streams around one cost more than all that is in it. */
const SMALLEST_STREAM = 64 * 1024;

/** A Request of these methods cannot hold a body (Fetch standard): what was sent along is left unread. */
const BODILESS = new Set(["GET", "HEAD"]);

interface Capped {
  request: Request;
  passed(): boolean;
  /** What was read of the body so far; undefined when it is more than was to be kept. */
  taken(): string | undefined;
}

/** The request with its body capped: while it streams, or before, where it is small. Up to `keep` bytes can be had again. */
export async function cappedRequest(
  c: Context<Env>,
  limit: number,
  keep = 0,
  withinMs = SMALL_BODY_MS,
): Promise<Capped> {
  const length = announcedLength(c);
  if (length > limit) throw new BodyTooLarge();
  const { raw } = c.req;
  if (BODILESS.has(raw.method)) return { request: raw, passed: () => false, taken: () => "" };
  if (c.env?.incoming && length > 0 && length <= Math.min(SMALLEST_STREAM, limit)) {
    const body = await readBytes(c, limit, withinMs);
    const { url, method, headers } = raw;
    const request = new Request(url, { method, headers, body: new Uint8Array(body) });
    return { request, passed: () => false, taken: () => (length <= keep ? body.toString("utf8") : undefined) };
  }
  if (!raw.body) return { request: raw, passed: () => false, taken: () => "" };
  let size = 0;
  let kept: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      if (limit <= SMALL_BYTES) timer = setTimeout(() => controller.error(new BodyTooSlow()), withinMs).unref();
    },
    flush: () => clearTimeout(timer),
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= keep) kept.push(chunk);
      else kept = [];
      if (size > limit) controller.error(new BodyTooLarge());
      else controller.enqueue(chunk);
    },
  });
  const body = raw.body.pipeThrough(count);
  const init = { method: raw.method, headers: raw.headers, body, duplex: "half", signal: raw.signal };
  return {
    request: new Request(raw.url, init as RequestInit),
    passed: () => size > limit,
    taken: () => (size <= keep ? Buffer.concat(kept).toString("utf8") : undefined),
  };
}

const digest = (text: string) => hash("sha256", text, "buffer");
/** Equal in constant time, whatever the lengths. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** For pages only: the lean doors do without. */
export const pageHeaders = createMiddleware<Env>(async (c, next) => {
  await next();
  c.header("Content-Security-Policy", CSP);
  // Not "no-referrer": under it a browser sends `Origin: null` with our own forms (Fetch standard).
  c.header("Referrer-Policy", "same-origin");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Cache-Control", "no-store");
});

export interface Cookie {
  read(c: Context<Env>): string | undefined;
  write(c: Context<Env>, token: string): void;
  clear(c: Context<Env>): void;
}
export interface Cookies {
  /** Of the open visit. */
  session: Cookie;
  /** Of a visit that the CRM's form has just asked for. That form comes without the cookie of the open visit (Lax). */
  entry: Cookie;
}

/** How long an answer to the question which account to open may take, seconds. */
const ENTRY_SECONDS = 300;

/** Over plain http (sandbox) browsers refuse `__Host-` and Secure. */
export function cookiesOf(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith("https:");
  const shape = { path: "/", httpOnly: true, sameSite: "Lax", secure } as const;
  const cookie = (name: string, maxAge?: number): Cookie => {
    const full = secure ? `__Host-${name}` : name;
    return {
      read: (c) => getCookie(c, full),
      write: (c, token) => setCookie(c, full, token, { ...shape, maxAge }),
      clear: (c) => setCookie(c, full, "", { ...shape, maxAge: 0 }),
    };
  };
  return { session: cookie("gangway"), entry: cookie("gangway-entry", ENTRY_SECONDS) };
}

/** False for a request that another site made a browser send. */
export function ownOrigin(c: Context<Env>, publicUrl: string): boolean {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  if (site && site !== "same-origin" && site !== "none") return false;
  if (!origin || origin === publicUrl) return true;
  // In the sandbox the same server is opened by several names of one machine.
  return publicUrl.startsWith("http:") && origin === `http://${c.req.header("host")}`;
}

const MINUTE_MS = 60_000;
/** Addresses remembered at once. */
const MOST_ADDRESSES = 10_000;

export interface Tries {
  /** False when this address has used up its minute. */
  take(address: string): boolean;
}

/** Counts the tries of an address in a minute; in memory, since it only slows guessing down. */
export function tries(most: number, now: () => number): Tries {
  // Who tried last stands last: where room is needed, the one goes that has been quiet longest.
  const seen = new Map<string, { until: number; count: number }>();
  return {
    take(address) {
      const time = now();
      let known = seen.get(address);
      if (!known || known.until <= time) known = { until: time + MINUTE_MS, count: 0 };
      seen.delete(address);
      if (seen.size >= MOST_ADDRESSES) seen.delete(seen.keys().next().value ?? "");
      seen.set(address, known);
      if (known.count >= most) return false;
      known.count += 1;
      return true;
    },
  };
}

/** Who asks, by the proxies that are believed. */
export type AddressOf = (c: Context<Env>) => string;

export const addressOf =
  (clientAddress: ClientAddress): AddressOf =>
  (c) =>
    clientAddress(c.env?.incoming?.socket?.remoteAddress, c.req.header("x-forwarded-for"));

/** Secrets that an address may get wrong in a minute at the doors of machines. What is proven is never held up by it. */
export const MOST_GUESSES = 60;

/** Forms come as a browser's forms do: other types are what scripts of other sites can send. */
export const isForm = (c: Context<Env>): boolean =>
  /^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? "");
