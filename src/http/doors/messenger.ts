import type { Context } from "hono";
import type { Receipt } from "../../channels/port.ts";
import type { RawWebhook } from "../../domain/delivery/raw-webhook.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import { type AcceptInbound, type Forward, keptOf } from "../../relay/accept/inbound.ts";
import type { OpenChannel, Sessions } from "../../relay/sessions/sessions.ts";
import type { AddressOf, Env } from "../serving/env.ts";
import { cappedRequest } from "./body.ts";
import { type DoorRequest, failedAnswer, tooLarge } from "./door.ts";
import { READABLE } from "./overload.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface MessengerDoorParts {
  sessions: Sessions;
  acceptInbound: AcceptInbound;
  forward: Forward;
  /** Whether to keep raw requests that bring new events. */
  keepRaw: boolean;
  /** Called after each request that a session has answered. */
  doorAnswered(id: ChannelId, status: number): void;
  guesses: RateLimit;
  addressOf: AddressOf;
  log: Log;
}

/** Most that a messenger sends as one update, bytes (Meta). Where more is taken, files come. */
const MAX_RAW_BYTES = 3 * 1024 * 1024;

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
  // Other channels' parts are kept with those channels, and erased with them.
  if (others) return kept && keptOf(adapter, kept);
  if (body === undefined) return undefined;
  const { keptHeaders = [] } = adapter;
  const headers = keptHeaders.map((name) => [name, c.req.header(name)]).filter(([, value]) => value !== undefined);
  const query = c.req.url.indexOf("?");
  return { path: query < 0 ? path : path + c.req.url.slice(query), headers: Object.fromEntries(headers), body };
}

/** `/m/:door/*`: the session authenticates and parses; reply after the events are on disk. */
export function messengerDoor(parts: MessengerDoorParts) {
  const { sessions, acceptInbound, forward, keepRaw, guesses, addressOf, log } = parts;
  return async (c: Context<Env>): Promise<Response> => {
    // A Request cannot have this method (Fetch standard).
    if (c.req.method === "TRACE") return c.notFound() as Response;
    if (c.req.method === "OPTIONS") return preflight(c);
    const asked: DoorRequest = { headers: READABLE, exceeded: () => false, about: {} };
    try {
      const open = await sessions.byDoor(c.req.param("door") ?? "");
      if (!open) return unknownDoor(c, guesses.take(addressOf(c)));
      const { adapter } = open;
      asked.about.channel = open.channel.id;
      const rest = c.req.path.split("/").slice(3).join("/");
      const limit = adapter.bodyLimit(rest);
      const capped = await cappedRequest(c, limit, keepRaw && limit <= MAX_RAW_BYTES ? limit : 0);
      asked.exceeded = capped.exceeded;
      const receipt = await open.session.receive(capped.request, addressOf(c));
      parts.doorAnswered(open.channel.id, receipt.reply.status);
      if (capped.exceeded()) return tooLarge(c, asked);
      // First: what holds up this channel holds up no other.
      if (receipt.others) await forward(receipt.others, open.channel);
      await acceptInbound(
        open.channel,
        receipt,
        keepRaw ? () => rawOf(c, rest, open, receipt, capped.captured()) : undefined,
      );
      return receipt.reply;
    } catch (error) {
      return failedAnswer(c, error, asked, log);
    }
  };
}
