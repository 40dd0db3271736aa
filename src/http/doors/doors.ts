import { isOverNested } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { type ChannelId, sameSecret } from "gangway-messenger/ids";
import type { RawWebhook, Receipt } from "gangway-messenger/port";
import { type Context, Hono } from "hono";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { Overload } from "../../domain/delivery.ts";
import type { Log } from "../../log.ts";
import type { Apps } from "../../module/channels/apps.ts";
import type { OneClick } from "../../module/connecting/one-click.ts";
import { connectFaultText } from "../../pages/fault-text.ts";
import type { Fault } from "../../pages/props.ts";
import { type AcceptInbound, type Forward, keptOf } from "../../relay/accept/inbound.ts";
import type { AcceptOutbound } from "../../relay/accept/outbound.ts";
import type { OpenChannel, Sessions } from "../../relay/sessions/sessions.ts";
import {
  type AddressOf,
  BodyTooLarge,
  BodyTooSlow,
  cappedRequest,
  clientAborted,
  type Env,
  laterAnswer,
  MAX_RAW_BYTES,
  READABLE,
  readBody,
} from "../serving/request.ts";
import { stringsFor } from "../visit/language.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A messenger's request, as far as it is known for the response. */
interface DoorRequest {
  /** Headers of every response. */
  headers: Record<string, string>;
  /** Why the body was not read completely. */
  fault(): Error | undefined;
  /** Log fields. */
  about: { channel?: string; kind?: string };
  /** Format of `Retry-After` that the messenger reads, if not seconds. */
  retryAfter?: "date";
}

/** For requests that could not be read or stored: the messenger repeats them. Throws if the client has gone. */
function failedAnswer(c: Context<Env>, failure: unknown, asked: DoorRequest, log: Log): Response {
  const { headers, about } = asked;
  const error = asked.fault() ?? failure;
  if (error instanceof BodyTooLarge)
    return c.json({ error: { message: "The body is too large" } }, 413, { connection: "close", ...headers });
  if (error instanceof BodyTooSlow)
    return c.json({ error: { message: "The body took too long" } }, 408, { connection: "close", ...headers });
  if (error instanceof Overload) return laterAnswer(c, error, log, about, headers);
  if (clientAborted(c, error)) throw error;
  log.error("messenger.not-stored", { ...about, error: String(error) });
  const body = { error: { message: "The message could not be stored; send it again" } };
  return c.json(body, 503, { "retry-after": "5", ...headers });
}

const SECOND_MS = 1_000;

/** Converts `Retry-After` to the format that the messenger reads. */
function timed(answer: Response, { retryAfter }: DoorRequest, now: number): Response {
  const seconds = Number(answer.headers.get("retry-after"));
  if (retryAfter !== "date" || !(seconds > 0)) return answer;
  answer.headers.set("retry-after", new Date(now + seconds * SECOND_MS).toUTCString());
  return answer;
}

/** 503, so that the messenger repeats the request for hours; the package may be installed by then. */
function notInstalledAnswer(c: Context<Env>, { id, kind }: Channel, log: Log): Response {
  log.warn("messenger.not-installed", { channel: id, kind });
  return c.json({ error: { message: "Come back later" } }, 503, { "retry-after": "60", ...READABLE });
}

export interface MessengerDoorParts {
  sessions: Sessions;
  acceptInbound: AcceptInbound;
  forward: Forward;
  /** Whether to store raw requests that bring new events. */
  keepRaw: boolean;
  /** Called after each request that a session has answered. */
  doorAnswered(id: ChannelId, status: number): void;
  guesses: RateLimit;
  addressOf: AddressOf;
  clock: Pick<Clock, "now">;
  log: Log;
}

/** The same CORS preflight answer for every door, without a lookup. */
const preflight = (c: Context<Env>) =>
  c.body(null, 204, {
    ...READABLE,
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": c.req.header("access-control-request-headers") ?? "",
    "access-control-max-age": "7200",
  });

