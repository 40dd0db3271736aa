import type { Context } from "hono";
import type { Log } from "../log.ts";
import type { AcceptInbound } from "../relay/inbound.ts";
import type { OpenChannel, Sessions } from "../relay/sessions.ts";
import { BodyTooLarge, cappedRequest, type Env } from "./guard.ts";

export interface MessengerDoorParts {
  sessions: Sessions;
  acceptInbound: AcceptInbound;
  log: Log;
}

const tooLarge = (c: Context<Env>) =>
  c.json({ error: { message: "The body is too large" } }, 413, {
    connection: "close",
    "access-control-allow-origin": "*",
  });

/** Counts what no version of ours knows, and says so at the 1st, 10th, 100th … time. */
function strangers(log: Log) {
  const seen = new Map<string, number>();
  return (kind: string, unknown: string) => {
    const name = `${kind} ${unknown.slice(0, NAME_LENGTH)}`;
    if (!seen.has(name) && seen.size >= MOST_NAMES) return;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (/^10*$/.test(String(count)))
      log.warn("messenger.unknown", { kind, unknown: unknown.slice(0, NAME_LENGTH), count });
  };
}
const NAME_LENGTH = 64;
const MOST_NAMES = 100;

/** `/m/:door/*`: the session authenticates and parses; its reply leaves after the events are on the disk. */
export function messengerDoor({ sessions, acceptInbound, log }: MessengerDoorParts) {
  const tellStranger = strangers(log);
  return async (c: Context<Env>): Promise<Response> => {
    let passed = () => false;
    let open: OpenChannel | undefined;
    try {
      open = await sessions.byDoor(c.req.param("door") ?? "");
      if (!open) return c.json({ error: { message: "Not found" } }, 404);
      const rest = c.req.path.split("/").slice(3).join("/");
      const capped = cappedRequest(c, open.adapter.bodyLimit(rest));
      passed = capped.passed;
      const receipt = await open.session.receive(capped.request);
      if (passed()) return tooLarge(c);
      await acceptInbound(open.channel, receipt);
      if (receipt.unknown) tellStranger(open.channel.kind, receipt.unknown);
      return receipt.reply;
    } catch (error) {
      if (passed() || error instanceof BodyTooLarge) return tooLarge(c);
      log.error("messenger.not-stored", { channel: open?.channel.id, error: String(error) });
      const body = { error: { message: "The message could not be stored; send it again" } };
      return c.json(body, 503, { "retry-after": "5", "access-control-allow-origin": "*" });
    }
  };
}