/** Same body for 404 and 429: a rate-limited page must still learn that its channel is gone. */
function unknownDoor(c: Context<Env>, mayGuess: boolean): Response {
  const body = { error: { code: "unknown-door", message: "Not found" } };
  return mayGuess ? c.json(body, 404, READABLE) : c.json(body, 429, { ...READABLE, "retry-after": "60" });
}

function rawOf(
  c: Context<Env>,
  path: string,
  { adapter }: OpenChannel,
  { others, kept }: Receipt,
  body: string | undefined,
): RawWebhook | undefined {
  // Other channels' parts are stored with those channels, and erased with them.
  if (others) return kept && keptOf(adapter, kept);
  if (body === undefined) return undefined;
  const { keptHeaders = [] } = adapter;
  const headers = keptHeaders.map((name) => [name, c.req.header(name)]).filter(([, value]) => value !== undefined);
  const query = c.req.url.indexOf("?");
  return { path: query < 0 ? path : path + c.req.url.slice(query), headers: Object.fromEntries(headers), body };
}

/** `/m/:door/*`: the session authenticates and parses; the reply follows once the events are on disk. */
export function messengerDoor(parts: MessengerDoorParts) {
  const { sessions, acceptInbound, forward, keepRaw, guesses, addressOf, clock, log } = parts;
  return async (c: Context<Env>): Promise<Response> => {
    // A Request cannot have this method (Fetch standard).
    if (c.req.method === "TRACE") return c.notFound() as Response;
    if (c.req.method === "OPTIONS") return preflight(c);
    const asked: DoorRequest = { headers: READABLE, fault: () => undefined, about: {} };
    try {
      const open = await sessions.byDoor(c.req.param("door") ?? "");
      if (!open) return unknownDoor(c, guesses.take(addressOf(c)));
      asked.about.channel = open.channel.id;
      if (!open.session) return notInstalledAnswer(c, open.channel, log);
      const { adapter } = open;
      asked.retryAfter = adapter.retryAfter;
      const rest = c.req.path.split("/").slice(3).join("/");
      const limit = adapter.bodyLimit(rest);
      const capped = await cappedRequest(c, limit, keepRaw && limit <= MAX_RAW_BYTES ? limit : 0);
      asked.fault = capped.fault;
      const receipt = await open.session.receive(capped.request, addressOf(c));
      parts.doorAnswered(open.channel.id, receipt.reply.status);
      const fault = capped.fault();
      if (fault) throw fault;
      // Forward first: what blocks this channel must not block others.
      if (receipt.others) await forward(receipt.others, open.channel);
      await acceptInbound(
        open.channel,
        receipt,
        keepRaw ? () => rawOf(c, rest, open, receipt, capped.captured()) : undefined,
      );
      return receipt.reply;
    } catch (error) {
      return timed(failedAnswer(c, error, asked, log), asked, clock.now());
    }
  };
}

export interface GatewayDoorParts {
  accountByWebhook(secret: string): Promise<Account | undefined>;
  acceptOutbound: AcceptOutbound;
  limit: number;
  guesses: RateLimit;
  addressOf: AddressOf;
  log: Log;
}

const error = (message: string) => ({ error: { code: "general", message } });

/** `POST /gateway/:secret`: both the secret in the path and the ClientId header must match the account. */
export function gatewayDoor(parts: GatewayDoorParts) {
  return async (c: Context<Env>): Promise<Response> => {
    let account: Account | undefined;
    try {
      account = await parts.accountByWebhook(c.req.param("secret") ?? "");
      // Same work and response, whichever of the two is wrong.
      const proven = sameSecret(c.req.header("clientid") ?? "", account?.clientId ?? "no account");
      if (!account || !proven) {
        if (parts.guesses.take(parts.addressOf(c))) return c.json(error("Not found"), 404);
        return c.json(error("Too many requests"), 429, { "retry-after": "60" });
      }
      const body = await readBody(c, parts.limit);
      if (isOverNested(body)) return c.json(error("(body): is nested too deeply or holds too much"), 400);
      const answer = await parts.acceptOutbound(account, body);
      return c.json(answer.body, answer.status);
    } catch (fault) {
      if (fault instanceof BodyTooLarge) return c.json(error("The body is too large"), 413, { connection: "close" });
      if (fault instanceof BodyTooSlow) return c.json(error("The body took too long"), 408, { connection: "close" });
      if (fault instanceof Overload) return laterAnswer(c, fault, parts.log, { account: account?.id });
      if (account && clientAborted(c, fault)) throw fault;
      parts.log.error("webhook.not-stored", { account: account?.id, error: String(fault) });
      return c.json(error("The event could not be stored; send it again"), 503, { "retry-after": "5" });
    }
  };
}

export interface AppDoorParts {
  apps: Apps;
  guesses: RateLimit;
  addressOf: AddressOf;
  log: Log;
}

/** `/apps/:kind` and below: requests to the vendor's app, each for many channels. */
export function appDoor({ apps, guesses, addressOf, log }: AppDoorParts) {
  const stranger = (c: Context<Env>, answer: () => Response) =>
    guesses.take(addressOf(c)) ? answer() : c.body(null, 429, { "retry-after": "60" });
  return async (c: Context<Env>): Promise<Response> => {
    // A Request cannot have this method (Fetch standard).
    if (c.req.method === "TRACE") return c.notFound() as Response;
    const kind = c.req.param("kind") ?? "";
    const app = apps.of(kind);
    if (!app) return stranger(c, () => c.json({ error: { message: "Not found" } }, 404));
    const asked: DoorRequest = { headers: {}, fault: () => undefined, about: { kind } };
    try {
      const capped = await cappedRequest(c, app.bodyLimit);
      asked.fault = capped.fault;
      const receipt = await app.read(capped.request);
      const fault = capped.fault();
      if (fault) throw fault;
      app.heard(receipt);
      const { reply } = receipt;
      if (reply.status === 401 || reply.status === 403) return stranger(c, () => reply);
      return await app.take(receipt);
    } catch (error) {
      return failedAnswer(c, error, asked, log);
    }
  };
}

/** `POST /actions/…`, called by the CRM. An unknown client id looks like a malformed form: `success` is false. */
export function crmAction(act: (form: URLSearchParams) => Promise<object>, limit: number) {
  return async (c: Context<Env>): Promise<Response> => {
    try {
      return c.json(await act(new URLSearchParams(await readBody(c, limit))));
    } catch (error) {
      if (!(error instanceof BodyTooLarge)) throw error;
      return c.json({ success: false }, 413, { connection: "close" });
    }
  };
}

interface OneClickParts {
  oneClick: OneClick;
  publicUrl: string;
  formBytes: number;
  addressOf: AddressOf;
}

type C = Context<Env>;

/** Addresses of one-click connection: the marketplace reads by GET, the CRM posts. */
export function oneClickRoutes({ oneClick, publicUrl, formBytes, addressOf }: OneClickParts): Hono<Env> {
  const site = new Hono<Env>();
  const refuse = (c: C, status: 200 | 400 | 401 | 413, fault: Fault) =>
    c.json({ success: false, errorMsg: connectFaultText(stringsFor(c), fault) }, status);
  site.get("/", (c) =>
    oneClick.scopes
      ? c.json({ success: true, scopes: oneClick.scopes, registerUrl: `${publicUrl}/connect` })
      : refuse(c, 200, { code: "one-click-off" }),
  );
  site.post("/", async (c) => {
    const result = await oneClick.register(new URLSearchParams(await readBody(c, formBytes)), addressOf(c));
    if (result.ok) return c.json({ success: true, accountUrl: result.accountUrl });
    return refuse(c, result.fault.code === "register-token" ? 401 : 400, result.fault);
  });
  site.onError((error, c) => {
    if (!(error instanceof BodyTooLarge)) throw error;
    c.header("Connection", "close");
    return refuse(c, 413, { code: "register-form" });
  });
  return site;
}
